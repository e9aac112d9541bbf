//! The edge to libcoap's server: it listens, and somebody gives the answers.

use std::ffi::{CString, c_void};
use std::io;
use std::net::{SocketAddr, UdpSocket};
use std::path::Path;
use std::ptr;
use std::time::Duration;

use wirelab_coap::Method;
use wirelab_peer::Fault;

use crate::raw;

/// A request that has come.
pub struct ReceivedRequest<'a> {
    pub method: Method,
    /// Its path, with / between the segments.
    pub path: &'a str,
    pub body: &'a [u8],
}

/// Who answers: the code of the response (class and detail, as on the wire) and its body, which fits a block.
pub trait RequestHandler: Send + 'static {
    fn answer(&mut self, asked: &ReceivedRequest) -> (u8, Vec<u8>);
}

/// A server that runs while somebody lets it process.
pub struct Listener<A: RequestHandler> {
    context: *mut raw::Context,
    handler: *mut raw::RequestHandler,
    answering: *mut A,
    /// libcoap keeps the names, not the files.
    _identity: Option<(CString, CString)>,
}

// SAFETY: libcoap keeps nothing by thread, and who answers may go to another thread as well.
unsafe impl<A: RequestHandler> Send for Listener<A> {}

impl<A: RequestHandler> Listener<A> {
    /// Listens; over DTLS where there are files with a certificate and its key.
    ///
    /// # Errors
    /// A fatal fault that names the address.
    pub fn open(
        own: SocketAddr,
        identity: Option<(&Path, &Path)>,
        answering: A,
    ) -> Result<Self, Fault> {
        let what = || format!("listen on {own}");
        // libcoap shares a port with whoever else lets it; one that is taken shows only to a socket that does not.
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
        let handler = Box::into_raw(Box::new(raw::RequestHandler {
            asked: asked::<A>,
            context: answering.cast(),
        }));
        // SAFETY: the address outlives the call, which copies it; the rest lives until `drop` has freed the context.
        let context =
            unsafe { raw::wl_listen(address.as_ptr(), own.port(), certificate, key, handler) };
        let failed = io::Error::last_os_error();
        let listener = Self {
            context,
            handler,
            answering,
            _identity: identity,
        };
        match (context.is_null(), raw::said()) {
            (false, _) => Ok(listener),
            (true, said) if said.is_empty() => Err(Fault::fatal(what(), failed)),
            (true, said) => Err(Fault::fatal(what(), said)),
        }
    }

    /// Takes what has come, answers it, and waits at most so long for more.
    pub fn process(&mut self, within: Duration) {
        // SAFETY: open until `drop`, and `&mut self` keeps other threads away.
        unsafe { raw::process(self.context, within) }
    }
}

impl<A: RequestHandler> Drop for Listener<A> {
    fn drop(&mut self) {
        // SAFETY: freed once, and then nothing calls who answers any more, whom `open` has made of these boxes.
        unsafe {
            if !self.context.is_null() {
                raw::wl_free(self.context);
            }
            drop(Box::from_raw(self.handler));
            drop(Box::from_raw(self.answering));
        }
    }
}

/// 4.04: there is nothing at that path (RFC 7252, section 5.9.2.5).
const NOT_FOUND: u8 = 0x84;

extern "C" fn asked<A: RequestHandler>(
    context: *mut c_void,
    asked: *const raw::ReceivedRequest,
    response: *mut raw::Pdu,
) {
    // SAFETY: libcoap lends the request until this returns; `context` is of a listener that is being used, by nobody else (`&mut`).
    let (answering, path, body, method) = unsafe {
        let asked = &*asked;
        (
            &mut *context.cast::<A>(),
            raw::lent(asked.path, asked.path_length),
            raw::lent(asked.body, asked.length),
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
    // SAFETY: the response is libcoap's, within this call; the body is copied.
    unsafe { raw::wl_answer(response, code, body.as_ptr(), body.len()) }
}
