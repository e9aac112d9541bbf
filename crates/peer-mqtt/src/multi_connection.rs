//! A publisher with several connections: message `i` is sent on connection `i` mod their number.
//!
//! The library's event loop takes about 40 kB per connection. This module uses the library's
//! packets with connections of its own: one thread reads all of them, and an idle connection holds
//! no buffers.

mod connection;

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::{self, Sender};
use std::thread;
use std::time::{Duration, Instant};

use rumqttc::{Connect, Packet, Publish};
use tokio::runtime::{Builder, Handle};
use wirelab_peer::{Fault, Outcomes, Publisher, Setup};

use self::connection::Connection;
use crate::Version;
use crate::connection::qos;
use crate::settings::login;

/// Number of concurrent connection attempts. Servers accept a backlog of about a hundred
/// connections; a SYN beyond that is lost for a second.
const MAX_CONCURRENT_CONNECTS: usize = 64;
/// Delay before a busy connection is tried again.
const PAUSE: Duration = Duration::from_millis(1);

/// The state that all connections share.
pub struct Shared {
    server: SocketAddr,
    what: String,
    connect: Connect,
    inflight: usize,
    outcomes: Outcomes,
    /// The reading thread's runtime.
    handle: Handle,
    /// Publications written to sockets.
    on_wire: AtomicU64,
    leaving: AtomicBool,
}

impl Shared {
    fn broken(&self, why: String) {
        if !self.leaving.load(Ordering::Acquire) {
            self.outcomes.fault(Fault::fatal(&self.what, why));
        }
    }
}

/// Opens all connections and waits until the server has accepted them.
///
/// # Errors
/// A fatal fault that names the option, or the server and the cause.
pub fn connect(
    version: Version,
    setup: &Setup,
    outcomes: Outcomes,
    connections: usize,
) -> Result<Box<dyn Publisher>, Fault> {
    if version != Version::Mqtt || setup.options.text("transport") != "tcp" {
        return Err(Fault::fatal(
            "option connections",
            "more than one connection is supported only with MQTT 3.1.1 over tcp",
        ));
    }
    let mut connect = Connect::new(&setup.client);
    connect.keep_alive = setup.options.parse("keep_alive_s")?;
    connect.clean_session = setup.options.parse("clean")?;
    if let Some((user, password)) = login(setup)? {
        connect.set_login(user, password);
    }
    let runtime = Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| Fault::fatal("network thread", error))?;
    let shared = Arc::new(Shared {
        handle: runtime.handle().clone(),
        server: setup.server(),
        what: format!("connection to {}", setup.server()),
        connect,
        inflight: setup.options.parse("inflight")?,
        outcomes,
        on_wire: AtomicU64::new(0),
        leaving: AtomicBool::new(false),
    });
    let mut publication = Publish::new(&setup.topic, qos(&setup.qos), Vec::new());
    publication.retain = setup.options.parse("retain")?;
    let (accepted, connected) = mpsc::channel();
    let next = Arc::new(AtomicUsize::new(0));
    for _ in 0..MAX_CONCURRENT_CONNECTS {
        let (shared, next) = (Arc::clone(&shared), Arc::clone(&next));
        let handle = shared.handle.clone();
        handle.spawn(connect_next(shared, next, connections, accepted.clone()));
    }
    thread::spawn(move || runtime.block_on(std::future::pending::<()>()));
    let deadline = Instant::now() + setup.connect_timeout;
    let mut all = Vec::with_capacity(connections);
    while all.len() < connections {
        let left = deadline.saturating_duration_since(Instant::now());
        match connected.recv_timeout(left) {
            Ok(Ok(connection)) => all.push(connection),
            Ok(Err(why)) => return Err(Fault::fatal(format!("connect {}", setup.server()), why)),
            Err(_) => return Err(setup.timed_out(&format!("connect {connections} times to"))),
        }
    }
    all.sort_by_key(|connection| connection.number);
    let interval = Duration::from_secs(shared.connect.keep_alive.into());
    shared.handle.spawn(keep_alive(all.clone(), interval));
    Ok(Box::new(MultiConnection {
        all,
        publication,
        handed_over: 0,
        shared,
    }))
}

/// Opens one connection after the other, and starts a reading task for each.
async fn connect_next(
    shared: Arc<Shared>,
    next: Arc<AtomicUsize>,
    connections: usize,
    accepted: Sender<Result<Arc<Connection>, String>>,
) {
    loop {
        let number = next.fetch_add(1, Ordering::Relaxed);
        if number >= connections {
            return;
        }
        let result = Connection::connect(Arc::clone(&shared), number).await;
        if let Ok(connection) = &result {
            tokio::spawn(Arc::clone(connection).read());
        }
        // The receiver is gone after a timeout or another connection's failure.
        drop(accepted.send(result));
    }
}

/// Sends a ping on each connection twice per keep-alive interval, spread evenly.
async fn keep_alive(all: Vec<Arc<Connection>>, interval: Duration) {
    if interval.is_zero() {
        return;
    }
    let gap = interval / 2 / all.len() as u32;
    let mut at = tokio::time::Instant::now();
    loop {
        for connection in &all {
            at += gap;
            tokio::time::sleep_until(at).await;
            connection.send(&Packet::PingReq);
        }
    }
}

struct MultiConnection {
    all: Vec<Arc<Connection>>,
    publication: Publish,
    handed_over: u64,
    shared: Arc<Shared>,
}

impl Publisher for MultiConnection {
    fn send(&mut self, seq: u64, message: &[u8]) -> Result<(), Fault> {
        self.handed_over += 1;
        self.publication.payload = message.to_vec().into();
        let connection = &self.all[(seq % self.all.len() as u64) as usize];
        while !connection.publish(seq, &self.publication) {
            thread::sleep(PAUSE);
        }
        Ok(())
    }

    fn flush(&mut self) -> Result<(), Fault> {
        while self.shared.on_wire.load(Ordering::Acquire) < self.handed_over {
            thread::sleep(PAUSE);
        }
        Ok(())
    }

    fn close(self: Box<Self>) {
        self.shared.leaving.store(true, Ordering::Release);
        for connection in &self.all {
            connection.send(&Packet::Disconnect);
        }
    }
}
