//! Rust declarations for `packs/abi/wirelab_pack.h`.

use std::ffi::{c_char, c_int, c_void};
use std::path::Path;

use libloading::Library;

use crate::error::Error;

/// The version of the ABI.
pub const VERSION: u32 = 1;

/// A phase of a codec.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize, clap::ValueEnum,
)]
#[serde(rename_all = "snake_case")]
#[value(rename_all = "snake_case")]
#[repr(u32)]
pub enum Phase {
    /// Native object to library object.
    Populate = 0,
    /// Library object to bytes.
    Encode = 1,
    /// Bytes to a readable view, without validation.
    Access = 2,
    /// Bytes to a readable view, with validation.
    AccessValidated = 3,
    /// Bytes to every field read.
    Decode = 4,
    /// Bytes to native object.
    Convert = 5,
    /// Native object to bytes.
    Serialize = 6,
    /// Bytes to every field read, in total: the cost at a receiver.
    Deserialize = 7,
}

impl std::str::FromStr for Phase {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        use serde::de::{Deserialize, IntoDeserializer, value};
        Self::deserialize(name.into_deserializer()).map_err(|error: value::Error| error.to_string())
    }
}

/// Result of a timed loop: `wl_timing`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, serde::Serialize)]
pub struct Timing {
    /// Wall time of the loop by CLOCK_MONOTONIC, in ns.
    pub wall_ns: u64,
    /// CPU time of the loop by CLOCK_THREAD_CPUTIME_ID, in ns.
    pub cpu_ns: u64,
    /// Number of operations.
    pub operations: u64,
    /// Encoded bytes produced or consumed.
    pub bytes: u64,
    /// Sum over all operations of what each read or wrote.
    pub checksum: u64,
}

type Handle = *mut c_void;

/// The functions of a loaded pack; valid as long as `library` is loaded.
pub(crate) struct Functions {
    pub describe: unsafe extern "C" fn() -> *const c_char,
    pub last_error: unsafe extern "C" fn() -> *const c_char,
    pub corpus_open: unsafe extern "C" fn(*const u8, usize, *mut Handle) -> c_int,
    pub corpus_len: unsafe extern "C" fn(*const c_void) -> u64,
    pub corpus_close: unsafe extern "C" fn(Handle),
    pub session_open: unsafe extern "C" fn(*const c_void, *const c_char, *mut Handle) -> c_int,
    pub session_close: unsafe extern "C" fn(Handle),
    pub encode: unsafe extern "C" fn(Handle, u64, *mut *const u8, *mut usize) -> c_int,
    pub decode: unsafe extern "C" fn(Handle, *const u8, usize, *mut u64) -> c_int,
    pub to_json:
        unsafe extern "C" fn(Handle, *const u8, usize, *mut *const u8, *mut usize) -> c_int,
    pub run: unsafe extern "C" fn(Handle, u32, u64, u64, u64, *mut Timing) -> c_int,
    _library: Library,
}

impl Functions {
    /// Loads a pack and resolves the functions of the ABI.
    pub(crate) fn load(path: &Path) -> Result<Self, Error> {
        let failed = |error: libloading::Error| Error::Load {
            path: path.to_owned(),
            why: sentence(&error),
        };
        // SAFETY: loading runs the library's initialisers; packs are built by us and have none.
        let library = unsafe { Library::new(path) }.map_err(failed)?;
        macro_rules! find {
            ($name:literal) => {
                // SAFETY: the field that is assigned has the type of this function in the header.
                *unsafe { library.get(concat!($name, "\0").as_bytes()) }.map_err(failed)?
            };
        }
        let version: unsafe extern "C" fn() -> u32 = find!("wl_abi_version");
        // SAFETY: it has no arguments and returns a number in every version of the ABI.
        let found = unsafe { version() };
        if found != VERSION {
            return Err(Error::Version {
                path: path.to_owned(),
                found,
            });
        }
        Ok(Self {
            describe: find!("wl_describe"),
            last_error: find!("wl_last_error"),
            corpus_open: find!("wl_corpus_open"),
            corpus_len: find!("wl_corpus_len"),
            corpus_close: find!("wl_corpus_close"),
            session_open: find!("wl_session_open"),
            session_close: find!("wl_session_close"),
            encode: find!("wl_encode"),
            decode: find!("wl_decode"),
            to_json: find!("wl_to_json"),
            run: find!("wl_run"),
            _library: library,
        })
    }

    /// Converts a return code to a result with the pack's error message.
    pub(crate) fn check(&self, code: c_int) -> Result<(), Error> {
        if code == 0 {
            return Ok(());
        }
        // SAFETY: the string is NUL-terminated and valid until this thread's next call.
        let text = unsafe { std::ffi::CStr::from_ptr((self.last_error)()) };
        Err(Error::Pack(text.to_string_lossy().into_owned()))
    }
}

fn sentence(error: &libloading::Error) -> String {
    let cause = std::error::Error::source(error).map(ToString::to_string);
    cause.unwrap_or_else(|| error.to_string())
}
