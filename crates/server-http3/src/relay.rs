//! One resource per topic. POST publishes a message and is answered once it is in every
//! subscriber's queue; GET is answered by an endless response. A full queue blocks its publishers;
//! nothing is dropped.

use std::error::Error;
use std::sync::Arc;

use bytes::{Buf, BufMut, Bytes, BytesMut};
use h3::server::{Connection, RequestResolver, RequestStream};
use http::{HeaderValue, Method, Response, StatusCode, header};
use quinn::{Endpoint, Incoming};
use tokio::sync::mpsc::Sender;
use wirelab_transport::MAX_MESSAGE;
use wirelab_transport::frames::framed;
use wirelab_transport::relay::{Subscription, Topics};

type Outcome<T> = Result<T, Box<dyn Error + Send + Sync>>;
type Queues = Arc<Topics<Sender<Bytes>>>;
type Stream = RequestStream<h3_quinn::BidiStream<Bytes>, Bytes>;

/// Accepts clients forever.
pub async fn serve(endpoint: Endpoint) {
    let topics = Queues::default();
    while let Some(incoming) = endpoint.accept().await {
        let topics = Arc::clone(&topics);
        tokio::spawn(async move {
            if let Err(error) = client(incoming, topics).await {
                eprintln!("client: {error}");
            }
        });
    }
}

async fn client(incoming: Incoming, topics: Queues) -> Outcome<()> {
    let quic = h3_quinn::Connection::new(incoming.await?);
    let mut connection = Connection::new(quic).await?;
    while let Some(request) = connection.accept().await? {
        let topics = Arc::clone(&topics);
        tokio::spawn(async move {
            if let Err(error) = answer(request, topics).await {
                eprintln!("request: {error}");
            }
        });
    }
    Ok(())
}

async fn answer(
    request: RequestResolver<h3_quinn::Connection, Bytes>,
    topics: Queues,
) -> Outcome<()> {
    let (request, mut stream) = request.resolve_request().await?;
    let topic = request.uri().path().to_owned();
    let status = match *request.method() {
        Method::GET => {
            let subscription = topics.subscribe(&topic);
            stream.send_response(response(StatusCode::OK)).await?;
            return forward(stream, subscription).await;
        }
        Method::POST => match body(&mut stream).await? {
            Some(message) => {
                topics.publish(&topic, framed(&message)).await;
                StatusCode::NO_CONTENT
            }
            None => StatusCode::PAYLOAD_TOO_LARGE,
        },
        // Lets a client check that this is the relay.
        Method::OPTIONS => StatusCode::NO_CONTENT,
        _ => StatusCode::METHOD_NOT_ALLOWED,
    };
    stream.send_response(response(status)).await?;
    stream.finish().await?;
    Ok(())
}

/// Sends what is published, until the client leaves.
async fn forward(mut stream: Stream, mut subscription: Subscription) -> Outcome<()> {
    while let Some(frame) = subscription.messages.recv().await {
        stream.send_data(frame).await?;
    }
    Ok(())
}

/// The body of a request; `None` if it is longer than the largest message.
async fn body(stream: &mut Stream) -> Outcome<Option<Bytes>> {
    let mut body = BytesMut::new();
    while let Some(data) = stream.recv_data().await? {
        if body.len() + data.remaining() > MAX_MESSAGE {
            return Ok(None);
        }
        body.put(data);
    }
    Ok(Some(body.freeze()))
}

fn response(status: StatusCode) -> Response<()> {
    let mut response = Response::new(());
    *response.status_mut() = status;
    let name = HeaderValue::from_static("wirelab-relay");
    response.headers_mut().insert(header::SERVER, name);
    response
}
