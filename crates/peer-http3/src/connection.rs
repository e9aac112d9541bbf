//! One connection to the relay, and the requests on it.

use std::future::poll_fn;

use bytes::Bytes;
use h3::client::{RequestStream, SendRequest};
use http::{Method, Request, Response, Uri, header};
use quinn::{Connection, Endpoint};
use wirelab_peer::{Fault, Setup};
use wirelab_transport::causes;
use wirelab_transport::quic::{connect, refused};

/// A handle for sending requests; its clones use the same connection.
pub type Sender = SendRequest<h3_quinn::OpenStreams, Bytes>;
/// A request whose response is being received.
pub type Exchange = RequestStream<h3_quinn::BidiStream<Bytes>, Bytes>;

/// A connection with its requests. Dropping the endpoint or the last sender ends it.
pub struct Opened {
    pub endpoint: Endpoint,
    pub connection: Connection,
    pub sender: Sender,
}

/// Connects. `ended` is called with the reason when the connection ends.
///
/// # Errors
/// A fatal fault that names the server and the cause.
pub async fn open(
    setup: &Setup,
    ended: impl FnOnce(String) + Send + 'static,
) -> Result<Opened, Fault> {
    let (endpoint, connection) = connect(setup, b"h3", |_| {}).await?;
    let (mut driver, sender) = h3::client::new(h3_quinn::Connection::new(connection.clone()))
        .await
        .map_err(|error| refused(setup, causes(&error)))?;
    tokio::spawn(async move {
        let why = poll_fn(|context| driver.poll_close(context)).await;
        ended(causes(&why));
    });
    Ok(Opened {
        endpoint,
        connection,
        sender,
    })
}

/// The topic as a resource.
///
/// # Errors
/// A fatal fault if the topic is not a valid path.
pub fn resource(setup: &Setup) -> Result<Uri, Fault> {
    Uri::builder()
        .scheme("https")
        .authority(setup.server().to_string())
        .path_and_query(format!("/{}", setup.topic))
        .build()
        .map_err(|error| Fault::fatal(format!("topic {:?}", setup.topic), error))
}

/// Sends a request with a body and waits for the response's header.
///
/// # Errors
/// One sentence with the causes.
pub async fn request(
    sender: &mut Sender,
    method: Method,
    resource: &Uri,
    body: Bytes,
) -> Result<(Response<()>, Exchange), String> {
    let mut request = Request::new(());
    *request.method_mut() = method;
    *request.uri_mut() = resource.clone();
    let sent = async {
        let mut exchange = sender.send_request(request).await?;
        if !body.is_empty() {
            exchange.send_data(body).await?;
        }
        exchange.finish().await?;
        let response = exchange.recv_response().await?;
        Ok((response, exchange))
    };
    sent.await
        .map_err(|error: h3::error::StreamError| causes(&error))
}

/// Checks that a response is the relay's according to its `Server` header.
///
/// # Errors
/// A fatal fault that names the server and its answer.
pub fn check(setup: &Setup, response: &Response<()>) -> Result<(), Fault> {
    if !response.status().is_success() {
        let why = format!("the server answered {}", response.status());
        return Err(refused(setup, why));
    }
    match response.headers().get(header::SERVER) {
        Some(name) if name == "wirelab-relay" => Ok(()),
        _ => Err(refused(setup, "the server is not the relay")),
    }
}
