//! One channel to the relay, and the calls on it.

use std::error::Error;
use std::fmt::Write;
use std::sync::Mutex;

use bytes::Bytes;
use http::uri::PathAndQuery;
use hyper_util::rt::TokioIo;
use tonic::client::Grpc;
use tonic::metadata::{Ascii, MetadataValue};
use tonic::transport::{Channel, Endpoint};
use tonic::{Request, Status};
use tower::service_fn;
use wirelab_peer::{Fault, Setup};
use wirelab_transport::grpc::Raw;
use wirelab_transport::{MAX_MESSAGE, causes, dial_async, tls};

/// Calls on a channel.
pub type Calls = Grpc<Channel>;

/// Connects and calls the relay's method `Hello`: a connection alone does not show which server
/// answers.
///
/// # Errors
/// A fatal fault that names the server and the cause.
pub async fn open(setup: &Setup) -> Result<(Calls, Target), Fault> {
    let server = setup.server();
    let failed = |why: String| Fault::fatal(format!("connect {server}"), why);
    let target = Target::new(setup)?;
    // Connects only once: by itself the channel would reconnect silently.
    let once = Mutex::new(Some(
        dial_async(setup, tls::client_config_if_enabled(setup, &[b"h2"])?).await?,
    ));
    let connector = service_fn(move |_| {
        let stream = once.lock().ok().and_then(|mut stream| stream.take());
        async { stream.map(TokioIo::new).ok_or("the connection broke") }
    });
    let channel = Endpoint::from_shared(format!("http://{server}"))
        .map_err(|error| failed(causes(&error)))?
        .connect_with_connector(connector)
        .await
        .map_err(|error| failed(causes(&error)))?;
    let mut calls = Grpc::new(channel).max_decoding_message_size(MAX_MESSAGE);
    call(&mut calls, &target, "Hello", Bytes::new())
        .await
        .map_err(|status| failed(why(&status)))?;
    Ok((calls, target))
}

/// A unary call.
///
/// # Errors
/// The call's status.
pub async fn call(
    calls: &mut Calls,
    target: &Target,
    method: &str,
    message: Bytes,
) -> Result<(), Status> {
    calls
        .ready()
        .await
        .map_err(|error| Status::unavailable(causes(&error)))?;
    let answered = calls.unary(target.request(message), target.path(method), Raw);
    answered.await.map(drop)
}

/// What the calls of a trial have in common.
#[derive(Clone)]
pub struct Target {
    topic: MetadataValue<Ascii>,
}

impl Target {
    fn new(setup: &Setup) -> Result<Self, Fault> {
        let topic = setup.topic.parse();
        let topic =
            topic.map_err(|error| Fault::fatal(format!("topic {:?}", setup.topic), error))?;
        Ok(Self { topic })
    }

    /// A request for the topic.
    pub fn request<T>(&self, message: T) -> Request<T> {
        let mut request = Request::new(message);
        request.metadata_mut().insert("topic", self.topic.clone());
        request
    }

    /// The path of one of the relay's methods.
    pub fn path(&self, method: &str) -> PathAndQuery {
        format!("/wirelab.Relay/{method}")
            .parse()
            .expect("a method's name is a path")
    }
}

/// A status as text.
pub fn why(status: &Status) -> String {
    let mut text = format!("{}: {}", status.code(), status.message());
    if let Some(source) = status.source() {
        let _ = write!(text, ": {}", causes(source));
    }
    text
}
