//! The subscriber: one endless response, with a frame per message.

use bytes::{Buf, Bytes, BytesMut};
use http_body_util::BodyExt;
use hyper::Method;
use hyper::body::Incoming;
use wirelab_peer::{DeliverySink, Fault, Setup, Subscriber};
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

/// Takes a frame, a u32 little-endian length and that many bytes, from the front of `waiting`;
/// `None` if it is incomplete.
fn next_message(waiting: &mut BytesMut, longest: usize) -> Result<Option<Bytes>, String> {
    let Some(length) = waiting.first_chunk::<4>() else {
        return Ok(None);
    };
    let length = u32::from_le_bytes(*length) as usize;
    if length > longest {
        return Err(format!(
            "frame of {length} B is longer than any message of this trial"
        ));
    }
    if waiting.len() < 4 + length {
        waiting.reserve(4 + length - waiting.len());
        return Ok(None);
    }
    waiting.advance(4);
    Ok(Some(waiting.split_to(length).freeze()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_taken_when_its_last_byte_is_there() {
        let mut waiting = BytesMut::from(&b"\x02\0\0\0a"[..]);
        assert_eq!(next_message(&mut waiting, 1000), Ok(None));
        waiting.extend_from_slice(b"b\x00\0\0\0\xff");
        assert_eq!(next_message(&mut waiting, 1000), Ok(Some("ab".into())));
        assert_eq!(next_message(&mut waiting, 1000), Ok(Some("".into())));
        assert_eq!(next_message(&mut waiting, 1000), Ok(None));
        waiting.extend_from_slice(b"\xff\xff\x7f");
        let why = next_message(&mut waiting, 1000).unwrap_err();
        assert!(why.contains("2147483647 B"));
    }
}
