//! The subscriber.

use tokio::runtime::Handle;
use tokio::sync::{mpsc, oneshot};
use tokio_xmpp::Stanza;
use tokio_xmpp::parsers::message::{Message, MessageType};
use wirelab_peer::{DeliverySink, Fault, Setup, Subscriber};

use crate::body::read;
use crate::connection::jid;
use crate::session::{Session, SessionEvent, finish, open};

/// Connects, and announces its presence at the topic's address.
///
/// # Errors
/// A fatal fault that names the server and the cause.
pub fn connect(setup: &Setup, sink: DeliverySink) -> Result<Box<dyn Subscriber>, Fault> {
    let own = jid(setup, "subscriber", &setup.topic)?;
    let (leave, closing) = oneshot::channel();
    let (gone, left) = oneshot::channel();
    let (faults, broken) = mpsc::unbounded_channel();
    let tell = move |fault| drop(faults.send(fault));
    let handle = open(setup, own, None, tell, move |session| async move {
        receive(session, sink, closing, broken).await;
        let _ = gone.send(());
    })?;
    Ok(Box::new(Xmpp {
        handle,
        leave,
        left,
    }))
}

async fn receive(
    mut session: Session,
    mut sink: DeliverySink,
    mut closing: oneshot::Receiver<()>,
    mut broken: mpsc::UnboundedReceiver<Fault>,
) {
    session.announce_presence().await;
    loop {
        tokio::select! {
            news = session.next() => match news {
                Some(SessionEvent::Stanza(Stanza::Message(message))) => deliver(&message, &mut sink),
                Some(SessionEvent::Stanza(_)) => {}
                Some(SessionEvent::Back) => {
                    session.announce_presence().await;
                    sink.reconnected();
                }
                None => return,
            },
            Some(fault) = broken.recv() => return sink.fault(fault),
            _ = &mut closing => return session.close().await,
        }
    }
}

fn deliver(message: &Message, sink: &mut DeliverySink) {
    if message.type_ != MessageType::Error
        && let Some(bytes) = read(message)
    {
        sink.deliver(&bytes, false);
    }
}

/// A subscriber that receives until it is closed.
pub struct Xmpp {
    pub handle: Handle,
    pub leave: oneshot::Sender<()>,
    pub left: oneshot::Receiver<()>,
}

impl Subscriber for Xmpp {
    fn close(self: Box<Self>) {
        let _ = self.leave.send(());
        let left = self.left;
        finish(&self.handle, async {
            let _ = left.await;
        });
    }
}
