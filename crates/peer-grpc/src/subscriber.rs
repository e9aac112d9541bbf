//! The subscriber: one call with an endless stream of responses.

use bytes::Bytes;
use tonic::Streaming;
use wirelab_peer::{DeliverySink, Fault, Setup, Subscriber};
use wirelab_transport::grpc::Raw;
use wirelab_transport::{AsyncReceiveThread, causes, in_time, runtime};

use crate::connection::{open, why};

/// Connects and subscribes.
///
/// # Errors
/// A fatal fault that names the relay and the cause.
pub fn connect(setup: &Setup, sink: DeliverySink) -> Result<Box<dyn Subscriber>, Fault> {
    let runtime = runtime()?;
    let failed = |why: String| Fault::fatal(format!("subscribe at {}", setup.server()), why);
    let answers = runtime.block_on(in_time(setup, async {
        let (mut calls, target) = open(setup).await?;
        calls
            .ready()
            .await
            .map_err(|error| failed(causes(&error)))?;
        let path = target.path("Subscribe");
        let asked = calls.server_streaming(target.request(Bytes::new()), path, Raw);
        let answered = asked.await.map_err(|status| failed(why(&status)))?;
        Ok(answered.into_inner())
    }))?;
    let what = format!("connection to {}", setup.server());
    Ok(AsyncReceiveThread::start(runtime, async move |left| {
        let mut sink = sink;
        tokio::select! {
            why = receive(answers, &mut sink) => sink.fault(Fault::fatal(what, why)),
            _ = left => {}
        }
    }))
}

/// Delivers until the call ends. Returns the reason.
async fn receive(mut answers: Streaming<Bytes>, sink: &mut DeliverySink) -> String {
    loop {
        match answers.message().await {
            Ok(Some(message)) => sink.deliver(&message, false),
            Ok(None) => return "the relay ended the call".to_owned(),
            Err(status) => return why(&status),
        }
    }
}
