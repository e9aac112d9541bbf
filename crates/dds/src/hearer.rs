//! What a reader tells, and how a library's shim in C or C++ tells it.

use std::ffi::c_void;
use std::slice;

/// What a reader tells, on the library's threads, one at a time. It must not call the library.
pub trait Hearer: Send + 'static {
    /// A sample has arrived.
    fn arrived(&mut self, message: &[u8]);
    /// A writer has been found.
    fn matched(&mut self);
}

/// A hearer as the shims lay it out.
#[repr(C)]
pub struct RawHearer {
    arrived: extern "C" fn(*mut c_void, *const u8, usize),
    matched: extern "C" fn(*mut c_void),
    context: *mut c_void,
}

impl RawHearer {
    /// What a shim may call, one call at a time, for as long as the process lives: `hearer` is never freed, as a callback of the
    /// library's may still be using it while the peer ends.
    pub fn new<H: Hearer>(hearer: H) -> Self {
        Self {
            arrived: arrived::<H>,
            matched: matched::<H>,
            context: Box::into_raw(Box::new(hearer)).cast(),
        }
    }
}

extern "C" fn arrived<H: Hearer>(context: *mut c_void, bytes: *const u8, length: usize) {
    with::<H>(context, |hearer| {
        let message = match length {
            0 => &[],
            // SAFETY: the shim hands over a sample: `length` bytes that stay until this returns.
            _ => unsafe { slice::from_raw_parts(bytes, length) },
        };
        hearer.arrived(message);
    });
}

extern "C" fn matched<H: Hearer>(context: *mut c_void) {
    with::<H>(context, H::matched);
}

fn with<H: Hearer>(context: *mut c_void, tell: impl FnOnce(&mut H)) {
    // SAFETY: `context` is the H that `new` has leaked together with the functions made for H. Nobody else has it now: Cyclone calls the
    // listeners of an entity one at a time, under its lock, Fast DDS's shim tells one thing at a time, and no hearer calls its library.
    tell(unsafe { &mut *context.cast::<H>() });
}
