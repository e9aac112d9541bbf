//! The side that answers requests: each goes back to whoever sent it, under the id that it had.

use futures_util::StreamExt;
use tokio::sync::{mpsc, oneshot};
use tokio_xmpp::Stanza;
use tokio_xmpp::parsers::message::{Message, MessageType};
use tokio_xmpp::stanzastream::{Event, StanzaStream};
use wirelab_peer::{Desk, Fault, Setup, Subscriber};

use crate::body::{Form, fill, read};
use crate::connection::{Line, available, jid, open};
use crate::subscriber::Xmpp;

/// Connects, and is available to whoever sends to the topic's address.
///
/// # Errors
/// A fatal fault that names the server and the cause.
pub fn connect(setup: &Setup, desk: Desk) -> Result<Box<dyn Subscriber>, Fault> {
    let own = jid(setup, "subscriber", &setup.topic)?;
    let form = Form::read(setup)?;
    let (leave, told) = oneshot::channel();
    let (gone, left) = oneshot::channel();
    let (faults, broken) = mpsc::unbounded_channel();
    let tell = move |fault| drop(faults.send(fault));
    let handle = open(setup, own, tell, move |stream, line| async move {
        respond(stream, line, desk, form, told, broken).await;
        let _ = gone.send(());
    })?;
    Ok(Box::new(Xmpp {
        handle,
        leave,
        left,
    }))
}

async fn respond(
    mut stream: StanzaStream,
    line: Line,
    mut desk: Desk,
    form: Form,
    mut told: oneshot::Receiver<()>,
    mut broken: mpsc::UnboundedReceiver<Fault>,
) {
    stream.send(available()).await;
    loop {
        tokio::select! {
            event = stream.next() => match event {
                Some(Event::Stanza(Stanza::Message(request))) => {
                    if let Some(answer) = answered(request, &mut desk, form) {
                        stream.send(Box::new(Stanza::Message(answer))).await;
                    }
                }
                Some(event) if line.is_back(&event) => {
                    stream.send(available()).await;
                    desk.reconnected();
                }
                Some(_) => {}
                None => return,
            },
            Some(fault) = broken.recv() => return desk.fault(fault),
            _ = &mut told => return stream.close().await,
        }
    }
}

fn answered(request: Message, desk: &mut Desk, form: Form) -> Option<Message> {
    let bytes = read(&request).filter(|_| request.type_ != MessageType::Error)?;
    let answer = desk.answer(&bytes, false);
    let mut message = Message::chat(Some(request.from?));
    message.id = request.id;
    fill(&mut message, &answer.body, form);
    Some(message)
}
