//! One resource per topic. POST publishes a message and is answered once it is in every
//! subscriber's queue; GET is answered by an endless response. A full queue blocks its publishers;
//! nothing is dropped.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use bytes::Bytes;
use http_body_util::{BodyExt, Limited};
use hyper::body::{Body, Frame, Incoming};
use hyper::header::{self, HeaderValue};
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto::Builder;
use tokio::net::TcpListener;
use tokio::sync::mpsc::Sender;
use wirelab_transport::frames::framed;
use wirelab_transport::listen_args::TlsConfig;
use wirelab_transport::relay::{Subscription, Topics};
use wirelab_transport::{MAX_MESSAGE, accept_all_async};

use crate::STREAMS;

type Queues = Arc<Topics<Sender<Bytes>>>;

/// Accepts clients forever, with TLS if `tls` is given.
pub async fn serve(listener: TcpListener, tls: Option<TlsConfig>) {
    let topics = Queues::default();
    let mut builder = Builder::new(TokioExecutor::new());
    builder.http2().max_concurrent_streams(STREAMS);
    accept_all_async(listener, tls, move |client| {
        let (builder, topics) = (builder.clone(), Arc::clone(&topics));
        async move {
            let service = service_fn(|request| answer(request, Arc::clone(&topics)));
            let served = builder.serve_connection(TokioIo::new(client), service);
            if let Err(error) = served.await {
                eprintln!("client: {error}");
            }
        }
    })
    .await;
}

async fn answer(
    request: Request<Incoming>,
    topics: Queues,
) -> Result<Response<Answer>, Infallible> {
    let topic = request.uri().path().to_owned();
    let (status, body) = match *request.method() {
        Method::GET => (StatusCode::OK, Answer(Some(topics.subscribe(&topic)))),
        Method::POST => match Limited::new(request.into_body(), MAX_MESSAGE)
            .collect()
            .await
        {
            Ok(message) => {
                topics.publish(&topic, framed(&message.to_bytes())).await;
                (StatusCode::NO_CONTENT, Answer(None))
            }
            Err(error) => {
                eprintln!("message to {topic}: {error}");
                (StatusCode::PAYLOAD_TOO_LARGE, Answer(None))
            }
        },
        // Lets a client check that this is the relay.
        Method::OPTIONS => (StatusCode::NO_CONTENT, Answer(None)),
        _ => (StatusCode::METHOD_NOT_ALLOWED, Answer(None)),
    };
    let mut response = Response::new(body);
    *response.status_mut() = status;
    let name = HeaderValue::from_static("wirelab-relay");
    response.headers_mut().insert(header::SERVER, name);
    Ok(response)
}

/// The body of a response: empty, or endless frames.
struct Answer(Option<Subscription>);

impl Body for Answer {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        match &mut self.0 {
            None => Poll::Ready(None),
            Some(subscription) => subscription
                .messages
                .poll_recv(context)
                .map(|message| message.map(|message| Ok(Frame::data(message)))),
        }
    }

    fn is_end_stream(&self) -> bool {
        self.0.is_none()
    }
}
