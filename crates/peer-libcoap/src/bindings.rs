//! Declarations of the C part: `client.c`, `server.c` and `common.c` document the functions.

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

/// libcoap's context, with the state of `client.c`.
pub enum Endpoint {}
/// libcoap's `coap_context_t`.
pub enum Context {}
/// libcoap's `coap_session_t`.
pub enum Session {}
/// libcoap's `coap_pdu_t`.
pub enum Pdu {}

unsafe extern "C" {
    safe fn wl_version() -> *const c_char;
    safe fn wl_last_message() -> *const c_char;
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

/// The version of the library at compile time.
pub fn version() -> String {
    // SAFETY: a constant of the library.
    let version = unsafe { CStr::from_ptr(wl_version()) };
    version.to_string_lossy().into_owned()
}

/// libcoap's last log message; empty if there is none.
pub fn last_message() -> String {
    // SAFETY: a static buffer that only libcoap's calls change, and a peer makes them on one thread
    // at a time.
    let message = unsafe { CStr::from_ptr(wl_last_message()) };
    message.to_string_lossy().trim().to_owned()
}

/// Processes incoming datagrams and timers, and waits at most `within` for them; zero does not
/// wait.
///
/// # Safety
/// The context is open, and no other thread uses it.
pub unsafe fn process(context: *mut Context, within: Duration) {
    let milliseconds = u32::try_from(within.as_millis()).unwrap_or(u32::MAX);
    // SAFETY: as the caller promises.
    unsafe { wl_process(context, milliseconds) }
}

/// Readable whenever its context has something to process; invalid once the context is freed.
pub struct Descriptor(c_int);

impl Descriptor {
    /// The descriptor of a context.
    ///
    /// # Safety
    /// The context is open.
    pub unsafe fn of(context: *const Context) -> Self {
        // SAFETY: as the caller promises.
        Self(unsafe { wl_descriptor(context) })
    }

    /// Waits at most `within`. Returns whether there is something to process.
    pub fn wait(&self, within: Duration) -> bool {
        let milliseconds = c_int::try_from(within.as_millis()).unwrap_or(c_int::MAX);
        wl_wait(self.0, milliseconds)
    }
}

/// Bytes borrowed from C.
///
/// # Safety
/// `length` bytes are readable for as long as the slice is used.
pub unsafe fn lent<'a>(bytes: *const u8, length: usize) -> &'a [u8] {
    match length {
        0 => &[],
        // SAFETY: as the caller promises.
        _ => unsafe { std::slice::from_raw_parts(bytes, length) },
    }
}
