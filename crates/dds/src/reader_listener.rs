//! The listener of a data reader, and its C layout for the shims.

use std::ffi::c_void;
use std::slice;

/// The GUID of an entity (RTPS 2.3, 8.2.4.1), in wire format.
pub type Guid = [u8; 16];

/// Callbacks of a data reader. They run on the library's threads, one at a time, and must not call
/// the library.
pub trait ReaderListener: Send + 'static {
    /// A sample arrived.
    fn arrived(&mut self, message: &[u8]);
    /// The reader matched this writer.
    fn matched(&mut self, writer: Guid);
}

/// The C layout of a listener.
#[repr(C)]
pub struct RawListener {
    arrived: extern "C" fn(*mut c_void, *const u8, usize),
    matched: extern "C" fn(*mut c_void, *const Guid),
    context: *mut c_void,
}

impl RawListener {
    /// A listener that a shim may call, one call at a time, for the lifetime of the process.
    /// `listener` is never freed, because a callback may still use it while the peer exits.
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
            // SAFETY: the shim passes `length` bytes that stay valid until this returns.
            _ => unsafe { slice::from_raw_parts(bytes, length) },
        };
        listener.arrived(message);
    });
}

extern "C" fn matched<H: ReaderListener>(context: *mut c_void, writer: *const Guid) {
    // SAFETY: the shim passes a GUID that stays valid until this returns.
    let writer = unsafe { *writer };
    with::<H>(context, |listener| listener.matched(writer));
}

fn with<H: ReaderListener>(context: *mut c_void, tell: impl FnOnce(&mut H)) {
    // SAFETY: `context` is the H that `new` leaked together with the functions made for H. Nothing
    // else accesses it now: Cyclone calls the listeners of an entity one at a time, under its lock,
    // Fast DDS's shim serializes calls with a mutex, and no listener calls its library.
    tell(unsafe { &mut *context.cast::<H>() });
}
