//! Binding to libcoap's server.

use std::ffi::{CString, c_void};
use std::io;
use std::net::{SocketAddr, UdpSocket};
use std::path::Path;
use std::ptr;
use std::time::Duration;

use wirelab_coap::Method;
use wirelab_peer::Fault;

use crate::bindings;

/// A request that arrived.
pub struct ReceivedRequest<'a> {
    pub method: Method,
    /// Its path, with segments separated by /.
    pub path: &'a str,
    pub body: &'a [u8],
}

/// Answers requests with a response code (class and detail, as on the wire) and a body that fits
/// into one block.
pub trait RequestHandler: Send + 'static {
    fn answer(&mut self, asked: &ReceivedRequest) -> (u8, Vec<u8>);
}

/// A server; it runs while the caller processes.
pub struct Listener<A: RequestHandler> {
    context: *mut bindings::Context,
    handler: *mut bindings::RequestHandler,
    answering: *mut A,
    /// libcoap keeps pointers to the names.
    _identity: Option<(CString, CString)>,
}

// SAFETY: libcoap has no thread-local state, and the handler is Send.
unsafe impl<A: RequestHandler> Send for Listener<A> {}

impl<A: RequestHandler> Listener<A> {
    /// Listens; over DTLS if there are files with a certificate and its key.
    ///
    /// # Errors
    /// A fatal fault that names the address.
    pub fn open(
        own: SocketAddr,
        identity: Option<(&Path, &Path)>,
        answering: A,
    ) -> Result<Self, Fault> {
        let what = || format!("listen on {own}");
        // libcoap sets SO_REUSEADDR; only a socket without it detects a port in use.
        UdpSocket::bind(own).map_err(|error| Fault::fatal(what(), error))?;
        let address = CString::new(own.ip().to_string()).expect("digits, dots and colons");
        let named = |path: &Path| CString::new(path.to_string_lossy().into_owned());
        let identity = identity.map(|(certificate, key)| Ok((named(certificate)?, named(key)?)));
        let identity = identity
            .transpose()
            .map_err(|error: std::ffi::NulError| Fault::fatal("option certificate", error))?;
        let (certificate, key) = identity
            .as_ref()
            .map_or((ptr::null(), ptr::null()), |(certificate, key)| {
                (certificate.as_ptr(), key.as_ptr())
            });
        let answering = Box::into_raw(Box::new(answering));
        let handler = Box::into_raw(Box::new(bindings::RequestHandler {
            asked: asked::<A>,
            context: answering.cast(),
        }));
        // SAFETY: the address outlives the call, which copies it; the rest lives until `drop` has
        // freed the context.
        let context =
            unsafe { bindings::wl_listen(address.as_ptr(), own.port(), certificate, key, handler) };
        let failed = io::Error::last_os_error();
        let listener = Self {
            context,
            handler,
            answering,
            _identity: identity,
        };
        match (context.is_null(), bindings::last_message()) {
            (false, _) => Ok(listener),
            (true, message) if message.is_empty() => Err(Fault::fatal(what(), failed)),
            (true, message) => Err(Fault::fatal(what(), message)),
        }
    }

    /// Processes and answers requests, and waits at most `within` for more.
    pub fn process(&mut self, within: Duration) {
        // SAFETY: open until `drop`, and `&mut self` excludes other threads.
        unsafe { bindings::process(self.context, within) }
    }
}

impl<A: RequestHandler> Drop for Listener<A> {
    fn drop(&mut self) {
        // SAFETY: freed once; afterwards nothing calls the handler, which `open` made from these
        // boxes.
        unsafe {
            if !self.context.is_null() {
                bindings::wl_free(self.context);
            }
            drop(Box::from_raw(self.handler));
            drop(Box::from_raw(self.answering));
        }
    }
}

/// 4.04 Not Found (RFC 7252, section 5.9.2.5).
const NOT_FOUND: u8 = 0x84;

extern "C" fn asked<A: RequestHandler>(
    context: *mut c_void,
    asked: *const bindings::ReceivedRequest,
    response: *mut bindings::Pdu,
) {
    // SAFETY: libcoap provides the request until this returns; `context` belongs to a listener in
    // use, with exclusive access (`&mut`).
    let (answering, path, body, method) = unsafe {
        let asked = &*asked;
        (
            &mut *context.cast::<A>(),
            bindings::lent(asked.path, asked.path_length),
            bindings::lent(asked.body, asked.length),
            asked.method,
        )
    };
    let method = match method {
        1 => Method::Get,
        2 => Method::Post,
        3 => Method::Put,
        _ => Method::Delete,
    };
    let (code, body) = match std::str::from_utf8(path) {
        Ok(path) => answering.answer(&ReceivedRequest { method, path, body }),
        Err(_) => (NOT_FOUND, Vec::new()),
    };
    // SAFETY: the response belongs to libcoap during this call; the body is copied.
    unsafe { bindings::wl_answer(response, code, body.as_ptr(), body.len()) }
}
