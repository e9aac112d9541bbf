//! One connection to the relay, and the requests on it.

use bytes::Bytes;
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::client::conn::{http1, http2};
use hyper::http::uri::PathAndQuery;
use hyper::{Method, Request, Response, Uri, header};
use hyper_util::rt::{TokioExecutor, TokioIo};
use wirelab_peer::{Fault, Setup};
use wirelab_transport::{causes, dial_async, tls};

use crate::Version;

/// A handle for sending requests.
pub enum Sender {
    One(http1::SendRequest<Full<Bytes>>),
    Two(http2::SendRequest<Full<Bytes>>),
}

impl Sender {
    /// Sends a request and waits for the response headers.
    ///
    /// # Errors
    /// Those of the connection.
    pub async fn send(
        &mut self,
        request: Request<Full<Bytes>>,
    ) -> hyper::Result<Response<Incoming>> {
        match self {
            Self::One(sender) => {
                sender.ready().await?;
                sender.send_request(request).await
            }
            Self::Two(sender) => {
                sender.ready().await?;
                sender.send_request(request).await
            }
        }
    }

    /// Another handle for the same connection, if the version multiplexes requests.
    pub fn twin(&self) -> Option<Self> {
        match self {
            Self::One(_) => None,
            Self::Two(sender) => Some(Self::Two(sender.clone())),
        }
    }
}

/// Connects. `ended` is called with the reason when the connection ends.
///
/// # Errors
/// A fatal fault that names the server and the cause.
pub async fn open(
    setup: &Setup,
    version: Version,
    ended: impl FnOnce(String) + Send + 'static,
) -> Result<Sender, Fault> {
    let alpn: &[u8] = match version {
        Version::Http => b"http/1.1",
        Version::Http2 => b"h2",
    };
    let io = TokioIo::new(dial_async(setup, tls::client_config_if_enabled(setup, &[alpn])?).await?);
    let failed = |error: hyper::Error| refused(setup, &error);
    let why = |result: hyper::Result<()>| match result {
        Ok(()) => "the server closed the connection".to_owned(),
        Err(error) => causes(&error),
    };
    match version {
        Version::Http => {
            let (sender, connection) = http1::handshake(io).await.map_err(failed)?;
            tokio::spawn(async move { ended(why(connection.await)) });
            Ok(Sender::One(sender))
        }
        Version::Http2 => {
            let made = http2::handshake(TokioExecutor::new(), io).await;
            let (sender, connection) = made.map_err(failed)?;
            tokio::spawn(async move { ended(why(connection.await)) });
            Ok(Sender::Two(sender))
        }
    }
}

/// What the requests of a trial have in common.
#[derive(Clone)]
pub struct Target {
    uri: Uri,
    host: Option<String>,
}

impl Target {
    /// The topic as a resource path.
    ///
    /// # Errors
    /// A fatal fault if the topic is not a valid path.
    pub fn new(setup: &Setup, version: Version) -> Result<Self, Fault> {
        let bad = |error| Fault::fatal(format!("topic {:?}", setup.topic), error);
        let path = PathAndQuery::try_from(format!("/{}", setup.topic)).map_err(bad)?;
        let server = setup.server().to_string();
        if version == Version::Http {
            return Ok(Self {
                uri: path.into(),
                host: Some(server),
            });
        }
        let scheme = match setup.options.text("transport") {
            "tls" => "https",
            _ => "http",
        };
        let uri = Uri::builder().scheme(scheme).authority(server);
        let uri = uri.path_and_query(path).build();
        Ok(Self {
            uri: uri.map_err(|error| Fault::fatal("topic", error))?,
            host: None,
        })
    }

    /// A request with a body.
    pub fn request(&self, method: Method, body: Bytes) -> Request<Full<Bytes>> {
        let mut request = Request::new(Full::new(body));
        *request.method_mut() = method;
        *request.uri_mut() = self.uri.clone();
        if let Some(host) = self.host.as_deref().and_then(|host| host.parse().ok()) {
            request.headers_mut().insert(header::HOST, host);
        }
        request
    }
}

/// The response, if it is the relay's according to its `Server` header.
///
/// # Errors
/// A fatal fault that names the server and its answer.
pub fn granted(setup: &Setup, response: Response<Incoming>) -> Result<Response<Incoming>, Fault> {
    let what = format!("connect {}", setup.server());
    if !response.status().is_success() {
        return Err(Fault::fatal(
            what,
            format!("the server answered {}", response.status()),
        ));
    }
    match response.headers().get(header::SERVER) {
        Some(name) if name == "wirelab-relay" => Ok(response),
        _ => Err(Fault::fatal(what, "the server is not the relay")),
    }
}

/// The fault of a request that failed while connecting.
pub fn refused(setup: &Setup, error: &hyper::Error) -> Fault {
    Fault::fatal(format!("connect {}", setup.server()), causes(error))
}
