//! Encoded bytes of every message.

use serde::Serialize;
use wirelab_codec::Error;

use crate::{Loaded, print};

#[derive(Serialize)]
struct Sizes<'a> {
    codec: &'a str,
    bytes: Vec<usize>,
}

/// Prints the sizes, one line per codec.
pub fn run(loaded: &Loaded) -> Result<(), Error> {
    for codec in &loaded.codecs {
        let mut session = loaded.corpus.session(codec)?;
        let bytes = (0..session.len())
            .map(|index| session.encode(index).map(<[u8]>::len))
            .collect::<Result<_, _>>()?;
        print(&Sizes { codec, bytes })?;
    }
    Ok(())
}
