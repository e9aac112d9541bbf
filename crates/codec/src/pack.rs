//! A loaded pack, and a corpus of native objects in it.

use std::ffi::{CStr, CString, c_void};
use std::path::Path;
use std::ptr;
use std::sync::Arc;

use crate::abi::Functions;
use crate::describe::Description;
use crate::error::Error;
use crate::session::Session;

/// A loaded codec pack. It stays loaded as long as anything obtained from it lives.
#[derive(Clone)]
pub struct Pack {
    functions: Arc<Functions>,
    description: Arc<Description>,
}

impl Pack {
    /// Loads a pack.
    ///
    /// # Errors
    /// If the file is not a pack, has another ABI version, or an invalid description.
    pub fn load(path: impl AsRef<Path>) -> Result<Self, Error> {
        let path = path.as_ref();
        let functions = Functions::load(path)?;
        // SAFETY: a pack of this ABI version returns a NUL-terminated static string.
        let json = unsafe { CStr::from_ptr((functions.describe)()) };
        let description = serde_json::from_slice(json.to_bytes()).map_err(|error| Error::Load {
            path: path.to_owned(),
            why: format!("its description: {error}"),
        })?;
        Ok(Self {
            functions: Arc::new(functions),
            description: Arc::new(description),
        })
    }

    /// Print the pack's description.
    pub fn description(&self) -> &Description {
        &self.description
    }

    /// Parses a corpus (JSON Lines) into native objects.
    ///
    /// # Errors
    /// The pack's error message, which names the line.
    pub fn corpus(&self, jsonl: &[u8]) -> Result<Corpus, Error> {
        let mut handle = ptr::null_mut();
        // SAFETY: the buffer outlives the call and `handle` is writable.
        let code =
            unsafe { (self.functions.corpus_open)(jsonl.as_ptr(), jsonl.len(), &mut handle) };
        self.functions.check(code)?;
        Ok(Corpus {
            inner: Arc::new(CorpusHandle {
                functions: Arc::clone(&self.functions),
                handle,
            }),
        })
    }
}

/// A corpus in a pack, shared by its sessions.
#[derive(Clone)]
pub struct Corpus {
    inner: Arc<CorpusHandle>,
}

pub(crate) struct CorpusHandle {
    pub functions: Arc<Functions>,
    handle: *mut c_void,
}

// SAFETY: a corpus is immutable once opened, and the ABI allows sessions in several threads.
unsafe impl Send for CorpusHandle {}
// SAFETY: as above.
unsafe impl Sync for CorpusHandle {}

impl Drop for CorpusHandle {
    fn drop(&mut self) {
        // SAFETY: the handle is live, and this is its last owner.
        unsafe { (self.functions.corpus_close)(self.handle) }
    }
}

impl Corpus {
    /// Number of messages.
    pub fn len(&self) -> usize {
        // SAFETY: the handle is live.
        unsafe { (self.inner.functions.corpus_len)(self.inner.handle) as usize }
    }

    /// Whether the corpus is empty.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Opens a session of the codec `format/library`; encodes the whole corpus once.
    ///
    /// # Errors
    /// An unknown codec, or a message that the library cannot encode.
    pub fn session(&self, codec: &str) -> Result<Session, Error> {
        let name =
            CString::new(codec).map_err(|_| Error::Pack(format!("there is no codec {codec:?}")))?;
        let mut handle = ptr::null_mut();
        // SAFETY: the corpus is live, the name NUL-terminated, `handle` writable.
        let code = unsafe {
            (self.inner.functions.session_open)(self.inner.handle, name.as_ptr(), &mut handle)
        };
        self.inner.functions.check(code)?;
        Ok(Session::new(Arc::clone(&self.inner), handle, self.len()))
    }
}
