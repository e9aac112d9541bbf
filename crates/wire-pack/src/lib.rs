//! A codec pack around another one: what that one encodes, in batches, compressed.
//!
//! Peers load it like any pack (docs/contracts/pack.md), so batches and compression are measured in
//! every client library, as a part of encoding and decoding. To a peer a batch is one message. A
//! copy of this library is named `libpack.so`; the file `wire.json` next to it names the pack
//! inside, the method and the size of a batch. Phases are timed, and messages are converted to
//! JSON, in the pack inside: `wl_run` and `wl_to_json` are refused.

use std::borrow::Cow;
use std::cell::RefCell;
use std::ffi::{CStr, CString, OsStr, c_char, c_int, c_void};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use serde::Deserialize;
use wirelab_codec::{Corpus, Pack, Session, framing};

pub mod batch;
pub mod compression;

use batch::Batches;
use compression::{Method, Squeezer};

/// The largest message after decompression: a defence against bytes that are not ours.
const LARGEST: usize = 64 << 20;

/// The factor of checksums (docs/contracts/pack.md).
const FOLD: u64 = 0x9e37_79b9_7f4a_7c15;

#[derive(Deserialize)]
struct Settings {
    pack: PathBuf,
    method: Option<Method>,
    batch: usize,
}

struct Inner {
    pack: Pack,
    settings: Settings,
    describe: CString,
}

/// A codec session of the pack inside, with batches and compression around it.
pub struct WireSession {
    session: Session,
    batches: Batches,
    squeezer: Option<Squeezer>,
    out: Vec<u8>,
}

impl WireSession {
    fn open(corpus: &Corpus, codec: &str, settings: &Settings) -> Result<Self, String> {
        let session = corpus.session(codec).map_err(|error| error.to_string())?;
        let squeezer = settings.method.map(Squeezer::new).transpose();
        Ok(Self {
            batches: Batches::new(session.len(), settings.batch),
            session,
            squeezer: squeezer.map_err(|error| error.to_string())?,
            out: Vec::new(),
        })
    }

    fn encode(&mut self, index: usize) -> Result<&[u8], String> {
        self.out.clear();
        for message in self.batches.messages(index) {
            let bytes = self
                .session
                .encode(message)
                .map_err(|error| error.to_string())?;
            if self.batches.is_framed() {
                framing::append(&mut self.out, bytes);
            } else {
                self.out.extend_from_slice(bytes);
            }
        }
        if let Some(squeezer) = &mut self.squeezer {
            self.out = squeezer
                .compress(&self.out)
                .map_err(|error| error.to_string())?;
        }
        Ok(&self.out)
    }

    /// The checksum of a message; of a batch, those of its messages folded like the words of one.
    fn decode(&mut self, bytes: &[u8]) -> Result<u64, String> {
        let plain = match &mut self.squeezer {
            None => Cow::Borrowed(bytes),
            Some(squeezer) => Cow::Owned(
                squeezer
                    .decompress(bytes, LARGEST)
                    .map_err(|error| error.to_string())?,
            ),
        };
        let session = &mut self.session;
        let mut read = |message| session.decode(message).map_err(|error| error.to_string());
        if !self.batches.is_framed() {
            return read(&plain);
        }
        let messages = self.batches.split(&plain).ok_or("not a whole batch")?;
        messages.into_iter().try_fold(0, |folded: u64, message| {
            Ok((folded.rotate_left(5) ^ read(message)?).wrapping_mul(FOLD))
        })
    }
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
    if settings.batch == 0 {
        return Err(format!("{}: a batch of no messages", file.display()));
    }
    let pack = Pack::load(&settings.pack).map_err(|error| error.to_string())?;
    let folder = settings.pack.with_file_name("describe.json");
    let describe =
        std::fs::read(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    Ok(Inner {
        pack,
        settings,
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

/// Number of batches.
///
/// # Safety
/// The corpus is open.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wl_corpus_len(corpus: *const Corpus) -> u64 {
    // SAFETY: the caller passes an open corpus.
    let messages = unsafe { (*corpus).len() };
    inner().map_or(0, |inner| {
        Batches::new(messages, inner.settings.batch).len() as u64
    })
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
        let opened = WireSession::open(corpus, &codec.to_string_lossy(), &inner.settings)?;
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

/// Encodes batch `index` and compresses it.
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
    let session = unsafe { &mut *session };
    code(session.encode(index as usize).map(|bytes| {
        // SAFETY: the caller passes writable pointers; the bytes live until the next call.
        unsafe { (*out, *len) = (bytes.as_ptr(), bytes.len()) };
    }))
}

/// Decompresses a batch and reads every field of its messages.
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
    let (session, bytes) = unsafe { (&mut *session, std::slice::from_raw_parts(bytes, len)) };
    code(session.decode(bytes).map(|read| {
        // SAFETY: the caller passes a writable pointer.
        unsafe { *checksum = read };
    }))
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
    code(Err(
        "what is on the wire is not converted to JSON".to_owned()
    ))
}

/// Refused: phases are timed in the pack inside.
#[unsafe(no_mangle)]
pub extern "C" fn wl_run(_: *mut c_void, _: u32, _: u64, _: u64, _: u64, _: *mut c_void) -> c_int {
    code(Err("phases are timed in the pack inside".to_owned()))
}
