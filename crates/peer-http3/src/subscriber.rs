//! The subscriber: one endless response, with a frame per message.

use bytes::{BufMut, Bytes, BytesMut};
use http::Method;
use wirelab_peer::{DeliverySink, Fault, Setup, Subscriber};
use wirelab_transport::frames::next_message;
use wirelab_transport::quic::{broken, close, refused};
use wirelab_transport::{AsyncReceiveThread, causes, in_time, runtime};

use crate::connection::{Exchange, Opened, check, open, request, resource};

/// Connects and subscribes.
///
/// # Errors
/// A fatal fault that names the server and the cause.
pub fn connect(setup: &Setup, sink: DeliverySink) -> Result<Box<dyn Subscriber>, Fault> {
    let resource = resource(setup)?;
    let runtime = runtime()?;
    let (opened, exchange) = runtime.block_on(in_time(setup, async {
        let mut opened = open(setup, drop).await?;
        let asked = request(&mut opened.sender, Method::GET, &resource, Bytes::new());
        let (response, exchange) = asked.await.map_err(|why| refused(setup, why))?;
        check(setup, &response)?;
        Ok((opened, exchange))
    }))?;
    let lost = broken(setup, "");
    // A larger limit would only waste memory.
    let longest = setup.largest.max(1 << 20);
    Ok(AsyncReceiveThread::start(runtime, async move |left| {
        // Dropping the last sender would end the connection.
        let Opened {
            endpoint,
            connection,
            sender: _sender,
        } = opened;
        let mut sink = sink;
        let failed = tokio::select! {
            why = receive(exchange, &mut sink, longest) => Some(why),
            _ = left => None,
        };
        match failed {
            Some(why) => sink.fault(Fault { why, ..lost }),
            None => close(&endpoint, &connection).await,
        }
    }))
}

/// Delivers until the response ends. Returns the reason.
async fn receive(mut exchange: Exchange, sink: &mut DeliverySink, longest: usize) -> String {
    let mut waiting = BytesMut::new();
    loop {
        match exchange.recv_data().await {
            Ok(None) => return "the server ended the response".to_owned(),
            Err(error) => return causes(&error),
            Ok(Some(data)) => waiting.put(data),
        }
        loop {
            match next_message(&mut waiting, longest) {
                Ok(Some(message)) => sink.deliver(&message, false),
                Ok(None) => break,
                Err(why) => return why,
            }
        }
    }
}
