//! The publisher.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use futures_util::stream::{FuturesUnordered, StreamExt};
use tokio::runtime::Handle;
use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio_xmpp::Stanza;
use tokio_xmpp::jid::FullJid;
use tokio_xmpp::parsers::message::{Id, Message, MessageType};
use tokio_xmpp::stanzastream::{StanzaStage, StanzaState, StanzaToken};
use wirelab_peer::{Fault, Outcomes, Publisher, Reconnect, Setup};

use crate::body::{Form, fill};
use crate::connection::jid;
use crate::describe::MANAGED;
use crate::session::{Session, SessionEvent, finish, open};

/// Connects a publisher.
///
/// # Errors
/// A fatal fault that names the server and the cause.
pub fn connect(setup: &Setup, outcomes: Outcomes) -> Result<Box<dyn Publisher>, Fault> {
    let inflight: usize = setup.options.parse("inflight")?;
    if inflight == 0 {
        return Err(Fault::fatal("option inflight", "must be above 0"));
    }
    let form = Form::read(setup)?;
    let own = jid(setup, "publisher", &setup.client)?;
    let to = jid(setup, "subscriber", &setup.topic)?;
    let (messages, taken) = channel(1);
    let fate = Fate {
        managed: setup.qos == MANAGED,
        again: Reconnect::read(&setup.options)?.is_enabled(),
        outcomes: outcomes.clone(),
        on_wire: Arc::default(),
    };
    let on_wire = Arc::clone(&fate.on_wire);
    let broken = move |fault| outcomes.fault(fault);
    let handle = open(setup, own, Some(inflight), broken, move |session| {
        send_all(session, taken, inflight, fate)
    })?;
    Ok(Box::new(Xmpp {
        to,
        form,
        handle,
        messages,
        handed_over: 0,
        on_wire,
    }))
}

struct Xmpp {
    to: FullJid,
    form: Form,
    handle: Handle,
    messages: Sender<(u64, Message)>,
    handed_over: u64,
    on_wire: Arc<AtomicU64>,
}

impl Publisher for Xmpp {
    fn send(&mut self, seq: u64, message: &[u8]) -> Result<(), Fault> {
        let mut stanza = Message::chat(Some(self.to.clone().into()));
        stanza.id = Some(Id(seq.to_string()));
        fill(&mut stanza, message, self.form);
        self.handed_over += 1;
        self.messages
            .blocking_send((seq, stanza))
            .map_err(|_| Fault::fatal("send", "the network thread has ended"))
    }

    fn flush(&mut self) -> Result<(), Fault> {
        while self.on_wire.load(Ordering::Acquire) < self.handed_over && !self.messages.is_closed()
        {
            thread::sleep(Duration::from_millis(1));
        }
        Ok(())
    }

    fn close(self: Box<Self>) {
        let messages = self.messages.clone();
        // The task that owns the stream closes it once the last sender is dropped.
        drop(self.messages);
        let over = messages.downgrade();
        drop(messages);
        finish(&self.handle, async move {
            while over.upgrade().is_some() {
                tokio::task::yield_now().await;
            }
        });
    }
}

/// Reports the outcomes of messages.
#[derive(Clone)]
struct Fate {
    managed: bool,
    /// Whether the peer reconnects.
    again: bool,
    outcomes: Outcomes,
    /// Number of messages written to the stream.
    on_wire: Arc<AtomicU64>,
}

/// Sends messages and tracks each; accepts at most `inflight` at a time, so that the sender blocks.
async fn send_all(
    mut session: Session,
    mut taken: Receiver<(u64, Message)>,
    inflight: usize,
    fate: Fate,
) {
    let mut under_way = FuturesUnordered::new();
    // Messages of an abandoned stream, to be resent in order.
    let mut again = BTreeMap::new();
    loop {
        let up = session.is_up();
        tokio::select! {
            biased;
            Some(open) = under_way.next() => again.extend(open),
            news = session.next() => match news {
                Some(SessionEvent::Stanza(Stanza::Message(bounced))) => fate.bounced(&bounced),
                Some(SessionEvent::Stanza(_)) => {}
                Some(SessionEvent::Back) => fate.outcomes.reconnected(),
                None => return,
            },
            Some((seq, message)) = async { again.pop_first() }, if up => {
                under_way.push(send(&session, seq, message, fate.clone()).await);
            },
            message = taken.recv(), if up && under_way.len() < inflight => match message {
                Some((seq, message)) => {
                    under_way.push(send(&session, seq, message, fate.clone()).await);
                }
                None => return session.close().await,
            },
        }
    }
}

/// Sends a message. The returned future waits for its outcome, and returns the message if that will
/// never be known.
async fn send(
    session: &Session,
    seq: u64,
    message: Message,
    fate: Fate,
) -> impl Future<Output = Option<(u64, Message)>> + use<> {
    let kept = (fate.managed && fate.again).then(|| message.clone());
    let token = session.send(Stanza::Message(message)).await;
    async move {
        let known = fate.follow(token, seq).await;
        kept.filter(|_| !known).map(|message| (seq, message))
    }
}

impl Fate {
    /// Whether the message's outcome becomes known. A session that the server has lost takes its
    /// messages with it.
    async fn follow(&self, mut token: StanzaToken, seq: u64) -> bool {
        let sent = token.wait_for(StanzaStage::Sent).await;
        self.on_wire.fetch_add(1, Ordering::Release);
        match sent {
            _ if !self.managed => return true,
            Some(StanzaState::Sent {} | StanzaState::Acked {}) => {}
            Some(StanzaState::Failed { .. }) => {
                self.outcomes.failed(seq);
                return true;
            }
            _ => return false,
        }
        let acknowledged = token.wait_for(StanzaStage::Acked).await;
        let acknowledged = matches!(acknowledged, Some(StanzaState::Acked {}));
        if acknowledged {
            self.outcomes.acknowledged(seq);
        }
        acknowledged
    }

    /// The server could not deliver a message. With stream management it has already been
    /// acknowledged.
    fn bounced(&self, message: &Message) {
        let seq = message.id.as_ref().and_then(|id| id.0.parse().ok());
        if let (MessageType::Error, Some(seq), false) = (&message.type_, seq, self.managed) {
            self.outcomes.failed(seq);
        }
    }
}
