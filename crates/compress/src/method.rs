//! Compression methods.

use std::io::{Read, Write};

use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use zstd::zstd_safe::{CCtx, CParameter, DCtx, get_error_name};

/// The default levels of gzip and zstd.
pub const GZIP_LEVEL: u32 = 6;
pub const ZSTD_LEVEL: i32 = 3;

/// A compression method.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// No compression, for comparison.
    None,
    /// gzip (RFC 1952) with a new state per message.
    Gzip,
    /// zstd (RFC 8878) with a new frame per message.
    Zstd,
    /// zstd with a dictionary that both sides have.
    ZstdDict,
    /// zstd with the previous message as its prefix, which both sides have: a delta for any format.
    ZstdPrev,
}

impl Method {
    /// All methods.
    pub const ALL: [Self; 5] = [
        Self::None,
        Self::Gzip,
        Self::Zstd,
        Self::ZstdDict,
        Self::ZstdPrev,
    ];

    /// The compression level; 0 if there is none.
    pub fn level(self) -> i32 {
        match self {
            Self::None => 0,
            Self::Gzip => GZIP_LEVEL as i32,
            _ => ZSTD_LEVEL,
        }
    }
}

/// A method with its state; zstd's contexts are reused, as its manual recommends.
pub struct Squeezer<'a> {
    method: Method,
    compressor: CCtx<'a>,
    decompressor: DCtx<'a>,
}

impl<'a> Squeezer<'a> {
    /// A compressor. `dictionary` is used by `ZstdDict` only.
    pub fn new(method: Method, dictionary: &[u8]) -> Result<Self, String> {
        let (mut compressor, mut decompressor) = (CCtx::create(), DCtx::create());
        compressor
            .set_parameter(CParameter::CompressionLevel(ZSTD_LEVEL))
            .map_err(name)?;
        if method == Method::ZstdDict {
            compressor.load_dictionary(dictionary).map_err(name)?;
            decompressor.load_dictionary(dictionary).map_err(name)?;
        }
        Ok(Self {
            method,
            compressor,
            decompressor,
        })
    }

    /// Compresses `data` into `out`, which is cleared first. `before` is the previous message.
    pub fn compress(
        &mut self,
        data: &[u8],
        before: &'a [u8],
        out: &mut Vec<u8>,
    ) -> Result<(), String> {
        out.clear();
        match self.method {
            Method::None => out.extend_from_slice(data),
            Method::Gzip => {
                let mut encoder = GzEncoder::new(&mut *out, Compression::new(GZIP_LEVEL));
                encoder.write_all(data).map_err(|error| error.to_string())?;
                encoder.finish().map_err(|error| error.to_string())?;
            }
            _ => {
                if self.method == Method::ZstdPrev {
                    self.compressor.ref_prefix(before).map_err(name)?;
                }
                out.reserve(zstd::zstd_safe::compress_bound(data.len()));
                self.compressor.compress2(out, data).map_err(name)?;
            }
        }
        Ok(())
    }

    /// Decompresses; `size` is that of the original data.
    pub fn decompress(
        &mut self,
        data: &[u8],
        before: &'a [u8],
        size: usize,
        out: &mut Vec<u8>,
    ) -> Result<(), String> {
        out.clear();
        match self.method {
            Method::None => out.extend_from_slice(data),
            Method::Gzip => {
                let mut decoder = GzDecoder::new(data);
                decoder
                    .read_to_end(out)
                    .map_err(|error| error.to_string())?;
            }
            _ => {
                if self.method == Method::ZstdPrev {
                    self.decompressor.ref_prefix(before).map_err(name)?;
                }
                out.reserve(size);
                self.decompressor.decompress(out, data).map_err(name)?;
            }
        }
        Ok(())
    }
}

fn name(code: usize) -> String {
    format!("zstd: {}", get_error_name(code))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_method_gives_the_bytes_back() {
        let (before, data) = (
            b"speed 41, heading 7".repeat(9),
            b"speed 42, heading 7".repeat(9),
        );
        for method in Method::ALL {
            let mut squeezer = Squeezer::new(method, b"speed heading").unwrap();
            let (mut small, mut back) = (Vec::new(), Vec::new());
            for _ in 0..2 {
                squeezer.compress(&data, &before, &mut small).unwrap();
                squeezer
                    .decompress(&small, &before, data.len(), &mut back)
                    .unwrap();
                assert_eq!(back, data, "{method:?}");
            }
        }
    }

    #[test]
    fn a_message_equal_to_the_one_before_takes_next_to_nothing() {
        // zstd uses nothing from a prefix that overlaps the data in memory.
        let data: Vec<u8> = (0..=255).collect();
        let before = data.clone();
        let mut squeezer = Squeezer::new(Method::ZstdPrev, &[]).unwrap();
        let mut small = Vec::new();
        squeezer.compress(&data, &before, &mut small).unwrap();
        assert!(small.len() < 24, "{}", small.len());
        squeezer.compress(&data, &[], &mut small).unwrap();
        assert!(small.len() > 256, "{}", small.len());
    }
}
