//! A codec pack around another one: it compresses what that one encodes.
//!
//! Peers load it like any pack (docs/contracts/pack.md), so compression is measured in every client
//! library, as a part of encoding and decoding. A copy of this library is named `libpack.so`; the
//! file `wire.json` next to it names the pack inside and the method. Phases are timed, and messages
//! are converted to JSON, in the pack inside: `wl_run` and `wl_to_json` are refused.

use std::cell::RefCell;
use std::ffi::{CStr, CString, OsStr, c_char, c_int, c_void};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use serde::Deserialize;
use wirelab_codec::{Corpus, Pack, Session};

pub mod compression;

use compression::{Method, Squeezer};

/// The largest message after decompression: a defence against bytes that are not ours.
const LARGEST: usize = 64 << 20;

#[derive(Deserialize)]
struct Settings {
    pack: PathBuf,
    method: Method,
}

struct Inner {
    pack: Pack,
    method: Method,
    describe: CString,
}

/// A codec session of the pack inside, with compression around it.
pub struct WireSession {
    session: Session,
    squeezer: Squeezer,
    out: Vec<u8>,
}

thread_local! {
    static LAST_ERROR: RefCell<CString> = RefCell::default();
}

fn inner() -> Result<&'static Inner, String> {
    static INNER: OnceLock<Result<Inner, String>> = OnceLock::new();
    INNER
        .get_or_init(|| open(&own_path()?))
        .as_ref()
        .map_err(Clone::clone)
}

fn open(library: &Path) -> Result<Inner, String> {
    let file = library.with_file_name("wire.json");
    let text = std::fs::read(&file).map_err(|error| format!("{}: {error}", file.display()))?;
    let settings: Settings =
        serde_json::from_slice(&text).map_err(|error| format!("{}: {error}", file.display()))?;
    let pack = Pack::load(&settings.pack).map_err(|error| error.to_string())?;
    let folder = settings.pack.with_file_name("describe.json");
    let describe =
        std::fs::read(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    Ok(Inner {
        pack,
        method: settings.method,
        describe: CString::new(describe).map_err(|error| error.to_string())?,
    })
}

/// The file from which this library was loaded.
fn own_path() -> Result<PathBuf, String> {
    // SAFETY: `Dl_info` is plain data.
    let mut info: libc::Dl_info = unsafe { std::mem::zeroed() };
    let address = wl_abi_version as extern "C" fn() -> u32 as *const c_void;
    // SAFETY: the address is of a function of this library, and `info` is writable.
    if unsafe { libc::dladdr(address, &mut info) } == 0 {
        return Err("the file of this library is not known".to_owned());
    }
    // SAFETY: dladdr returned a NUL-terminated name that lives as long as the library.
    let name = unsafe { CStr::from_ptr(info.dli_fname) };
    Ok(PathBuf::from(OsStr::from_bytes(name.to_bytes())))
}

/// Keeps the message of an error; the code of the ABI.
fn code(result: Result<(), String>) -> c_int {
    match result {
        Ok(()) => 0,
        Err(why) => {
            let text = CString::new(why.replace('\0', " ")).unwrap_or_default();
            LAST_ERROR.with(|kept| *kept.borrow_mut() = text);
            1
        }
    }
}

/// The version of the ABI.
#[unsafe(no_mangle)]
pub extern "C" fn wl_abi_version() -> u32 {
    1
}

/// The description of the pack inside.
#[unsafe(no_mangle)]
pub extern "C" fn wl_describe() -> *const c_char {
    match inner() {
        Ok(inner) => inner.describe.as_ptr(),
        Err(why) => {
            code(Err(why));
            wl_last_error()
        }
    }
}

/// The message of the last error of this thread.
#[unsafe(no_mangle)]
pub extern "C" fn wl_last_error() -> *const c_char {
    LAST_ERROR.with(|kept| kept.borrow().as_ptr())
}

/// Opens a corpus in the pack inside.
///
/// # Safety
/// As `wirelab_pack.h` says of its arguments.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wl_corpus_open(
    jsonl: *const u8,
    len: usize,
    out: *mut *mut Corpus,
) -> c_int {
    // SAFETY: the caller passes `len` readable bytes.
    let text = unsafe { std::slice::from_raw_parts(jsonl, len) };
    code(inner().and_then(|inner| {
        let corpus = inner.pack.corpus(text).map_err(|error| error.to_string())?;
        // SAFETY: the caller passes a writable pointer.
        unsafe { *out = Box::into_raw(Box::new(corpus)) };
        Ok(())
    }))
}

/// Number of messages.
///
/// # Safety
/// The corpus is open.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wl_corpus_len(corpus: *const Corpus) -> u64 {
    // SAFETY: the caller passes an open corpus.
    unsafe { (*corpus).len() as u64 }
}

/// Closes a corpus.
///
/// # Safety
/// The corpus is open, and its sessions are closed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wl_corpus_close(corpus: *mut Corpus) {
    // SAFETY: the corpus comes from `wl_corpus_open`, and this is its last use.
    drop(unsafe { Box::from_raw(corpus) });
}

/// Opens a codec.
///
/// # Safety
/// As `wirelab_pack.h` says of its arguments.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wl_session_open(
    corpus: *const Corpus,
    codec: *const c_char,
    out: *mut *mut WireSession,
) -> c_int {
    // SAFETY: the caller passes an open corpus and a NUL-terminated name.
    let (corpus, codec) = unsafe { (&*corpus, CStr::from_ptr(codec)) };
    code(inner().and_then(|inner| {
        let session = corpus
            .session(&codec.to_string_lossy())
            .map_err(|error| error.to_string())?;
        let squeezer = Squeezer::new(inner.method).map_err(|error| error.to_string())?;
        let opened = WireSession {
            session,
            squeezer,
            out: Vec::new(),
        };
        // SAFETY: the caller passes a writable pointer.
        unsafe { *out = Box::into_raw(Box::new(opened)) };
        Ok(())
    }))
}

/// Closes a session.
///
/// # Safety
/// The session is open.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wl_session_close(session: *mut WireSession) {
    // SAFETY: the session comes from `wl_session_open`, and this is its last use.
    drop(unsafe { Box::from_raw(session) });
}

/// Encodes and compresses message `index`.
///
/// # Safety
/// As `wirelab_pack.h` says of its arguments.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wl_encode(
    session: *mut WireSession,
    index: u64,
    out: *mut *const u8,
    len: *mut usize,
) -> c_int {
    // SAFETY: the caller passes an open session that no other thread uses.
    let WireSession {
        session,
        squeezer,
        out: kept,
    } = unsafe { &mut *session };
    code((|| {
        let message = session
            .encode(index as usize)
            .map_err(|error| error.to_string())?;
        *kept = squeezer
            .compress(message)
            .map_err(|error| error.to_string())?;
        // SAFETY: the caller passes writable pointers; the bytes live until the next call.
        unsafe { (*out, *len) = (kept.as_ptr(), kept.len()) };
        Ok(())
    })())
}

/// Decompresses a message and reads every field of it.
///
/// # Safety
/// As `wirelab_pack.h` says of its arguments.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wl_decode(
    session: *mut WireSession,
    bytes: *const u8,
    len: usize,
    checksum: *mut u64,
) -> c_int {
    // SAFETY: the caller passes an open session that no other thread uses, and `len` bytes.
    let (wire, bytes) = unsafe { (&mut *session, std::slice::from_raw_parts(bytes, len)) };
    code((|| {
        let message = wire
            .squeezer
            .decompress(bytes, LARGEST)
            .map_err(|error| error.to_string())?;
        let read = wire
            .session
            .decode(&message)
            .map_err(|error| error.to_string())?;
        // SAFETY: the caller passes a writable pointer.
        unsafe { *checksum = read };
        Ok(())
    })())
}

/// Refused: the pack inside converts its own messages.
#[unsafe(no_mangle)]
pub extern "C" fn wl_to_json(
    _: *mut c_void,
    _: *const u8,
    _: usize,
    _: *mut *const u8,
    _: *mut usize,
) -> c_int {
    code(Err("a compressed pack is not converted to JSON".to_owned()))
}

/// Refused: phases are timed in the pack inside.
#[unsafe(no_mangle)]
pub extern "C" fn wl_run(_: *mut c_void, _: u32, _: u64, _: u64, _: u64, _: *mut c_void) -> c_int {
    code(Err("phases are timed without compression".to_owned()))
}
