//! The subscriber: one thread serves the connection and receives.

use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use quinn::{Connection, ReadExactError, RecvStream, VarInt};
use wirelab_peer::{DeliverySink, Fault, Setup, Subscriber};
use wirelab_transport::handshake::Role;
use wirelab_transport::quic::broken;
use wirelab_transport::{AsyncReceiveThread, in_time, runtime};

use crate::connection::{Welcomed, open};

/// Connects and subscribes.
///
/// # Errors
/// A fatal fault that names the relay and the cause.
pub fn connect(setup: &Setup, sink: DeliverySink) -> Result<Box<dyn Subscriber>, Fault> {
    let runtime = runtime()?;
    let welcomed = runtime.block_on(in_time(setup, open(setup, Role::Subscriber)))?;
    let (lost, qos) = (broken(setup, ""), setup.qos.clone());
    // A larger limit would only waste memory.
    let longest = setup.largest.max(1 << 20);
    Ok(AsyncReceiveThread::start(runtime, async move |left| {
        let Welcomed {
            endpoint,
            connection,
            send: _hello,
            receive,
        } = welcomed;
        let mut sink = sink;
        let failed = tokio::select! {
            why = arrivals(&qos, &connection, receive, &mut sink, longest) => Some(why),
            _ = left => None,
        };
        match failed {
            Some(why) => sink.fault(Fault { why, ..lost }),
            None => connection.close(VarInt::from_u32(0), b""),
        }
        drop(endpoint);
    }))
}

/// Delivers until the connection ends. Returns the reason.
async fn arrivals(
    qos: &str,
    connection: &Connection,
    receive: RecvStream,
    sink: &mut DeliverySink,
    longest: usize,
) -> String {
    match qos {
        "stream" => frames(receive, sink, longest).await,
        "streams" => streams(connection, sink, longest).await,
        _ => datagrams(connection, sink).await,
    }
}

async fn frames(mut receive: RecvStream, sink: &mut DeliverySink, longest: usize) -> String {
    let mut message = Vec::new();
    loop {
        if let Err(error) = frame(&mut receive, &mut message, longest).await {
            return error;
        }
        sink.deliver(&message, false);
    }
}

async fn frame(
    receive: &mut RecvStream,
    message: &mut Vec<u8>,
    longest: usize,
) -> Result<(), String> {
    let why = |error: ReadExactError| error.to_string();
    let mut length = [0; 4];
    receive.read_exact(&mut length).await.map_err(why)?;
    let length = u32::from_le_bytes(length) as usize;
    if length > longest {
        return Err(format!(
            "frame of {length} B is longer than any message of this trial"
        ));
    }
    message.resize(length, 0);
    receive.read_exact(message).await.map_err(why)
}

async fn streams(connection: &Connection, sink: &mut DeliverySink, longest: usize) -> String {
    let mut reading = FuturesUnordered::new();
    loop {
        tokio::select! {
            next = connection.accept_uni() => match next {
                Ok(mut stream) => reading.push(async move { stream.read_to_end(longest).await }),
                Err(error) => return error.to_string(),
            },
            Some(whole) = reading.next() => match whole {
                Ok(message) => sink.deliver(&message, false),
                Err(error) => return error.to_string(),
            },
        }
    }
}

async fn datagrams(connection: &Connection, sink: &mut DeliverySink) -> String {
    loop {
        match connection.read_datagram().await {
            Ok(message) => sink.deliver(&message, false),
            Err(error) => return error.to_string(),
        }
    }
}
