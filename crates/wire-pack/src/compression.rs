//! Compression of one message at a time, at the default levels of the libraries.

use std::io::{ErrorKind, Read, Write};

use flate2::Compression;
use flate2::bufread::GzDecoder;
use flate2::write::GzEncoder;
use serde::Deserialize;
use zstd::bulk::{Compressor, Decompressor};

const GZIP_LEVEL: u32 = 6;
const ZSTD_LEVEL: i32 = 3;

/// A compression method.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Method {
    /// gzip (RFC 1952), a new state per message.
    Gzip,
    /// zstd (RFC 8878), a new frame per message; contexts are reused.
    Zstd,
}

/// A method with its state.
pub enum Squeezer {
    /// gzip has no state between messages.
    Gzip,
    /// The contexts of zstd.
    Zstd(Box<(Compressor<'static>, Decompressor<'static>)>),
}

impl Squeezer {
    /// A compressor and decompressor.
    ///
    /// # Errors
    /// If zstd has no memory.
    pub fn new(method: Method) -> std::io::Result<Self> {
        Ok(match method {
            Method::Gzip => Self::Gzip,
            Method::Zstd => Self::Zstd(Box::new((
                Compressor::new(ZSTD_LEVEL)?,
                Decompressor::new()?,
            ))),
        })
    }

    /// Compresses a message.
    ///
    /// # Errors
    /// Those of the library.
    pub fn compress(&mut self, message: &[u8]) -> std::io::Result<Vec<u8>> {
        match self {
            Self::Gzip => {
                let mut encoder = GzEncoder::new(Vec::new(), Compression::new(GZIP_LEVEL));
                encoder.write_all(message)?;
                encoder.finish()
            }
            Self::Zstd(contexts) => contexts.0.compress(message),
        }
    }

    /// Decompresses one complete message of at most `limit` bytes.
    ///
    /// # Errors
    /// Bytes that are not one, or that are longer.
    pub fn decompress(&mut self, bytes: &[u8], limit: usize) -> std::io::Result<Vec<u8>> {
        match self {
            Self::Gzip => {
                let mut message = Vec::new();
                let mut reader = GzDecoder::new(bytes).take(limit as u64 + 1);
                reader.read_to_end(&mut message)?;
                let is_whole = message.len() <= limit && reader.into_inner().get_ref().is_empty();
                if is_whole {
                    Ok(message)
                } else {
                    Err(ErrorKind::InvalidData.into())
                }
            }
            Self::Zstd(contexts) => {
                let size = zstd::zstd_safe::get_frame_content_size(bytes)
                    .ok()
                    .flatten();
                let size = size.and_then(|size| usize::try_from(size).ok());
                match size {
                    Some(size) if size <= limit => contexts.1.decompress(bytes, size),
                    _ => Err(ErrorKind::InvalidData.into()),
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_comes_back_from_each_method_and_is_smaller() {
        let message = b"temperature temperature temperature temperature".repeat(4);
        for method in [Method::Gzip, Method::Zstd] {
            let mut squeezer = Squeezer::new(method).unwrap();
            let small = squeezer.compress(&message).unwrap();
            assert!(small.len() < message.len() / 2);
            assert_eq!(squeezer.decompress(&small, 1 << 20).unwrap(), message);
        }
    }

    #[test]
    fn a_method_writes_the_magic_number_of_its_format() {
        let first = |method| Squeezer::new(method).unwrap().compress(b"abc").unwrap()[..2].to_vec();
        assert_eq!(first(Method::Gzip), [0x1f, 0x8b]);
        assert_eq!(first(Method::Zstd), [0x28, 0xb5]);
    }

    #[test]
    fn bytes_that_are_not_compressed_are_an_error() {
        for method in [Method::Gzip, Method::Zstd] {
            assert!(
                Squeezer::new(method)
                    .unwrap()
                    .decompress(b"abc", 100)
                    .is_err()
            );
        }
    }

    #[test]
    fn a_longer_message_and_bytes_after_it_are_errors() {
        for method in [Method::Gzip, Method::Zstd] {
            let mut squeezer = Squeezer::new(method).unwrap();
            let small = squeezer.compress(b"abc").unwrap();
            assert_eq!(squeezer.decompress(&small, 3).unwrap(), b"abc");
            assert!(squeezer.decompress(&small, 2).is_err());
            assert!(
                squeezer
                    .decompress(&[&small[..], b"x"].concat(), 3)
                    .is_err()
            );
            assert!(squeezer.decompress(&small.repeat(2), 100).is_err());
        }
    }
}
