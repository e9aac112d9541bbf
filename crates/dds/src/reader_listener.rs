//! What a reader tells, and how a library's shim in C or C++ tells it.

use std::ffi::c_void;
use std::slice;

/// What tells a writer from every other (RTPS 2.3, 8.2.4.1), as its bytes cross the wire.
pub type Guid = [u8; 16];

/// What a reader tells, on the library's threads, one at a time. It must not call the library.
pub trait ReaderListener: Send + 'static {
    /// A sample has arrived.
    fn arrived(&mut self, message: &[u8]);
    /// This writer has been found.
    fn matched(&mut self, writer: Guid);
}

/// A listener as the shims lay it out.
#[repr(C)]
pub struct RawListener {
    arrived: extern "C" fn(*mut c_void, *const u8, usize),
    matched: extern "C" fn(*mut c_void, *const Guid),
    context: *mut c_void,
}

impl RawListener {
    /// What a shim may call, one call at a time, for as long as the process lives: `listener` is never freed, as a callback of the
    /// library's may still be using it while the peer ends.
    pub fn new<H: ReaderListener>(listener: H) -> Self {
        Self {
            arrived: arrived::<H>,
            matched: matched::<H>,
            context: Box::into_raw(Box::new(listener)).cast(),
        }
    }
}

extern "C" fn arrived<H: ReaderListener>(context: *mut c_void, bytes: *const u8, length: usize) {
    with::<H>(context, |listener| {
        let message = match length {
            0 => &[],
            // SAFETY: the shim hands over a sample: `length` bytes that stay until this returns.
            _ => unsafe { slice::from_raw_parts(bytes, length) },
        };
        listener.arrived(message);
    });
}

extern "C" fn matched<H: ReaderListener>(context: *mut c_void, writer: *const Guid) {
    // SAFETY: the shim hands over a GUID that stays until this returns.
    let writer = unsafe { *writer };
    with::<H>(context, |listener| listener.matched(writer));
}

fn with<H: ReaderListener>(context: *mut c_void, tell: impl FnOnce(&mut H)) {
    // SAFETY: `context` is the H that `new` has leaked together with the functions made for H. Nobody else has it now: Cyclone calls the
    // listeners of an entity one at a time, under its lock, Fast DDS's shim tells one thing at a time, and no listener calls its library.
    tell(unsafe { &mut *context.cast::<H>() });
}
