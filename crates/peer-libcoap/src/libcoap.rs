//! The edge to libcoap's client: an endpoint with sessions to one server.

use std::ffi::{CString, c_int, c_void};
use std::io;
use std::net::SocketAddr;
use std::ptr;
use std::time::Duration;

use wirelab_coap::Method;
use wirelab_peer::Fault;

use crate::raw::{self, Descriptor};
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

    /// In a word, for a message that was to be sent so often.
    pub fn why(self, transmissions: u32) -> String {
        match self {
            Self::TooManyRetries => {
                format!("no acknowledgement after {transmissions} transmissions")
            }
            Self::Reset => "the server answered with a reset".into(),
            Self::Encryption => "the DTLS session broke".into(),
            Self::Refused => crate::PORT_UNREACHABLE.into(),
            Self::Other(code) => format!("libcoap gave it up with reason {code}"),
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
    /// Its class (RFC 7252, section 3): 2 says that all is well.
    pub fn class(&self) -> u8 {
        self.code >> 5
    }

    /// As RFC 7252 writes codes.
    pub fn code_text(&self) -> String {
        format!("{}.{:02}", self.class(), self.code & 31)
    }
}

/// What an endpoint is told, by the thread that lets it process or ask.
pub trait ResponseHandler: Send + 'static {
    /// A response has come; it is acknowledged after this.
    fn responded(&mut self, response: &Response);
    /// A request, or a ping, will have none (or not yet, where it was refused).
    fn undelivered(&mut self, token: u64, is_ping: bool, reason: Undelivered);
}

/// What is asked of the server.
#[derive(Clone, Copy)]
pub struct Request<'a> {
    pub method: Method,
    pub confirmable: bool,
    /// Whether to be told of every update from now on.
    pub observes: bool,
    /// What lies below the endpoint's path.
    pub target: &'a str,
    pub body: &'a [u8],
}

/// A session with a socket of its own, beside the endpoint's first. Given back by [`Endpoint::leave`], or when the endpoint is closed.
pub struct Session(*mut raw::Session);

// SAFETY: libcoap keeps nothing by thread, and a session is used through its endpoint alone.
unsafe impl Send for Session {}

/// An endpoint and its handler. libcoap is not to be used by two threads at once, which `&mut` sees to.
pub struct Endpoint<H: ResponseHandler> {
    raw: *mut raw::Endpoint,
    calls: *mut raw::ResponseHandler,
    handler: *mut H,
    path: String,
    /// libcoap keeps the name, not the file.
    _authority: Option<CString>,
}

// SAFETY: libcoap keeps nothing by thread, and the handler may go to another thread as well.
unsafe impl<H: ResponseHandler> Send for Endpoint<H> {}

impl<H: ResponseHandler> Endpoint<H> {
    /// Opens a socket towards the server. Nothing is sent yet.
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
        let calls = Box::into_raw(Box::new(raw::ResponseHandler {
            responded: responded::<H>,
            undelivered: undelivered::<H>,
            context: handler.cast(),
        }));
        let given = raw::Settings {
            authority: authority.as_ref().map_or(ptr::null(), |file| file.as_ptr()),
            ..settings.raw(blocks)
        };
        // SAFETY: address and settings outlive the call, which copies them; `calls` and the authority's name live until `drop` has closed the endpoint.
        let raw = unsafe { raw::wl_open(address.as_ptr(), server.port(), &given, calls) };
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
        // SAFETY: `open` has made it, `drop` frees it, and only calls that take `&mut self` reach it otherwise.
        unsafe { &mut *self.handler }
    }

    /// Whether requests can be sent: after the handshake, over DTLS.
    pub fn state(&self) -> State {
        // SAFETY: `raw` is open until `drop`.
        match unsafe { raw::wl_state(self.raw) } {
            1 => State::Open,
            0 => State::Handshake,
            _ => State::Closed,
        }
    }

    /// What to wait on for something to process.
    pub fn descriptor(&self) -> Descriptor {
        // SAFETY: `raw` is open until `drop`.
        unsafe { Descriptor::of(raw::wl_context(self.raw)) }
    }

    /// Takes what has come and does what is due, and waits at most so long for either.
    pub fn process(&mut self, within: Duration) {
        // SAFETY: `raw` is open until `drop`, and `&mut self` keeps other threads and the handler's users away.
        unsafe { raw::process(raw::wl_context(self.raw), within) }
    }

    /// Sends an empty confirmable message, which every server answers with a reset. Whether it left.
    pub fn ping(&mut self) -> bool {
        // SAFETY: as in `process`.
        unsafe { raw::wl_ping(self.raw) }
    }

    /// Opens one more session, for one request; `None` where the system refuses.
    pub fn another(&mut self) -> Option<Session> {
        // SAFETY: as in `process`.
        let session = unsafe { raw::wl_another(self.raw) };
        (!session.is_null()).then_some(Session(session))
    }

    /// Closes a session that `another` has opened.
    pub fn leave(&mut self, session: Session) {
        // SAFETY: it is one of this endpoint, still open, and as in `process`.
        unsafe { raw::wl_leave(session.0) }
    }

    /// Sends a request, on that session or on the first; gives the token of its answer, or `None` where libcoap or the system refuses it.
    pub fn ask(&mut self, session: Option<&Session>, request: &Request) -> Option<u64> {
        let path = match request.target {
            "" => CString::new(self.path.as_str()),
            target => CString::new(format!("{}/{target}", self.path)),
        };
        let path = path.ok()?;
        let asked = raw::Request {
            is_confirmable: request.confirmable,
            observes: request.observes,
            method: request.method as u8,
            path: path.as_ptr(),
            body: request.body.as_ptr(),
            length: request.body.len(),
        };
        let session = session.map_or(ptr::null_mut(), |session| session.0);
        // SAFETY: as in `process`; the path ends in 0, and the body, which is copied, is as long as said.
        let token = unsafe { raw::wl_ask(self.raw, session, &asked) };
        (token != 0).then_some(token)
    }
}

impl<H: ResponseHandler> Drop for Endpoint<H> {
    fn drop(&mut self) {
        // SAFETY: closed once, and then nothing calls the handler any more, which `open` has made of these boxes.
        unsafe {
            if !self.raw.is_null() {
                raw::wl_close(self.raw);
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
    // SAFETY: libcoap lends a body of `length` bytes until this returns; `context` is the handler of an endpoint that is being used, by nobody
    // else (`&mut`).
    let (body, handler) = unsafe { (raw::lent(body, length), &mut *context.cast::<H>()) };
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
