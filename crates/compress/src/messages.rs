//! A codec's messages, split into those a dictionary is trained on and those that everything is measured on.

use wirelab_codec::Corpus;

/// Fewer messages than this give no dictionary that tells anything.
const MIN_TRAINED: usize = 8;
/// As many messages are trained on, and as many measured, at most.
const MAX_MESSAGES: usize = 1000;
/// zstd's own default for the size of a dictionary, and the share of the training messages' bytes it takes at most.
const MAX_DICTIONARY: usize = 112_640;
const DICTIONARY_SHARE: usize = 10;

/// The encoded messages of one codec.
pub struct Messages {
    /// `format/library`.
    pub codec: String,
    /// What everything is measured on: later in the corpus than what was trained on, or all where too few to split.
    pub measured: Vec<Vec<u8>>,
    /// The place in the corpus of the first of them.
    pub first: usize,
    /// Messages trained on.
    pub trained_on: usize,
    /// The dictionary, or why there is none.
    pub dictionary: Result<Vec<u8>, String>,
}

impl Messages {
    /// Encode a corpus and train the dictionary on its first half.
    pub fn encode(corpus: &Corpus, codec: &str) -> Result<Self, String> {
        let mut session = corpus.session(codec).map_err(|error| error.to_string())?;
        let all = (0..session.len())
            .map(|index| session.encode(index).map(<[u8]>::to_vec))
            .collect::<Result<Vec<_>, _>>()
            .map_err(|error| error.to_string())?;
        Ok(Self::split(codec, &all))
    }

    /// Take apart what another program encoded: as many messages of each codec, each a length (u32, little-endian) and its bytes.
    pub fn read(mut file: &[u8], codecs: &[String]) -> Result<Vec<Self>, String> {
        let mut all = Vec::new();
        while !file.is_empty() {
            let Some((message, rest)) = first(file) else {
                return Err("encoded messages: the last one is cut short".into());
            };
            all.push(message.to_vec());
            file = rest;
        }
        let each = all.len() / codecs.len();
        if each == 0 || each * codecs.len() != all.len() {
            return Err(format!(
                "encoded messages: {} are not as many of each of {} codecs",
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
                "a dictionary takes {} messages: half to train, half to measure",
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

/// A message that stands behind its length, and what follows it.
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
            "a dictionary takes 16 messages: half to train, half to measure"
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
            "encoded messages: the last one is cut short"
        );
        assert_eq!(
            refused(&file[..5]),
            "encoded messages: 1 are not as many of each of 2 codecs"
        );
    }
}
