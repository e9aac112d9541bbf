//! Binding to libcoap's client: an endpoint with sessions to one server.

use std::ffi::{CString, c_int, c_void};
use std::io;
use std::net::SocketAddr;
use std::ptr;
use std::time::Duration;

use wirelab_coap::Method;
use wirelab_peer::Fault;

use crate::bindings::{self, Descriptor};
use crate::settings::Settings;

/// Why a request ends without an answer (`coap_nack_reason_t`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Undelivered {
    /// No acknowledgement after MAX_RETRANSMIT retransmissions.
    TooManyRetries,
    /// The receiver answered with a reset.
    Reset,
    /// The handshake failed.
    Encryption,
    /// The server's host reported a closed port; libcoap continues to retransmit.
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

    /// The reason as text; `transmissions` is how often the message was sent.
    pub fn why(self, transmissions: u32) -> String {
        match self {
            Self::TooManyRetries => {
                format!("no acknowledgement after {transmissions} transmissions")
            }
            Self::Reset => "the server answered with a reset".into(),
            Self::Encryption => "the DTLS session broke".into(),
            Self::Refused => crate::PORT_UNREACHABLE.into(),
            Self::Other(code) => format!("libcoap gave up with reason {code}"),
        }
    }
}

/// State of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    Handshake,
    Open,
    Closed,
}

/// A complete response: libcoap has joined its blocks.
pub struct Response<'a> {
    pub token: u64,
    /// Class and detail, as on the wire.
    pub code: u8,
    /// Whether it has the Observe option.
    pub notifies: bool,
    pub body: &'a [u8],
}

impl Response<'_> {
    /// Class of the code (RFC 7252, section 3): 2 is success.
    pub fn class(&self) -> u8 {
        self.code >> 5
    }

    /// The code in the notation of RFC 7252.
    pub fn code_text(&self) -> String {
        format!("{}.{:02}", self.class(), self.code & 31)
    }
}

/// Callbacks of an endpoint, on the thread that processes or sends.
pub trait ResponseHandler: Send + 'static {
    /// A response arrived; it is acknowledged afterwards.
    fn responded(&mut self, response: &Response);
    /// A request or ping gets no response (or not yet, if the port is closed).
    fn undelivered(&mut self, token: u64, is_ping: bool, reason: Undelivered);
}

/// A request to the server.
#[derive(Clone, Copy)]
pub struct Request<'a> {
    pub method: Method,
    pub confirmable: bool,
    /// Whether to observe the resource.
    pub observes: bool,
    /// The path below that of the endpoint.
    pub target: &'a str,
    pub body: &'a [u8],
}

/// An additional session with its own socket. Closed by [`Endpoint::leave`], or with the endpoint.
pub struct Session(*mut bindings::Session);

// SAFETY: libcoap has no thread-local state, and a session is used only through its endpoint.
unsafe impl Send for Session {}

/// An endpoint and its handler. libcoap must not be used by two threads at once, which `&mut`
/// ensures.
pub struct Endpoint<H: ResponseHandler> {
    raw: *mut bindings::Endpoint,
    calls: *mut bindings::ResponseHandler,
    handler: *mut H,
    path: String,
    /// libcoap keeps a pointer to the name.
    _authority: Option<CString>,
}

// SAFETY: libcoap has no thread-local state, and the handler is Send.
unsafe impl<H: ResponseHandler> Send for Endpoint<H> {}

impl<H: ResponseHandler> Endpoint<H> {
    /// Opens a socket to the server. Nothing is sent yet.
    ///
    /// # Errors
    /// A fatal fault that names the server.
    pub fn open(
        server: SocketAddr,
        path: &str,
        settings: &Settings,
        blocks: bool,
        handler: H,
    ) -> Result<Self, Fault> {
        let address = CString::new(server.ip().to_string()).expect("digits, dots and colons");
        let authority = settings.authority.as_deref().map(CString::new).transpose();
        let authority = authority.map_err(|error| Fault::fatal("option authority", error))?;
        let handler = Box::into_raw(Box::new(handler));
        let calls = Box::into_raw(Box::new(bindings::ResponseHandler {
            responded: responded::<H>,
            undelivered: undelivered::<H>,
            context: handler.cast(),
        }));
        let given = bindings::Settings {
            authority: authority.as_ref().map_or(ptr::null(), |file| file.as_ptr()),
            ..settings.raw(blocks)
        };
        // SAFETY: address and settings outlive the call, which copies them; `calls` and the
        // authority's name live until `drop` has closed the endpoint.
        let raw = unsafe { bindings::wl_open(address.as_ptr(), server.port(), &given, calls) };
        let endpoint = Self {
            raw,
            calls,
            handler,
            path: path.to_owned(),
            _authority: authority,
        };
        match raw.is_null() {
            true => Err(Fault::fatal(
                format!("connect {server}"),
                io::Error::last_os_error(),
            )),
            false => Ok(endpoint),
        }
    }

    /// The handler.
    pub fn handler(&mut self) -> &mut H {
        // SAFETY: `open` created it, `drop` frees it, and it is otherwise reached only by calls
        // that take `&mut self`.
        unsafe { &mut *self.handler }
    }

    /// State of the first session: with DTLS, requests can be sent after the handshake.
    pub fn state(&self) -> State {
        // SAFETY: `raw` is open until `drop`.
        match unsafe { bindings::wl_state(self.raw) } {
            1 => State::Open,
            0 => State::Handshake,
            _ => State::Closed,
        }
    }

    /// The descriptor to wait on.
    pub fn descriptor(&self) -> Descriptor {
        // SAFETY: `raw` is open until `drop`.
        unsafe { Descriptor::of(bindings::wl_context(self.raw)) }
    }

    /// Processes incoming datagrams and timers, and waits at most `within` for them.
    pub fn process(&mut self, within: Duration) {
        // SAFETY: `raw` is open until `drop`, and `&mut self` excludes other threads and users of
        // the handler.
        unsafe { bindings::process(bindings::wl_context(self.raw), within) }
    }

    /// Sends an empty confirmable message, which every server answers with a reset. Returns whether
    /// it was sent.
    pub fn ping(&mut self) -> bool {
        // SAFETY: as in `process`.
        unsafe { bindings::wl_ping(self.raw) }
    }

    /// Opens one more session, for one request; `None` on an error of the system.
    pub fn another(&mut self) -> Option<Session> {
        // SAFETY: as in `process`.
        let session = unsafe { bindings::wl_another(self.raw) };
        (!session.is_null()).then_some(Session(session))
    }

    /// Closes a session that `another` has opened.
    pub fn leave(&mut self, session: Session) {
        // SAFETY: the session belongs to this endpoint and is open; otherwise as in `process`.
        unsafe { bindings::wl_leave(session.0) }
    }

    /// Sends a request, on `session` or on the first session. Returns the token of its answer, or
    /// `None` if libcoap or the system rejects it.
    pub fn ask(&mut self, session: Option<&Session>, request: &Request) -> Option<u64> {
        let path = match request.target {
            "" => CString::new(self.path.as_str()),
            target => CString::new(format!("{}/{target}", self.path)),
        };
        let path = path.ok()?;
        let asked = bindings::Request {
            is_confirmable: request.confirmable,
            observes: request.observes,
            method: request.method as u8,
            path: path.as_ptr(),
            body: request.body.as_ptr(),
            length: request.body.len(),
        };
        let session = session.map_or(ptr::null_mut(), |session| session.0);
        // SAFETY: as in `process`; the path is NUL-terminated, and the body, which is copied, has
        // the given length.
        let token = unsafe { bindings::wl_ask(self.raw, session, &asked) };
        (token != 0).then_some(token)
    }
}

impl<H: ResponseHandler> Drop for Endpoint<H> {
    fn drop(&mut self) {
        // SAFETY: closed once; afterwards nothing calls the handler, which `open` made from these
        // boxes.
        unsafe {
            if !self.raw.is_null() {
                bindings::wl_close(self.raw);
            }
            drop(Box::from_raw(self.calls));
            drop(Box::from_raw(self.handler));
        }
    }
}

extern "C" fn responded<H: ResponseHandler>(
    context: *mut c_void,
    token: u64,
    code: u8,
    notifies: bool,
    body: *const u8,
    length: usize,
) {
    // SAFETY: libcoap provides a body of `length` bytes until this returns; `context` is the
    // handler of an endpoint in use, with exclusive access (`&mut`).
    let (body, handler) = unsafe { (bindings::lent(body, length), &mut *context.cast::<H>()) };
    handler.responded(&Response {
        token,
        code,
        notifies,
        body,
    });
}

extern "C" fn undelivered<H: ResponseHandler>(
    context: *mut c_void,
    token: u64,
    is_ping: bool,
    reason: c_int,
) {
    // SAFETY: as in `responded`.
    let handler = unsafe { &mut *context.cast::<H>() };
    handler.undelivered(token, is_ping, Undelivered::of(reason));
}
