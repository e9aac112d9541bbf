//! The messages under test, as native objects.

use std::sync::Arc;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::ser::Formatter;

use crate::codec::Failure;

/// The form of a corpus: compact, and distinguishable from that of a codec by its type.
struct Compact;

impl Formatter for Compact {}

/// Appends a message in the JSON in which a corpus has it.
///
/// # Errors
/// Those of the message.
pub(crate) fn write_json<T: Serialize>(message: &T, out: &mut Vec<u8>) -> Result<(), Failure> {
    Ok(message.serialize(&mut serde_json::Serializer::with_formatter(out, Compact))?)
}

/// Native objects, shared by all sessions on them.
#[derive(Debug)]
pub struct Corpus<N> {
    messages: Arc<Vec<N>>,
}

impl<N: DeserializeOwned> Corpus<N> {
    /// Parses JSON Lines; blank lines are ignored.
    ///
    /// # Errors
    /// Names the line that is not valid JSON or does not match the schema.
    pub fn parse(jsonl: &[u8]) -> Result<Self, Failure> {
        let mut messages = Vec::new();
        for (number, line) in jsonl.split(|byte| *byte == b'\n').enumerate() {
            if line.trim_ascii().is_empty() {
                continue;
            }
            let message =
                serde_json::from_slice(line).map_err(|error| format!("corpus line {}: {error}", number + 1))?;
            messages.push(message);
        }
        Ok(Self { messages: Arc::new(messages) })
    }
}

impl<N> Corpus<N> {
    /// Number of messages.
    pub fn len(&self) -> usize {
        self.messages.len()
    }

    /// Whether the corpus is empty.
    pub fn is_empty(&self) -> bool {
        self.messages.is_empty()
    }

    /// The messages themselves.
    pub fn share(&self) -> Arc<Vec<N>> {
        Arc::clone(&self.messages)
    }
}
