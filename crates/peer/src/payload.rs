//! The source of messages: a file of encoded messages, or a codec pack that encodes them during the
//! trial.

use std::path::Path;
use std::{fmt, fs};

use wirelab_codec::{Pack, Session};
use wirelab_contract::{Fault, PackSource, Payload};

use crate::corpus::HEADER;

/// A payload, used by one thread to encode or decode.
pub(crate) enum Source {
    /// Encoded messages, each preceded by room for its identity header.
    Messages(Vec<Box<[u8]>>),
    /// A codec of a pack, and the corpus as native objects.
    Pack(Box<Session>),
}

impl Source {
    /// Opens a payload.
    ///
    /// # Errors
    /// A fatal fault that names the file.
    pub fn open(payload: &Payload) -> Result<Self, Fault> {
        let source = match payload {
            Payload::Messages { messages } => Self::Messages(read_messages(messages)?),
            Payload::Pack(pack) => Self::Pack(Box::new(open_session(pack)?)),
        };
        match source.len() {
            0 => Err(Fault::fatal("payload", "contains no messages")),
            _ => Ok(source),
        }
    }

    /// Number of messages in the corpus.
    pub fn len(&self) -> u64 {
        match self {
            Self::Messages(messages) => messages.len() as u64,
            Self::Pack(session) => session.len() as u64,
        }
    }

    /// Encodes message `index`.
    ///
    /// # Errors
    /// A fatal fault if the codec fails.
    pub fn encode(&mut self, index: u64) -> Result<&[u8], Fault> {
        match self {
            Self::Messages(messages) => Ok(&messages[index as usize][HEADER..]),
            Self::Pack(session) => session
                .encode(index as usize)
                .map_err(|error| Fault::fatal(format!("encode message {index}"), error)),
        }
    }

    /// Encodes message `index` behind the identity header `seq`. `buffer` joins the header with a
    /// codec's bytes.
    ///
    /// # Errors
    /// A fatal fault if the codec fails.
    pub fn encode_numbered<'a>(
        &'a mut self,
        index: u64,
        seq: u64,
        buffer: &'a mut Vec<u8>,
    ) -> Result<&'a [u8], Fault> {
        let header = seq.to_le_bytes();
        if let Self::Messages(messages) = self {
            let message = &mut messages[index as usize];
            message[..HEADER].copy_from_slice(&header);
            return Ok(message);
        }
        buffer.clear();
        buffer.extend_from_slice(&header);
        buffer.extend_from_slice(self.encode(index)?);
        Ok(buffer)
    }

    /// Whether the messages are already encoded.
    pub fn is_ready_made(&self) -> bool {
        matches!(self, Self::Messages(_))
    }

    /// Decodes every field of a message. Returns whether that succeeded, or `None` if there is no
    /// codec.
    pub fn decode(&mut self, message: &[u8]) -> Option<bool> {
        match self {
            Self::Messages(_) => None,
            Self::Pack(session) => Some(session.decode(message).is_ok()),
        }
    }
}

fn open_session(source: &PackSource) -> Result<Session, Fault> {
    let of_pack = |error: wirelab_codec::Error| {
        Fault::fatal(format!("pack {}", source.pack.display()), error)
    };
    let of_corpus =
        |why: &dyn fmt::Display| Fault::fatal(format!("corpus {}", source.corpus.display()), why);
    let corpus = fs::read(&source.corpus).map_err(|error| of_corpus(&error))?;
    let pack = Pack::load(&source.pack).map_err(of_pack)?;
    let corpus = pack.corpus(&corpus).map_err(|error| of_corpus(&error))?;
    corpus
        .session(&source.codec)
        .map_err(|error| Fault::fatal(format!("codec {}", source.codec), error))
}

fn read_messages(path: &Path) -> Result<Vec<Box<[u8]>>, Fault> {
    let bytes = fs::read(path)
        .map_err(|error| Fault::fatal(format!("messages {}", path.display()), error))?;
    split_messages(&bytes).ok_or_else(|| {
        Fault::fatal(
            format!("messages {}", path.display()),
            "truncated: the last message is shorter than its length prefix",
        )
    })
}

fn split_messages(mut bytes: &[u8]) -> Option<Vec<Box<[u8]>>> {
    let mut messages = Vec::new();
    while !bytes.is_empty() {
        let (length, rest) = bytes.split_first_chunk::<4>()?;
        let (message, rest) = rest.split_at_checked(u32::from_le_bytes(*length) as usize)?;
        messages.push(with_room(message));
        bytes = rest;
    }
    Some(messages)
}

/// A message preceded by room for its identity header.
pub(crate) fn with_room(message: &[u8]) -> Box<[u8]> {
    [&[0; HEADER], message].concat().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_split_by_their_lengths() {
        let messages = split_messages(b"\x02\0\0\0ab\0\0\0\0\x01\0\0\0c").unwrap();
        let contents: Vec<&[u8]> = messages.iter().map(|message| &message[HEADER..]).collect();
        assert_eq!(contents, [b"ab".as_slice(), b"", b"c"]);
    }

    #[test]
    fn a_message_cut_short_is_refused() {
        assert!(split_messages(b"\x02\0\0\0a").is_none());
        assert!(split_messages(b"\x02\0\0").is_none());
    }
}
