//! Each message leaves the way it came: as a frame on the hello's stream, on its own stream, or as
//! a datagram. There is no queue beyond QUIC's own: a subscriber that does not read blocks its
//! publishers.

use std::error::Error;
use std::sync::Arc;

use bytes::Bytes;
use quinn::{Connection, Endpoint, Incoming, RecvStream, SendStream};
use tokio::sync::Mutex;
use wirelab_transport::MAX_MESSAGE;
use wirelab_transport::handshake::{Hello, MAX_HELLO, Role, WELCOME};
use wirelab_transport::relay::Topics;

type Outcome<T> = Result<T, Box<dyn Error + Send + Sync>>;

struct Subscriber {
    connection: Connection,
    stream: Mutex<SendStream>,
}

type Subscribers = Arc<Topics<Subscriber>>;

/// Accepts clients forever.
pub async fn serve(endpoint: Endpoint) {
    let topics = Subscribers::default();
    while let Some(incoming) = endpoint.accept().await {
        let topics = Arc::clone(&topics);
        tokio::spawn(async move {
            if let Err(error) = client(incoming, topics).await {
                eprintln!("client: {error}");
            }
        });
    }
}

async fn client(incoming: Incoming, topics: Subscribers) -> Outcome<()> {
    let connection = incoming.await?;
    let (mut send, mut receive) = connection.accept_bi().await?;
    let hello = read_hello(&mut receive).await?;
    match hello.role {
        Role::Publisher => {
            send.write_all(WELCOME).await?;
            relay(connection, receive, topics, hello.topic).await
        }
        Role::Subscriber => {
            let subscriber = Arc::new(Subscriber {
                connection: connection.clone(),
                stream: Mutex::new(send),
            });
            let mut stream = subscriber.stream.lock().await;
            topics.join(&hello.topic, Arc::clone(&subscriber));
            stream.write_all(WELCOME).await?;
            drop(stream);
            connection.closed().await;
            topics.leave(&hello.topic, &subscriber);
            Ok(())
        }
    }
}

async fn read_hello(receive: &mut RecvStream) -> Outcome<Hello> {
    let mut line = Vec::new();
    while line.last() != Some(&b'\n') && line.len() <= MAX_HELLO {
        let mut next = [0];
        receive.read_exact(&mut next).await?;
        line.push(next[0]);
    }
    Hello::parse(&line).ok_or_else(|| "the first line is not a hello".into())
}

async fn relay(
    connection: Connection,
    mut receive: RecvStream,
    topics: Subscribers,
    topic: String,
) -> Outcome<()> {
    let topic = Arc::<str>::from(topic);
    let (streams, to) = (
        connection.clone(),
        (Arc::clone(&topics), Arc::clone(&topic)),
    );
    tokio::spawn(async move {
        while let Ok(stream) = streams.accept_uni().await {
            let (topics, topic) = to.clone();
            tokio::spawn(async move { log_error(whole(stream, &topics, &topic).await) });
        }
    });
    let (datagrams, to) = (
        connection.clone(),
        (Arc::clone(&topics), Arc::clone(&topic)),
    );
    tokio::spawn(async move {
        while let Ok(message) = datagrams.read_datagram().await {
            for subscriber in to.0.subscribers(&to.1) {
                log_error(
                    subscriber
                        .connection
                        .send_datagram_wait(message.clone())
                        .await,
                );
            }
        }
    });
    // The publisher finishes its stream after the last frame.
    while let Some(frame) = read_frame(&mut receive).await? {
        for subscriber in topics.subscribers(&topic) {
            log_error(
                subscriber
                    .stream
                    .lock()
                    .await
                    .write_chunk(frame.clone())
                    .await,
            );
        }
    }
    Ok(())
}

/// Forwards a stream with one message.
async fn whole(mut stream: RecvStream, topics: &Topics<Subscriber>, topic: &str) -> Outcome<()> {
    let message = Bytes::from(stream.read_to_end(MAX_MESSAGE).await?);
    for subscriber in topics.subscribers(topic) {
        let mut out = subscriber.connection.open_uni().await?;
        out.write_chunk(message.clone()).await?;
        out.finish()?;
    }
    Ok(())
}

/// A frame with its length; `None` at the end of the stream.
async fn read_frame(receive: &mut RecvStream) -> Outcome<Option<Bytes>> {
    let mut length = [0; 4];
    match receive.read_exact(&mut length).await {
        Err(quinn::ReadExactError::FinishedEarly(0)) => return Ok(None),
        other => other?,
    }
    let size = u32::from_le_bytes(length) as usize;
    if size > MAX_MESSAGE {
        return Err(format!("frame of {size} B exceeds the limit of {MAX_MESSAGE} B").into());
    }
    let mut frame = vec![0; 4 + size];
    frame[..4].copy_from_slice(&length);
    receive.read_exact(&mut frame[4..]).await?;
    Ok(Some(frame.into()))
}

fn log_error<T, E: std::fmt::Display>(result: Result<T, E>) {
    if let Err(error) = result {
        eprintln!("relay: {error}");
    }
}
