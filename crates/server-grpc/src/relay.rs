//! The service `wirelab.Relay`: `Hello`, `Publish` (one message), `PublishAll` (a stream of
//! messages) and `Subscribe`. A call is answered once the message is in every subscriber's queue. A
//! full queue blocks its publishers; nothing is dropped.

use std::convert::Infallible;
use std::sync::Arc;

use bytes::Bytes;
use futures_util::stream::poll_fn;
use hyper::body::Incoming;
use hyper::server::conn::http2::Builder;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::net::TcpListener;
use tokio::sync::mpsc::Sender;
use tonic::body::Body;
use tonic::server::Grpc;
use tonic::{Request, Response, Status, Streaming};
use wirelab_transport::grpc::Raw;
use wirelab_transport::listen_args::TlsConfig;
use wirelab_transport::relay::Topics;
use wirelab_transport::{MAX_MESSAGE, accept_all_async};

use crate::CALLS;

type Queues = Arc<Topics<Sender<Bytes>>>;

/// Accepts clients forever, with TLS if `tls` is given.
pub async fn serve(listener: TcpListener, tls: Option<TlsConfig>) {
    let topics = Queues::default();
    let mut builder = Builder::new(TokioExecutor::new());
    builder.max_concurrent_streams(CALLS);
    accept_all_async(listener, tls, move |client| {
        let (builder, topics) = (builder.clone(), Arc::clone(&topics));
        async move {
            let service = service_fn(|call| answer(call, Arc::clone(&topics)));
            let served = builder.serve_connection(TokioIo::new(client), service);
            if let Err(error) = served.await {
                eprintln!("client: {error}");
            }
        }
    })
    .await;
}

async fn answer(
    call: hyper::Request<Incoming>,
    topics: Queues,
) -> Result<hyper::Response<Body>, Infallible> {
    let mut grpc = Grpc::new(Raw).max_decoding_message_size(MAX_MESSAGE);
    let method = call.uri().path().to_owned();
    Ok(match method.as_str() {
        "/wirelab.Relay/Hello" => {
            let hello = |_| async { Ok::<_, Status>(Response::new(Bytes::new())) };
            grpc.unary(tower::service_fn(hello), call).await
        }
        "/wirelab.Relay/Publish" => {
            let publish = |request| publish(request, Arc::clone(&topics));
            grpc.unary(tower::service_fn(publish), call).await
        }
        "/wirelab.Relay/PublishAll" => {
            let publish = |request| publish_all(request, Arc::clone(&topics));
            grpc.client_streaming(tower::service_fn(publish), call)
                .await
        }
        "/wirelab.Relay/Subscribe" => {
            let subscribe = |request: Request<Bytes>| {
                let joined = topic(&request).map(|topic| topics.subscribe(&topic));
                let answers = joined.map(|mut subscription| {
                    poll_fn(move |context| {
                        let next = subscription.messages.poll_recv(context);
                        next.map(|message| message.map(Ok::<_, Status>))
                    })
                });
                std::future::ready(answers.map(Response::new))
            };
            grpc.server_streaming(tower::service_fn(subscribe), call)
                .await
        }
        _ => Status::unimplemented(method).into_http(),
    })
}

async fn publish(request: Request<Bytes>, topics: Queues) -> Result<Response<Bytes>, Status> {
    let topic = topic(&request)?;
    topics.publish(&topic, request.into_inner()).await;
    Ok(Response::new(Bytes::new()))
}

async fn publish_all(
    request: Request<Streaming<Bytes>>,
    topics: Queues,
) -> Result<Response<Bytes>, Status> {
    let topic = topic(&request)?;
    let mut messages = request.into_inner();
    while let Some(message) = messages.message().await? {
        topics.publish(&topic, message).await;
    }
    Ok(Response::new(Bytes::new()))
}

fn topic<T>(request: &Request<T>) -> Result<String, Status> {
    let topic = request.metadata().get("topic");
    topic
        .and_then(|topic| topic.to_str().ok())
        .map(str::to_owned)
        .ok_or_else(|| Status::invalid_argument("no topic in the metadata"))
}
