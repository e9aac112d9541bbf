//! The side that answers requests: each goes back to whoever sent it, under the id that it had.

use tokio::sync::{mpsc, oneshot};
use tokio_xmpp::Stanza;
use tokio_xmpp::parsers::message::{Message, MessageType};
use wirelab_peer::{Desk, Fault, Setup, Subscriber};

use crate::body::{Form, fill, read};
use crate::connection::jid;
use crate::session::{News, Session, open};
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
    let handle = open(setup, own, None, tell, move |session| async move {
        respond(session, desk, form, told, broken).await;
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
    mut desk: Desk,
    form: Form,
    mut told: oneshot::Receiver<()>,
    mut broken: mpsc::UnboundedReceiver<Fault>,
) {
    session.be_available().await;
    loop {
        tokio::select! {
            news = session.next() => match news {
                Some(News::Stanza(Stanza::Message(request))) => {
                    if let Some(answer) = answered(request, &mut desk, form) {
                        session.send(Stanza::Message(answer)).await;
                    }
                }
                Some(News::Stanza(_)) => {}
                Some(News::Back) => {
                    session.be_available().await;
                    desk.reconnected();
                }
                None => return,
            },
            Some(fault) = broken.recv() => return desk.fault(fault),
            _ = &mut told => return session.close().await,
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
