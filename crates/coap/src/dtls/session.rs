//! One DTLS session through OpenSSL, without its socket, and the certificates it uses.

use std::io::{self, ErrorKind, Read, Write};
use std::net::{IpAddr, SocketAddr};
use std::path::Path;

use openssl::ssl::{
    Error, ErrorCode, Ssl, SslContext, SslContextBuilder, SslFiletype, SslMethod, SslOptions,
    SslStream, SslVerifyMode, SslVersion,
};
use openssl::x509::X509VerifyResult;

use super::MAX_RECORD_BYTES;
use crate::io::Datagrams;

/// Maximum size of a handshake datagram, so that no link fragments it.
const MTU: u32 = 1400;

/// The certificates that a client trusts or a server presents.
#[derive(Clone)]
pub struct Identity(SslContext);

impl Identity {
    /// A client that trusts only the certificate authority in a PEM file.
    ///
    /// # Errors
    /// Why the file cannot be used.
    pub fn client(authority: &Path) -> Result<Self, String> {
        let mut context = context()?;
        context
            .set_ca_file(authority)
            .map_err(|error| error.to_string())?;
        context.set_verify(SslVerifyMode::PEER);
        Ok(Self(context.build()))
    }

    /// A server with the certificate and key in two PEM files. It issues no session tickets and
    /// requests no cookie (RFC 6347, section 4.2.1).
    ///
    /// # Errors
    /// Why the files cannot be used.
    pub fn server(certificate: &Path, key: &Path) -> Result<Self, String> {
        let mut context = context()?;
        context
            .set_certificate_chain_file(certificate)
            .and_then(|()| context.set_private_key_file(key, SslFiletype::PEM))
            .and_then(|()| context.check_private_key())
            .map_err(|error| error.to_string())?;
        context.set_options(SslOptions::NO_TICKET);
        Ok(Self(context.build()))
    }
}

fn context() -> Result<SslContextBuilder, String> {
    let mut context = SslContext::builder(SslMethod::dtls()).map_err(|error| error.to_string())?;
    context
        .set_min_proto_version(Some(SslVersion::DTLS1_2))
        .map_err(|error| error.to_string())?;
    Ok(context)
}

/// OpenSSL reads incoming datagrams from here, and writes outgoing ones.
#[derive(Default)]
struct Pipe {
    came: Option<Vec<u8>>,
    go: Vec<Vec<u8>>,
}

impl Read for Pipe {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let datagram = self.came.take().ok_or(ErrorKind::WouldBlock)?;
        let length = datagram.len().min(buffer.len());
        buffer[..length].copy_from_slice(&datagram[..length]);
        Ok(length)
    }
}

impl Write for Pipe {
    fn write(&mut self, datagram: &[u8]) -> io::Result<usize> {
        self.go.push(datagram.to_vec());
        Ok(datagram.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

pub(super) struct Session {
    stream: SslStream<Pipe>,
    /// When the session started.
    pub(super) since: i64,
}

/// Why a session ended; `None` if the other side closed it.
pub(super) type Over = Option<String>;

impl Session {
    /// `server`: the address that the server's certificate must contain; `None` on a server.
    pub(super) fn new(
        identity: &Identity,
        now: i64,
        server: Option<IpAddr>,
    ) -> Result<Self, String> {
        let open = || {
            let mut ssl = Ssl::new(&identity.0)?;
            ssl.set_mtu(MTU)?;
            match server {
                Some(address) => {
                    ssl.param_mut().set_ip(address)?;
                    ssl.set_connect_state();
                }
                None => ssl.set_accept_state(),
            }
            SslStream::new(ssl, Pipe::default())
        };
        let stream = open().map_err(|error| error.to_string())?;
        Ok(Self { stream, since: now })
    }

    /// Continues the handshake. Returns whether it is complete.
    pub(super) fn shake_hands(&mut self) -> Result<bool, Over> {
        match self.stream.do_handshake() {
            Ok(()) => Ok(true),
            Err(error) if error.code() == ErrorCode::WANT_READ => Ok(false),
            Err(error) => Err(Some(self.why(&error))),
        }
    }

    /// Decrypts the records of a datagram.
    pub(super) fn read(&mut self, mut hand: impl FnMut(&[u8])) -> Result<(), Over> {
        let mut plain = [0; MAX_RECORD_BYTES];
        loop {
            match self.stream.ssl_read(&mut plain) {
                Ok(length) => hand(&plain[..length]),
                Err(error) if error.code() == ErrorCode::WANT_READ => return Ok(()),
                Err(error) if error.code() == ErrorCode::ZERO_RETURN => return Err(None),
                Err(error) => return Err(Some(self.why(&error))),
            }
        }
    }

    /// Sends close_notify.
    pub(super) fn close(&mut self) {
        let _ = self.stream.shutdown();
    }

    /// Stores a datagram for the next step.
    pub(super) fn take(&mut self, datagram: &[u8]) {
        self.stream.get_mut().came = Some(datagram.to_vec());
    }

    /// Encrypts a message. Returns whether it can be sent.
    pub(super) fn write(&mut self, message: &[u8]) -> bool {
        self.stream.ssl_write(message).is_ok()
    }

    fn why(&self, error: &Error) -> String {
        let verified = self.stream.ssl().verify_result();
        if verified != X509VerifyResult::OK {
            return format!("certificate verify failed: {verified}");
        }
        let reason = error
            .ssl_error()
            .and_then(|stack| stack.errors().first()?.reason());
        reason.map_or_else(|| error.to_string(), str::to_owned)
    }

    /// Takes the outgoing datagrams.
    pub(super) fn leave(&mut self, to: SocketAddr, out: &mut Datagrams) {
        let go = std::mem::take(&mut self.stream.get_mut().go);
        out.extend(go.into_iter().map(|datagram| (to, datagram)));
    }
}
