//! A codec's messages, split into a training set for the dictionary and a measured set.

use wirelab_codec::Corpus;

/// With fewer messages a dictionary is not meaningful.
const MIN_TRAINED: usize = 8;
/// Maximum number of training messages, and of measured messages.
const MAX_MESSAGES: usize = 1000;
/// zstd's default dictionary size, and its maximum share of the training bytes.
const MAX_DICTIONARY: usize = 112_640;
const DICTIONARY_SHARE: usize = 10;

/// The encoded messages of one codec.
pub struct Messages {
    /// `format/library`.
    pub codec: String,
    /// The measured set: later in the corpus than the training set, or all messages if there are
    /// too few to split.
    pub measured: Vec<Vec<u8>>,
    /// Index in the corpus of the first measured message.
    pub first: usize,
    /// Number of training messages.
    pub trained_on: usize,
    /// The dictionary, or why there is none.
    pub dictionary: Result<Vec<u8>, String>,
}

impl Messages {
    /// Encodes a corpus and trains the dictionary on its first half.
    pub fn encode(corpus: &Corpus, codec: &str) -> Result<Self, String> {
        let mut session = corpus.session(codec).map_err(|error| error.to_string())?;
        let all = (0..session.len())
            .map(|index| session.encode(index).map(<[u8]>::to_vec))
            .collect::<Result<Vec<_>, _>>()
            .map_err(|error| error.to_string())?;
        Ok(Self::split(codec, &all))
    }

    /// Splits already encoded messages: equally many per codec, each a length (u32, little-endian)
    /// and its bytes.
    pub fn read(mut file: &[u8], codecs: &[String]) -> Result<Vec<Self>, String> {
        let mut all = Vec::new();
        while !file.is_empty() {
            let Some((message, rest)) = first(file) else {
                return Err("encoded messages: the last one is truncated".into());
            };
            all.push(message.to_vec());
            file = rest;
        }
        let each = all.len() / codecs.len();
        if each == 0 || each * codecs.len() != all.len() {
            return Err(format!(
                "encoded messages: {} is not a multiple of {} codecs",
                all.len(),
                codecs.len()
            ));
        }
        let parts = codecs.iter().zip(all.chunks(each));
        Ok(parts
            .map(|(codec, part)| Self::split(codec, part))
            .collect())
    }

    fn split(codec: &str, all: &[Vec<u8>]) -> Self {
        let half = all.len() / 2;
        let enough = half >= MIN_TRAINED;
        let trained = &all[..if enough { half.min(MAX_MESSAGES) } else { 0 }];
        let measured = &all[if enough { half } else { 0 }..];
        let dictionary = if enough {
            train(trained)
        } else {
            Err(format!(
                "a dictionary needs {} messages: half to train, half to measure",
                2 * MIN_TRAINED
            ))
        };
        Self {
            codec: codec.to_owned(),
            measured: measured[..measured.len().min(MAX_MESSAGES)].to_vec(),
            first: if enough { half } else { 0 },
            trained_on: trained.len(),
            dictionary,
        }
    }
}

/// A length-prefixed message, and the bytes after it.
fn first(file: &[u8]) -> Option<(&[u8], &[u8])> {
    let (length, rest) = file.split_first_chunk()?;
    rest.split_at_checked(u32::from_le_bytes(*length) as usize)
}

fn train(samples: &[Vec<u8>]) -> Result<Vec<u8>, String> {
    let total: usize = samples.iter().map(Vec::len).sum();
    let room = (total / DICTIONARY_SHARE).clamp(256, MAX_DICTIONARY);
    zstd::dict::from_samples(samples, room)
        .map_err(|error| format!("no dictionary from {total} bytes: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbered(count: usize) -> Vec<Vec<u8>> {
        let line = |at: usize| {
            format!(
                "{{\"name\":\"sensor {at}\",\"value\":{}}}",
                at * 7919 % 1000
            )
        };
        (0..count).map(|at| line(at).into_bytes()).collect()
    }

    #[test]
    fn a_dictionary_is_trained_on_the_first_half_and_all_is_measured_on_the_second() {
        let all = numbered(100);
        let messages = Messages::split("json/x", &all);
        assert_eq!(messages.trained_on, 50);
        assert_eq!(messages.measured, all[50..]);
        assert_eq!(messages.first, 50);
        let size = messages.dictionary.unwrap().len();
        assert!((100..=256).contains(&size), "{size}");
    }

    #[test]
    fn too_few_messages_are_all_measured_and_give_no_dictionary() {
        let all = numbered(15);
        let messages = Messages::split("json/x", &all);
        assert_eq!(messages.measured, all);
        assert_eq!(
            messages.dictionary.unwrap_err(),
            "a dictionary needs 16 messages: half to train, half to measure"
        );
    }

    #[test]
    fn what_another_program_encoded_is_taken_apart_by_codec() {
        let codecs = ["json/x".to_owned(), "cbor/y".to_owned()];
        let file = b"\x01\0\0\0a\x02\0\0\0bc\0\0\0\0\x01\0\0\0d";
        let found = Messages::read(file, &codecs).unwrap();
        let by_codec: Vec<_> = found
            .iter()
            .map(|one| (&*one.codec, &*one.measured))
            .collect();
        let (one, other) = ([b"a".to_vec(), b"bc".to_vec()], [vec![], b"d".to_vec()]);
        assert_eq!(by_codec, [("json/x", &one[..]), ("cbor/y", &other[..])]);
        let refused = |file: &[u8]| Messages::read(file, &codecs).err().unwrap();
        assert_eq!(
            refused(&file[..8]),
            "encoded messages: the last one is truncated"
        );
        assert_eq!(
            refused(&file[..5]),
            "encoded messages: 1 is not a multiple of 2 codecs"
        );
    }
}
