//! The responder: sends each answer to the sender of the request, under the ID of the request.

use tokio::sync::{mpsc, oneshot};
use tokio_xmpp::Stanza;
use tokio_xmpp::parsers::message::{Message, MessageType};
use wirelab_peer::{Fault, Responder, Setup, Subscriber};

use crate::body::{Form, fill, read};
use crate::connection::jid;
use crate::session::{Session, SessionEvent, open};
use crate::subscriber::Xmpp;

/// Connects, and announces its presence at the topic's address.
///
/// # Errors
/// A fatal fault that names the server and the cause.
pub fn connect(setup: &Setup, responder: Responder) -> Result<Box<dyn Subscriber>, Fault> {
    let own = jid(setup, "subscriber", &setup.topic)?;
    let form = Form::read(setup)?;
    let (leave, closing) = oneshot::channel();
    let (gone, left) = oneshot::channel();
    let (faults, broken) = mpsc::unbounded_channel();
    let tell = move |fault| drop(faults.send(fault));
    let handle = open(setup, own, None, tell, move |session| async move {
        respond(session, responder, form, closing, broken).await;
        let _ = gone.send(());
    })?;
    Ok(Box::new(Xmpp {
        handle,
        leave,
        left,
    }))
}

async fn respond(
    mut session: Session,
    mut responder: Responder,
    form: Form,
    mut closing: oneshot::Receiver<()>,
    mut broken: mpsc::UnboundedReceiver<Fault>,
) {
    session.announce_presence().await;
    loop {
        tokio::select! {
            news = session.next() => match news {
                Some(SessionEvent::Stanza(Stanza::Message(request))) => {
                    if let Some(answer) = answered(request, &mut responder, form) {
                        session.send(Stanza::Message(answer)).await;
                    }
                }
                Some(SessionEvent::Stanza(_)) => {}
                Some(SessionEvent::Back) => {
                    session.announce_presence().await;
                    responder.reconnected();
                }
                None => return,
            },
            Some(fault) = broken.recv() => return responder.fault(fault),
            _ = &mut closing => return session.close().await,
        }
    }
}

fn answered(request: Message, responder: &mut Responder, form: Form) -> Option<Message> {
    let bytes = read(&request).filter(|_| request.type_ != MessageType::Error)?;
    let answer = responder.answer(&bytes, false);
    let mut message = Message::chat(Some(request.from?));
    message.id = request.id;
    fill(&mut message, &answer.body, form);
    Some(message)
}
