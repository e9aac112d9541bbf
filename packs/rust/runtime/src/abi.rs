//! The C ABI of `wirelab_pack.h`, generic over the native message type. Panics do not leave these
//! functions.

use std::cell::RefCell;
use std::ffi::{CStr, CString, c_char, c_int};
use std::panic::{AssertUnwindSafe, catch_unwind};

use serde::de::DeserializeOwned;

use crate::codec::{Failure, Phase};
use crate::corpus::Corpus;
use crate::session::{AnySession, Timing};

/// The ABI version of this runtime.
pub const VERSION: u32 = 1;
const REFUSED: c_int = -1;
const PANICKED: c_int = -2;

/// What `wl_session` points to.
pub type SessionHandle = Box<dyn AnySession>;

thread_local! {
    static LAST_ERROR: RefCell<CString> = RefCell::new(CString::default());
}

fn keep(sentence: &str) {
    let printable = sentence.replace('\0', " ");
    LAST_ERROR.with(|last| *last.borrow_mut() = CString::new(printable).unwrap_or_default());
}

/// The message of this thread's last error.
pub fn last_error() -> *const c_char {
    LAST_ERROR.with(|last| last.borrow().as_ptr())
}

fn guarded(work: impl FnOnce() -> Result<(), Failure>) -> c_int {
    match catch_unwind(AssertUnwindSafe(work)) {
        Ok(Ok(())) => 0,
        Ok(Err(failure)) => {
            keep(&failure.to_string());
            REFUSED
        }
        Err(panic) => {
            let text = panic.downcast_ref::<&str>().copied();
            let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
            keep(&format!("the library panicked: {}", text.unwrap_or("no message")));
            PANICKED
        }
    }
}

/// # Safety
/// `data` points to `len` readable bytes, or `len` is zero.
unsafe fn slice<'a>(data: *const u8, len: usize) -> &'a [u8] {
    if len == 0 {
        return &[];
    }
    // SAFETY: the caller guarantees `len` bytes at `data`.
    unsafe { std::slice::from_raw_parts(data, len) }
}

/// `wl_corpus_open`.
///
/// # Safety
/// As in the header: `jsonl` points to `len` bytes, `out` is writable.
pub unsafe fn corpus_open<N: DeserializeOwned>(jsonl: *const u8, len: usize, out: *mut *mut Corpus<N>) -> c_int {
    guarded(|| {
        // SAFETY: `jsonl` and `len` describe the caller's buffer.
        let corpus = Corpus::parse(unsafe { slice(jsonl, len) })?;
        // SAFETY: `out` is a writable pointer by contract.
        unsafe { *out = Box::into_raw(Box::new(corpus)) };
        Ok(())
    })
}

/// `wl_corpus_len`.
///
/// # Safety
/// `corpus` came from [`corpus_open`] and is not closed.
pub unsafe fn corpus_len<N>(corpus: *const Corpus<N>) -> u64 {
    // SAFETY: by contract the corpus is alive.
    unsafe { (*corpus).len() as u64 }
}

/// `wl_corpus_close` and `wl_session_close`.
///
/// # Safety
/// `handle` is null or came from the matching open, and is not used again.
pub unsafe fn close<T>(handle: *mut T) {
    if !handle.is_null() {
        // A panic in a destructor must not leave the function either.
        let _ = guarded(|| {
            // SAFETY: by contract it was made by Box::into_raw and is closed once.
            drop(unsafe { Box::from_raw(handle) });
            Ok(())
        });
    }
}

/// `wl_session_open`; `open` finds the codec by its name.
///
/// # Safety
/// `corpus` is live, `codec` is NUL-terminated, `out` is writable.
pub unsafe fn session_open<N>(
    corpus: *const Corpus<N>,
    codec: *const c_char,
    out: *mut *mut SessionHandle,
    open: impl FnOnce(&Corpus<N>, &str) -> Result<SessionHandle, Failure>,
) -> c_int {
    guarded(|| {
        // SAFETY: by contract a NUL-terminated string.
        let name = unsafe { CStr::from_ptr(codec) }.to_str()?;
        // SAFETY: by contract the corpus is alive.
        let session = open(unsafe { &*corpus }, name)?;
        // SAFETY: `out` is writable by contract.
        unsafe { *out = Box::into_raw(Box::new(session)) };
        Ok(())
    })
}

/// `wl_encode`.
///
/// # Safety
/// `session` is live and used by this thread alone; `out` and `len` are writable.
pub unsafe fn encode(session: *mut SessionHandle, index: u64, out: *mut *const u8, len: *mut usize) -> c_int {
    guarded(|| {
        // SAFETY: by contract a live session of this thread.
        let bytes = unsafe { &mut *session }.encode(index)?;
        // SAFETY: both are writable by contract.
        unsafe {
            *out = bytes.as_ptr();
            *len = bytes.len();
        }
        Ok(())
    })
}

/// `wl_decode`.
///
/// # Safety
/// `session` is live and used by this thread alone; `bytes` points to `len` bytes; `checksum` is
/// writable.
pub unsafe fn decode(session: *mut SessionHandle, bytes: *const u8, len: usize, checksum: *mut u64) -> c_int {
    guarded(|| {
        // SAFETY: by contract a live session of this thread, and the caller's own buffer.
        let value = unsafe { (*session).decode(slice(bytes, len)) }?;
        // SAFETY: writable by contract.
        unsafe { *checksum = value };
        Ok(())
    })
}

/// `wl_to_json`.
///
/// # Safety
/// `session` is live and used by this thread alone; `bytes` points to `len` bytes; `out` and
/// `out_len` are writable.
pub unsafe fn to_json(
    session: *mut SessionHandle,
    bytes: *const u8,
    len: usize,
    out: *mut *const u8,
    out_len: *mut usize,
) -> c_int {
    guarded(|| {
        // SAFETY: by contract a live session of this thread, and the caller's own buffer.
        let json = unsafe { (*session).to_json(slice(bytes, len)) }?;
        // SAFETY: both are writable by contract.
        unsafe {
            *out = json.as_ptr();
            *out_len = json.len();
        }
        Ok(())
    })
}

/// `wl_run`.
///
/// # Safety
/// `session` is live and used by this thread alone; `out` is writable.
pub unsafe fn run(
    session: *mut SessionHandle,
    phase: u32,
    first: u64,
    count: u64,
    iterations: u64,
    out: *mut Timing,
) -> c_int {
    guarded(|| {
        let phase = Phase::from_number(phase).ok_or_else(|| format!("there is no phase {phase}"))?;
        // SAFETY: by contract a live session of this thread.
        let timing = unsafe { &mut *session }.run(phase, first, count, iterations)?;
        // SAFETY: writable by contract.
        unsafe { *out = timing };
        Ok(())
    })
}

/// Defines the exported functions of a pack from its native message type, its description (JSON, a
/// C string) and the function that opens a session by codec name.
#[macro_export]
macro_rules! export_pack {
    ($native:ty, $describe:expr, $open:path) => {
        mod exported {
            #![allow(unsafe_code)]
            use std::ffi::{c_char, c_int};

            use super::*;
            use $crate::abi::{self, SessionHandle};

            #[unsafe(no_mangle)]
            extern "C" fn wl_abi_version() -> u32 {
                abi::VERSION
            }
            #[unsafe(no_mangle)]
            extern "C" fn wl_describe() -> *const c_char {
                let text: &std::ffi::CStr = $describe;
                text.as_ptr()
            }
            #[unsafe(no_mangle)]
            extern "C" fn wl_last_error() -> *const c_char {
                abi::last_error()
            }
            // SAFETY, for all below: the caller must uphold the header's conditions, which are
            // those of the called functions.
            #[unsafe(no_mangle)]
            unsafe extern "C" fn wl_corpus_open(
                jsonl: *const u8,
                len: usize,
                out: *mut *mut $crate::Corpus<$native>,
            ) -> c_int {
                unsafe { abi::corpus_open(jsonl, len, out) }
            }
            #[unsafe(no_mangle)]
            unsafe extern "C" fn wl_corpus_len(corpus: *const $crate::Corpus<$native>) -> u64 {
                unsafe { abi::corpus_len(corpus) }
            }
            #[unsafe(no_mangle)]
            unsafe extern "C" fn wl_corpus_close(corpus: *mut $crate::Corpus<$native>) {
                unsafe { abi::close(corpus) }
            }
            #[unsafe(no_mangle)]
            unsafe extern "C" fn wl_session_open(
                corpus: *const $crate::Corpus<$native>,
                codec: *const c_char,
                out: *mut *mut SessionHandle,
            ) -> c_int {
                unsafe { abi::session_open(corpus, codec, out, $open) }
            }
            #[unsafe(no_mangle)]
            unsafe extern "C" fn wl_session_close(session: *mut SessionHandle) {
                unsafe { abi::close(session) }
            }
            #[unsafe(no_mangle)]
            unsafe extern "C" fn wl_encode(
                session: *mut SessionHandle,
                index: u64,
                out: *mut *const u8,
                len: *mut usize,
            ) -> c_int {
                unsafe { abi::encode(session, index, out, len) }
            }
            #[unsafe(no_mangle)]
            unsafe extern "C" fn wl_decode(
                session: *mut SessionHandle,
                bytes: *const u8,
                len: usize,
                checksum: *mut u64,
            ) -> c_int {
                unsafe { abi::decode(session, bytes, len, checksum) }
            }
            #[unsafe(no_mangle)]
            unsafe extern "C" fn wl_to_json(
                session: *mut SessionHandle,
                bytes: *const u8,
                len: usize,
                out: *mut *const u8,
                out_len: *mut usize,
            ) -> c_int {
                unsafe { abi::to_json(session, bytes, len, out, out_len) }
            }
            #[unsafe(no_mangle)]
            unsafe extern "C" fn wl_run(
                session: *mut SessionHandle,
                phase: u32,
                first: u64,
                count: u64,
                iterations: u64,
                out: *mut $crate::Timing,
            ) -> c_int {
                unsafe { abi::run(session, phase, first, count, iterations, out) }
            }
        }
    };
}
