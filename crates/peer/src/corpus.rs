//! The encoded payload. Encoded once in `prepare`, to know its sizes and, for a subscriber, to
//! identify messages.

use std::collections::HashMap;

use rustc_hash::FxBuildHasher;
use wirelab_contract::{Fault, Identity};

use crate::payload::Source;

/// Size of the identity header in bytes.
pub(crate) const HEADER: usize = 8;

/// The encoded corpus.
pub(crate) struct Corpus {
    messages: Vec<Box<[u8]>>,
    /// From the bytes of a message to the lowest index with these bytes. A lookup hashes and
    /// compares the whole message.
    index: HashMap<Box<[u8]>, u64, FxBuildHasher>,
}

/// The message without its identity header.
pub(crate) fn strip(identity: Identity, arrival: &[u8]) -> &[u8] {
    match identity {
        Identity::Content => arrival,
        Identity::Header => arrival.get(HEADER..).unwrap_or(arrival),
    }
}

impl Corpus {
    /// Encodes all messages.
    ///
    /// # Errors
    /// A fatal fault if a message cannot be encoded.
    pub fn encode(source: &mut Source) -> Result<Self, Fault> {
        let messages: Vec<Box<[u8]>> = (0..source.len())
            .map(|index| source.encode(index).map(Into::into))
            .collect::<Result<_, _>>()?;
        let mut index = HashMap::with_capacity_and_hasher(messages.len(), FxBuildHasher);
        for (at, message) in (0..).zip(&messages) {
            index.entry(message.clone()).or_insert(at);
        }
        Ok(Self { messages, index })
    }

    /// Smallest and largest size in bytes.
    pub fn sizes(&self) -> (u64, u64) {
        let sizes = self.messages.iter().map(|message| message.len() as u64);
        (sizes.clone().min().unwrap_or(0), sizes.max().unwrap_or(0))
    }

    /// Number of messages.
    pub fn len(&self) -> u64 {
        self.messages.len() as u64
    }

    /// Number of different byte strings.
    pub fn distinct(&self) -> u64 {
        self.index.len() as u64
    }

    /// The corpus index (`content`) or header number (`header`) of a message that arrived; `None`
    /// if its content is not that of the corpus message.
    pub fn recognise(&self, identity: Identity, arrival: &[u8]) -> Option<u64> {
        match identity {
            Identity::Content => self.index.get(arrival).copied(),
            Identity::Header => {
                let (header, message) = arrival.split_first_chunk::<HEADER>()?;
                let seq = u64::from_le_bytes(*header);
                let expected = &self.messages[(seq % self.len()) as usize];
                (**expected == *message).then_some(seq)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::payload::with_room;

    fn corpus(messages: &[&[u8]]) -> Corpus {
        let messages = messages.iter().map(|message| with_room(message));
        Corpus::encode(&mut Source::Messages(messages.collect())).unwrap()
    }

    #[test]
    fn equal_contents_map_to_the_lower_index() {
        let corpus = corpus(&[b"a", b"bb", b"a"]);
        assert_eq!(
            (corpus.len(), corpus.distinct(), corpus.sizes()),
            (3, 2, (1, 2))
        );
        assert_eq!(corpus.recognise(Identity::Content, b"a"), Some(0));
        assert_eq!(corpus.recognise(Identity::Content, b"bb"), Some(1));
        assert_eq!(corpus.recognise(Identity::Content, b"c"), None);
    }

    #[test]
    fn a_header_number_counts_only_before_the_content_it_stands_for() {
        let corpus = corpus(&[b"a", b"b"]);
        let arrival = b"\x03\0\0\0\0\0\0\0b";
        assert_eq!(corpus.recognise(Identity::Header, arrival), Some(3));
        assert_eq!(strip(Identity::Header, arrival), b"b");
        assert_eq!(
            corpus.recognise(Identity::Header, b"\x02\0\0\0\0\0\0\0b"),
            None
        );
        assert_eq!(corpus.recognise(Identity::Header, b"short"), None);
    }
}
