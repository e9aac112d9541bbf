//! The edge to libcoap: an endpoint with one session to one server.

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::io;
use std::net::SocketAddr;
use std::ptr;
use std::slice;
use std::time::Duration;

use wirelab_peer::Fault;

use crate::settings::Settings;

/// What ends a request without an answer (`coap_nack_reason_t`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Undelivered {
    /// Sent as often as MAX_RETRANSMIT allows.
    TooManyRetries,
    /// The receiver did not know what to make of it.
    Reset,
    /// The handshake failed.
    Encryption,
    /// The server's host said that nobody listens there; libcoap goes on trying all the same.
    Refused,
    /// Anything else.
    Other(c_int),
}

impl Undelivered {
    fn of(reason: c_int) -> Self {
        match reason {
            0 => Self::TooManyRetries,
            2 => Self::Reset,
            3 => Self::Encryption,
            4 => Self::Refused,
            other => Self::Other(other),
        }
    }
}

/// How a session stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    Handshake,
    Open,
    Closed,
}

/// A request's code (RFC 7252, section 12.1.1). Whoever gets, observes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Method {
    Get = 1,
    Post = 2,
    Put = 3,
}

/// A response, whole: libcoap has joined its blocks.
pub struct Response<'a> {
    pub token: u64,
    /// Class and detail, as on the wire.
    pub code: u8,
    /// Whether it has the Observe option.
    pub notifies: bool,
    pub body: &'a [u8],
}

impl Response<'_> {
    /// Whether it says that all is well.
    pub fn is_success(&self) -> bool {
        self.code >> 5 == 2
    }

    /// As RFC 7252 writes codes.
    pub fn code_text(&self) -> String {
        format!("{}.{:02}", self.code >> 5, self.code & 31)
    }
}

/// What an endpoint is told, by the thread that lets it process or ask.
pub trait Hearer: Send + 'static {
    /// A response has come; it is acknowledged after this.
    fn responded(&mut self, response: &Response);
    /// A request, or a ping, will have none (or not yet, where it was refused).
    fn undelivered(&mut self, token: u64, is_ping: bool, reason: Undelivered);
}

#[repr(C)]
struct RawSettings {
    ack_timeout_ms: u32,
    ack_random_factor_thousandths: u32,
    max_retransmit: u16,
    nstart: u16,
    blocks: bool,
    block_szx: u8,
    authority: *const c_char,
}

#[repr(C)]
struct RawHearer {
    responded: extern "C" fn(*mut c_void, u64, u8, bool, *const u8, usize),
    undelivered: extern "C" fn(*mut c_void, u64, bool, c_int),
    context: *mut c_void,
}

/// libcoap's context and session.
enum RawEndpoint {}

unsafe extern "C" {
    safe fn wl_version() -> *const c_char;
    fn wl_open(
        address: *const c_char,
        port: u16,
        settings: *const RawSettings,
        hearer: *const RawHearer,
    ) -> *mut RawEndpoint;
    fn wl_close(endpoint: *mut RawEndpoint);
    safe fn wl_said() -> *const c_char;
    fn wl_state(endpoint: *const RawEndpoint) -> c_int;
    fn wl_descriptor(endpoint: *const RawEndpoint) -> c_int;
    safe fn wl_wait(descriptor: c_int, within_ms: c_int) -> bool;
    fn wl_process(endpoint: *mut RawEndpoint, within_ms: u32);
    fn wl_ping(endpoint: *mut RawEndpoint) -> bool;
    fn wl_ask(
        endpoint: *mut RawEndpoint,
        is_confirmable: bool,
        method: u8,
        path: *const c_char,
        body: *const u8,
        length: usize,
    ) -> u64;
}

/// The version of the library this was compiled against.
pub fn version() -> String {
    // SAFETY: the library gives a constant.
    let version = unsafe { CStr::from_ptr(wl_version()) };
    version.to_string_lossy().into_owned()
}

/// Readable whenever its endpoint has something to process; without meaning once that is gone.
pub struct Descriptor(c_int);

impl Descriptor {
    /// Waits for that, at most so long; whether it is so.
    pub fn wait(&self, within: Duration) -> bool {
        let milliseconds = c_int::try_from(within.as_millis()).unwrap_or(c_int::MAX);
        wl_wait(self.0, milliseconds)
    }
}

/// An endpoint and its hearer. libcoap is not to be used by two threads at once, which `&mut` sees to.
pub struct Endpoint<H: Hearer> {
    raw: *mut RawEndpoint,
    calls: *mut RawHearer,
    hearer: *mut H,
    path: CString,
}

// SAFETY: libcoap keeps nothing by thread, and the hearer may go to another thread as well.
unsafe impl<H: Hearer> Send for Endpoint<H> {}

impl<H: Hearer> Endpoint<H> {
    /// Opens a socket towards the server. Nothing is sent yet.
    ///
    /// # Errors
    /// A fatal fault that names the server.
    pub fn open(
        server: SocketAddr,
        path: &str,
        settings: &Settings,
        blocks: bool,
        hearer: H,
    ) -> Result<Self, Fault> {
        let what = || format!("connect {server}");
        let path = CString::new(path).map_err(|error| Fault::fatal("topic", error))?;
        let address = CString::new(server.ip().to_string()).expect("digits, dots and colons");
        let authority = settings.authority.as_deref().map(CString::new).transpose();
        let authority = authority.map_err(|error| Fault::fatal("option authority", error))?;
        let hearer = Box::into_raw(Box::new(hearer));
        let calls = Box::into_raw(Box::new(RawHearer {
            responded: responded::<H>,
            undelivered: undelivered::<H>,
            context: hearer.cast(),
        }));
        let raw_settings = RawSettings {
            ack_timeout_ms: settings.ack_timeout_ms,
            ack_random_factor_thousandths: settings.ack_random_factor_thousandths,
            max_retransmit: settings.max_retransmit,
            nstart: settings.nstart,
            blocks,
            block_szx: settings.block_size.ilog2() as u8 - 4,
            authority: authority.as_ref().map_or(ptr::null(), |file| file.as_ptr()),
        };
        // SAFETY: address and settings outlive the call, which copies them; `calls` lives until `drop` has closed the endpoint.
        let raw = unsafe { wl_open(address.as_ptr(), server.port(), &raw_settings, calls) };
        let endpoint = Self {
            raw,
            calls,
            hearer,
            path,
        };
        match raw.is_null() {
            true => Err(Fault::fatal(what(), io::Error::last_os_error())),
            false => Ok(endpoint),
        }
    }

    /// The hearer.
    pub fn hearer(&mut self) -> &mut H {
        // SAFETY: `open` has made it, `drop` frees it, and only calls that take `&mut self` reach it otherwise.
        unsafe { &mut *self.hearer }
    }

    /// Whether requests can be sent: after the handshake, over DTLS.
    pub fn state(&self) -> State {
        // SAFETY: `raw` is open until `drop`.
        match unsafe { wl_state(self.raw) } {
            1 => State::Open,
            0 => State::Handshake,
            _ => State::Closed,
        }
    }

    /// What libcoap has said last, in its own words; empty where it has said nothing.
    pub fn said(&self) -> String {
        // SAFETY: a static buffer, which only calls on an endpoint change, and a peer has one.
        let said = unsafe { CStr::from_ptr(wl_said()) };
        said.to_string_lossy().trim().to_owned()
    }

    /// What to wait on for something to process.
    pub fn descriptor(&self) -> Descriptor {
        // SAFETY: `raw` is open until `drop`.
        Descriptor(unsafe { wl_descriptor(self.raw) })
    }

    /// Takes what has come and does what is due, and waits at most so long for either.
    pub fn process(&mut self, within: Duration) {
        let milliseconds = u32::try_from(within.as_millis()).unwrap_or(u32::MAX);
        // SAFETY: `raw` is open until `drop`, and `&mut self` keeps other threads and the hearer's users away.
        unsafe { wl_process(self.raw, milliseconds) }
    }

    /// Sends an empty confirmable message, which every server answers with a reset. Whether it left.
    pub fn ping(&mut self) -> bool {
        // SAFETY: as in `process`.
        unsafe { wl_ping(self.raw) }
    }

    /// Sends a request; gives the token of its answer, or `None` where libcoap or the system refuses it.
    pub fn ask(&mut self, method: Method, confirmable: bool, body: &[u8]) -> Option<u64> {
        let path = self.path.as_ptr();
        // SAFETY: as in `process`; the path ends in 0, and the body, which is copied, is as long as said.
        let token = unsafe {
            wl_ask(
                self.raw,
                confirmable,
                method as u8,
                path,
                body.as_ptr(),
                body.len(),
            )
        };
        (token != 0).then_some(token)
    }
}

impl<H: Hearer> Drop for Endpoint<H> {
    fn drop(&mut self) {
        // SAFETY: closed once, and then nothing calls the hearer any more, which `open` has made of these boxes.
        unsafe {
            if !self.raw.is_null() {
                wl_close(self.raw);
            }
            drop(Box::from_raw(self.calls));
            drop(Box::from_raw(self.hearer));
        }
    }
}

extern "C" fn responded<H: Hearer>(
    context: *mut c_void,
    token: u64,
    code: u8,
    notifies: bool,
    body: *const u8,
    length: usize,
) {
    let body = match length {
        0 => &[],
        // SAFETY: libcoap lends a body of `length` bytes until this returns.
        _ => unsafe { slice::from_raw_parts(body, length) },
    };
    // SAFETY: `context` is the hearer of an endpoint that is being used, by nobody else (`&mut`).
    let hearer = unsafe { &mut *context.cast::<H>() };
    hearer.responded(&Response {
        token,
        code,
        notifies,
        body,
    });
}

extern "C" fn undelivered<H: Hearer>(
    context: *mut c_void,
    token: u64,
    is_ping: bool,
    reason: c_int,
) {
    // SAFETY: as in `responded`.
    let hearer = unsafe { &mut *context.cast::<H>() };
    hearer.undelivered(token, is_ping, Undelivered::of(reason));
}
