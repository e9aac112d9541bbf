//! The subscriber: one endless response, with a frame per message.

use bytes::{Bytes, BytesMut};
use http_body_util::BodyExt;
use hyper::Method;
use hyper::body::Incoming;
use wirelab_peer::{DeliverySink, Fault, Setup, Subscriber};
use wirelab_transport::frames::next_message;
use wirelab_transport::{AsyncReceiveThread, causes, in_time, runtime};

use crate::Version;
use crate::connection::{Target, granted, open, refused};

/// Connects and subscribes.
///
/// # Errors
/// A fatal fault that names the server and the cause.
pub fn connect(
    setup: &Setup,
    sink: DeliverySink,
    version: Version,
) -> Result<Box<dyn Subscriber>, Fault> {
    let target = Target::new(setup, version)?;
    let runtime = runtime()?;
    let (sender, body) = runtime.block_on(in_time(setup, async {
        let mut sender = open(setup, version, drop).await?;
        let asked = sender.send(target.request(Method::GET, Bytes::new())).await;
        let response = granted(setup, asked.map_err(|error| refused(setup, &error))?)?;
        Ok((sender, response.into_body()))
    }))?;
    let what = format!("connection to {}", setup.server());
    // A larger limit would only waste memory.
    let longest = setup.largest.max(1 << 20);
    Ok(AsyncReceiveThread::start(runtime, async move |left| {
        let mut sink = sink;
        tokio::select! {
            why = receive(body, &mut sink, longest) => sink.fault(Fault::fatal(what, why)),
            _ = left => {}
        }
        drop(sender);
    }))
}

/// Delivers until the response ends. Returns the reason.
async fn receive(mut body: Incoming, sink: &mut DeliverySink, longest: usize) -> String {
    let mut waiting = BytesMut::new();
    loop {
        let data = match body.frame().await {
            None => return "the server ended the response".to_owned(),
            Some(Err(error)) => return causes(&error),
            Some(Ok(frame)) => frame.into_data().unwrap_or_default(),
        };
        waiting.extend_from_slice(&data);
        loop {
            match next_message(&mut waiting, longest) {
                Ok(Some(message)) => sink.deliver(&message, false),
                Ok(None) => break,
                Err(why) => return why,
            }
        }
    }
}
