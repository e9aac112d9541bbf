//! What the parts in C provide: `client.c`, `server.c` and `common.c` say what each does.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::time::Duration;

#[repr(C)]
pub struct Settings {
    pub ack_timeout_ms: u32,
    pub ack_random_factor_thousandths: u32,
    pub max_retransmit: u16,
    pub nstart: u16,
    pub blocks: bool,
    pub block_szx: u8,
    pub authority: *const c_char,
}

#[repr(C)]
pub struct ResponseHandler {
    pub responded: extern "C" fn(*mut c_void, u64, u8, bool, *const u8, usize),
    pub undelivered: extern "C" fn(*mut c_void, u64, bool, c_int),
    pub context: *mut c_void,
}

#[repr(C)]
pub struct Request {
    pub is_confirmable: bool,
    pub observes: bool,
    pub method: u8,
    pub path: *const c_char,
    pub body: *const u8,
    pub length: usize,
}

#[repr(C)]
pub struct ReceivedRequest {
    pub method: u8,
    pub path: *const u8,
    pub path_length: usize,
    pub body: *const u8,
    pub length: usize,
}

#[repr(C)]
pub struct RequestHandler {
    pub asked: extern "C" fn(*mut c_void, *const ReceivedRequest, *mut Pdu),
    pub context: *mut c_void,
}

/// libcoap's context, with what `client.c` keeps beside it.
pub enum Endpoint {}
/// libcoap's `coap_context_t`.
pub enum Context {}
/// libcoap's `coap_session_t`.
pub enum Session {}
/// libcoap's `coap_pdu_t`.
pub enum Pdu {}

unsafe extern "C" {
    safe fn wl_version() -> *const c_char;
    safe fn wl_said() -> *const c_char;
    safe fn wl_wait(descriptor: c_int, within_ms: c_int) -> bool;
    fn wl_descriptor(context: *const Context) -> c_int;
    fn wl_process(context: *mut Context, within_ms: u32);

    pub fn wl_open(
        address: *const c_char,
        port: u16,
        settings: *const Settings,
        handler: *const ResponseHandler,
    ) -> *mut Endpoint;
    pub fn wl_close(endpoint: *mut Endpoint);
    pub fn wl_context(endpoint: *const Endpoint) -> *mut Context;
    pub fn wl_another(endpoint: *mut Endpoint) -> *mut Session;
    pub fn wl_leave(session: *mut Session);
    pub fn wl_state(endpoint: *const Endpoint) -> c_int;
    pub fn wl_ping(endpoint: *mut Endpoint) -> bool;
    pub fn wl_ask(endpoint: *mut Endpoint, session: *mut Session, request: *const Request) -> u64;

    pub fn wl_listen(
        address: *const c_char,
        port: u16,
        certificate: *const c_char,
        key: *const c_char,
        handler: *const RequestHandler,
    ) -> *mut Context;
    pub fn wl_answer(response: *mut Pdu, code: u8, body: *const u8, length: usize);
    pub fn wl_free(context: *mut Context);
}

/// The version of the library this was compiled against.
pub fn version() -> String {
    // SAFETY: the library gives a constant.
    let version = unsafe { CStr::from_ptr(wl_version()) };
    version.to_string_lossy().into_owned()
}

/// What libcoap has said last, in its own words; empty where it has said nothing.
pub fn said() -> String {
    // SAFETY: a static buffer, which only libcoap's calls change, and a peer makes them on one thread at a time.
    let said = unsafe { CStr::from_ptr(wl_said()) };
    said.to_string_lossy().trim().to_owned()
}

/// Takes what has come and does what is due, and waits at most so long for either; for no time at all it does not wait.
///
/// # Safety
/// The context is open, and no other thread uses it.
pub unsafe fn process(context: *mut Context, within: Duration) {
    let milliseconds = u32::try_from(within.as_millis()).unwrap_or(u32::MAX);
    // SAFETY: as the caller promises.
    unsafe { wl_process(context, milliseconds) }
}

/// Readable whenever its context has something to process; without meaning once that is gone.
pub struct Descriptor(c_int);

impl Descriptor {
    /// That of a context.
    ///
    /// # Safety
    /// The context is open.
    pub unsafe fn of(context: *const Context) -> Self {
        // SAFETY: as the caller promises.
        Self(unsafe { wl_descriptor(context) })
    }

    /// Waits until there is something, at most so long; whether it is so.
    pub fn wait(&self, within: Duration) -> bool {
        let milliseconds = c_int::try_from(within.as_millis()).unwrap_or(c_int::MAX);
        wl_wait(self.0, milliseconds)
    }
}

/// Bytes that C lends.
///
/// # Safety
/// `length` bytes can be read there for as long as the slice is used.
pub unsafe fn lent<'a>(bytes: *const u8, length: usize) -> &'a [u8] {
    match length {
        0 => &[],
        // SAFETY: as the caller promises.
        _ => unsafe { std::slice::from_raw_parts(bytes, length) },
    }
}
