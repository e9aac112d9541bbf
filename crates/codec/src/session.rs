//! A codec with its corpus and buffers.

use std::ffi::c_void;
use std::ptr;
use std::sync::Arc;

use crate::abi::{Phase, Timing};
use crate::error::Error;
use crate::pack::CorpusHandle;

/// A codec with its reusable buffers. It may move between threads, but only one thread may use it
/// at a time.
pub struct Session {
    corpus: Arc<CorpusHandle>,
    handle: *mut c_void,
    len: usize,
}

// SAFETY: the ABI restricts a session to one thread at a time, which `&mut self` ensures, but not
// to a particular thread.
unsafe impl Send for Session {}

impl Drop for Session {
    fn drop(&mut self) {
        // SAFETY: the handle is live, and this is its only owner.
        unsafe { (self.corpus.functions.session_close)(self.handle) }
    }
}

impl Session {
    pub(crate) fn new(corpus: Arc<CorpusHandle>, handle: *mut c_void, len: usize) -> Self {
        Self {
            corpus,
            handle,
            len,
        }
    }

    /// Number of messages in the corpus.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether the corpus is empty.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Encodes message `index` from its native object.
    ///
    /// # Errors
    /// An index beyond the corpus, or an error of the library.
    #[inline]
    pub fn encode(&mut self, index: usize) -> Result<&[u8], Error> {
        let (mut data, mut len) = (ptr::null(), 0);
        // SAFETY: the session is alive and exclusively borrowed; both out pointers are writable.
        let code = unsafe {
            (self.corpus.functions.encode)(self.handle, index as u64, &mut data, &mut len)
        };
        self.bytes(code, data, len)
    }

    /// Reads every field of one complete message. Its checksum is the same in every format.
    ///
    /// # Errors
    /// Bytes that are not one complete valid message.
    #[inline]
    pub fn decode(&mut self, bytes: &[u8]) -> Result<u64, Error> {
        let mut checksum = 0;
        // SAFETY: the session is alive and exclusively borrowed; the buffer outlives the call.
        let code = unsafe {
            (self.corpus.functions.decode)(self.handle, bytes.as_ptr(), bytes.len(), &mut checksum)
        };
        self.corpus.functions.check(code)?;
        Ok(checksum)
    }

    /// Converts one complete message to JSON.
    ///
    /// # Errors
    /// Bytes that are not one complete valid message.
    pub fn to_json(&mut self, bytes: &[u8]) -> Result<&[u8], Error> {
        let (mut data, mut len) = (ptr::null(), 0);
        // SAFETY: the session is alive and exclusively borrowed; the buffer outlives the call.
        let code = unsafe {
            (self.corpus.functions.to_json)(
                self.handle,
                bytes.as_ptr(),
                bytes.len(),
                &mut data,
                &mut len,
            )
        };
        self.bytes(code, data, len)
    }

    /// Runs and times `iterations` passes of a phase over messages `first .. first + count`.
    ///
    /// # Errors
    /// A phase that the codec does not support, or a range beyond the corpus.
    pub fn run(
        &mut self,
        phase: Phase,
        first: usize,
        count: usize,
        iterations: u64,
    ) -> Result<Timing, Error> {
        let mut timing = Timing::default();
        // SAFETY: the session is alive and exclusively borrowed; `timing` is writable.
        let code = unsafe {
            (self.corpus.functions.run)(
                self.handle,
                phase as u32,
                first as u64,
                count as u64,
                iterations,
                &mut timing,
            )
        };
        self.corpus.functions.check(code)?;
        Ok(timing)
    }

    #[inline]
    fn bytes(&mut self, code: i32, data: *const u8, len: usize) -> Result<&[u8], Error> {
        self.corpus.functions.check(code)?;
        if len == 0 {
            return Ok(&[]);
        }
        // SAFETY: the pack returned `len` bytes that are valid until the session's next call, which
        // needs `&mut self`.
        Ok(unsafe { std::slice::from_raw_parts(data, len) })
    }
}
