//! The requester: one stream for all requests, or one stream per request.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio_xmpp::Stanza;
use tokio_xmpp::jid::FullJid;
use tokio_xmpp::parsers::message::{Id, Message, MessageType};
use wirelab_peer::{Fault, Outcomes, Publisher, Setup};

use crate::body::{Form, fill};
use crate::connection::{Login, jid};
use crate::session::{Session, SessionEvent, finish, open, runtime};

/// Connects a requester.
///
/// # Errors
/// A fatal fault that names the server or an option.
pub fn connect(setup: &Setup, outcomes: Outcomes) -> Result<Box<dyn Publisher>, Fault> {
    let (requests, taken) = unbounded_channel();
    let on_wire = Arc::new(AtomicU64::new(0));
    let handle = if setup
        .options
        .one_of("connection", [("kept", false), ("each", true)])?
    {
        connect_per_request(setup, taken, outcomes, Arc::clone(&on_wire))?
    } else {
        let own = jid(setup, "publisher", &setup.client)?;
        let (broken, on_wire) = (outcomes.clone(), Arc::clone(&on_wire));
        open(
            setup,
            own,
            Some(0),
            move |fault| broken.fault(fault),
            |session| ask_all(session, taken, outcomes, on_wire),
        )?
    };
    Ok(Box::new(Requester {
        to: jid(setup, "subscriber", &setup.topic)?,
        form: Form::read(setup)?,
        handle,
        requests,
        handed_over: 0,
        on_wire,
    }))
}

type QueuedRequest = (u64, Stanza);

struct Requester {
    to: FullJid,
    form: Form,
    handle: Handle,
    requests: UnboundedSender<QueuedRequest>,
    handed_over: u64,
    on_wire: Arc<AtomicU64>,
}

impl Publisher for Requester {
    fn send(&mut self, seq: u64, message: &[u8]) -> Result<(), Fault> {
        let mut stanza = Message::chat(Some(self.to.clone().into()));
        stanza.id = Some(Id(seq.to_string()));
        fill(&mut stanza, message, self.form);
        self.handed_over += 1;
        self.requests
            .send((seq, Stanza::Message(stanza)))
            .map_err(|_| Fault::fatal("send", "the network thread has ended"))
    }

    fn flush(&mut self) -> Result<(), Fault> {
        while self.on_wire.load(Ordering::Acquire) < self.handed_over && !self.requests.is_closed()
        {
            thread::sleep(Duration::from_millis(1));
        }
        Ok(())
    }

    fn close(self: Box<Self>) {
        let ended = self.requests.clone().downgrade();
        drop(self.requests);
        finish(&self.handle, async move {
            while ended.upgrade().is_some() {
                tokio::task::yield_now().await;
            }
        });
    }
}

/// Sends requests, and reports which are answered.
async fn ask_all(
    mut session: Session,
    mut taken: UnboundedReceiver<QueuedRequest>,
    outcomes: Outcomes,
    on_wire: Arc<AtomicU64>,
) {
    loop {
        tokio::select! {
            news = session.next() => match news {
                Some(SessionEvent::Stanza(Stanza::Message(message))) => tell(&message, &outcomes),
                Some(SessionEvent::Stanza(_)) => {}
                Some(SessionEvent::Back) => outcomes.reconnected(),
                None => return,
            },
            ask = taken.recv(), if session.is_up() => match ask {
                Some((_, stanza)) => {
                    session.send(stanza).await;
                    on_wire.fetch_add(1, Ordering::Release);
                }
                None => return session.close().await,
            },
        }
    }
}

/// An answer has the ID of its request. So has a request that bounced because there is no
/// responder.
fn tell(message: &Message, outcomes: &Outcomes) {
    let Some(seq) = message.id.as_ref().and_then(|id| id.0.parse().ok()) else {
        return;
    };
    match message.type_ {
        MessageType::Error => outcomes.failed(seq),
        _ => outcomes.answered(seq),
    }
}

/// One stream per request, all on one thread. A first stream without a request shows that the
/// server is reachable.
fn connect_per_request(
    setup: &Setup,
    mut taken: UnboundedReceiver<QueuedRequest>,
    outcomes: Outcomes,
    on_wire: Arc<AtomicU64>,
) -> Result<Handle, Fault> {
    let login = Login::new(setup, jid(setup, "publisher", &setup.client)?)?;
    let addresses = {
        let setup = setup.clone();
        move |seq: u64| jid(&setup, "publisher", &format!("{}-{seq}", setup.client))
    };
    let runtime = runtime()?;
    let handle = runtime.handle().clone();
    let (tried, waiting) = mpsc::channel();
    thread::spawn(move || {
        runtime.block_on(async {
            let first = Session::connect_once(login.clone()).await;
            let usable = first.is_ok();
            let _ = tried.send(first.as_ref().map(|_| ()).map_err(Clone::clone));
            if let Ok(session) = first {
                session.close().await;
            }
            while usable && let Some((seq, stanza)) = taken.recv().await {
                on_wire.fetch_add(1, Ordering::Release);
                let own = addresses(seq).map(|own| login.of(own));
                let outcomes = outcomes.clone();
                tokio::spawn(async move {
                    let asked = match own {
                        Ok(login) => ask(login, stanza, &outcomes).await,
                        Err(fault) => Err(fault.to_string()),
                    };
                    if let Err(why) = asked {
                        outcomes.failed(seq);
                        outcomes.fault(Fault::minor(format!("request {seq}"), why));
                    }
                });
            }
            std::future::pending::<()>().await;
        });
    });
    match waiting.recv_timeout(setup.connect_timeout) {
        Ok(Ok(())) => Ok(handle),
        Ok(Err(why)) => Err(Fault::fatal(format!("connect {}", setup.server()), why)),
        Err(_) => Err(setup.timed_out("connect")),
    }
}

/// One request on its own stream, until its answer; then the stream is closed.
async fn ask(login: Login, stanza: Stanza, outcomes: &Outcomes) -> Result<(), String> {
    let mut session = Session::connect_once(login).await?;
    session.send(stanza).await;
    while let Some(news) = session.next().await {
        if let SessionEvent::Stanza(Stanza::Message(message)) = news {
            tell(&message, outcomes);
            session.close().await;
            return Ok(());
        }
    }
    Err("the stream broke".into())
}
