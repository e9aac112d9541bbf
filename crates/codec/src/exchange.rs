//! Messages from the pack of one schema to the pack of another: a writer and a reader of two
//! versions.

use std::path::PathBuf;

use clap::Args;
use serde::Serialize;
use serde_json::value::RawValue;
use wirelab_codec::{Error, Pack};

use crate::{Inputs, print};

#[derive(Args)]
pub struct Exchange {
    /// The pack of the reader.
    reader: PathBuf,
    #[command(flatten)]
    writer: Inputs,
}

/// One message of one codec: its bytes in hexadecimal, and what the reader made of them.
#[derive(Serialize)]
struct Exchanged<'a> {
    codec: &'a str,
    message: usize,
    data: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    read: Option<Box<RawValue>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    failed: Option<String>,
}

/// Prints one line for each codec and message. The reader has no messages of its own.
pub fn run(exchange: Exchange) -> Result<(), Error> {
    let reader = Pack::load(&exchange.reader)?;
    let none = reader.corpus(b"")?;
    let loaded = exchange.writer.load()?;
    for codec in &loaded.codecs {
        let mut from = loaded.corpus.session(codec)?;
        let mut to = none.session(codec)?;
        for message in 0..from.len() {
            let bytes = from.encode(message)?;
            let data = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
            // A receiver decodes before it uses a message, and both must succeed.
            let read = to
                .decode(bytes)
                .and_then(|_| to.to_json(bytes).map(<[u8]>::to_vec))
                .and_then(|json| {
                    let text =
                        String::from_utf8(json).map_err(|error| Error::Pack(error.to_string()))?;
                    RawValue::from_string(text).map_err(|error| Error::Pack(error.to_string()))
                });
            let (read, failed) = match read {
                Ok(json) => (Some(json), None),
                Err(error) => (None, Some(error.to_string())),
            };
            print(&Exchanged {
                codec,
                message,
                data,
                read,
                failed,
            })?;
        }
    }
    Ok(())
}
