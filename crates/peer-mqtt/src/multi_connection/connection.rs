//! One of many connections.

use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::mem::take;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, MutexGuard};

use bytes::{Buf, BytesMut};
use rumqttc::mqttbytes::Error;
use rumqttc::{ConnectReturnCode, Packet, PubRel, Publish, QoS};
use tokio::net::TcpStream;

use super::Shared;
use crate::describe::MAX_MESSAGE;

/// Maximum packet size: a message with its topic and packet identifier.
const MAX_PACKET: usize = MAX_MESSAGE as usize + 65_539;
/// A connection with more unsent bytes than this accepts no further messages.
const MAX_QUEUED_BYTES: usize = 1 << 20;
/// Size of one read.
const READ_SIZE: usize = 4096;

/// A connection that the server has accepted.
pub struct Connection {
    pub number: usize,
    shared: Arc<Shared>,
    stream: TcpStream,
    out: Mutex<Out>,
}

/// The send state: unsent bytes, and messages in flight.
#[derive(Default)]
struct Out {
    waiting: BytesMut,
    /// A task is writing the unsent bytes.
    writing: bool,
    /// Number of publications among the unsent bytes.
    publications: u64,
    last_id: u16,
    /// The unacknowledged message of each packet identifier.
    under_way: BTreeMap<u16, u64>,
}

impl Out {
    fn put(&mut self, packet: &Packet) {
        packet
            .write(&mut self.waiting, MAX_PACKET)
            .expect("prepare refuses larger messages");
    }

    /// The next free packet identifier.
    fn free_id(&mut self) -> u16 {
        loop {
            self.last_id = self.last_id.checked_add(1).unwrap_or(1);
            if !self.under_way.contains_key(&self.last_id) {
                return self.last_id;
            }
        }
    }
}

impl Connection {
    /// Connects and waits for the CONNACK.
    ///
    /// # Errors
    /// Why the connection was not accepted.
    pub async fn connect(shared: Arc<Shared>, number: usize) -> Result<Arc<Self>, String> {
        let text = |error: std::io::Error| error.to_string();
        let stream = TcpStream::connect(shared.server).await.map_err(text)?;
        stream.set_nodelay(true).map_err(text)?;
        let mut connect = shared.connect.clone();
        connect.client_id = format!("{}-{number}", connect.client_id);
        let connection = Arc::new(Self {
            number,
            shared,
            stream,
            out: Mutex::default(),
        });
        connection.send(&Packet::Connect(connect));
        let mut unread = BytesMut::new();
        loop {
            connection.stream.readable().await.map_err(text)?;
            connection.read_available(&mut unread)?;
            match packet(&mut unread)? {
                None => {}
                Some(Packet::ConnAck(ack)) if ack.code == ConnectReturnCode::Success => {
                    return Ok(connection);
                }
                Some(other) => return Err(format!("the server answered {other:?}")),
            }
        }
    }

    /// Sends message `seq`. Returns false if too many are in flight.
    pub fn publish(self: &Arc<Self>, seq: u64, message: &Publish) -> bool {
        let mut out = self.out();
        if out.waiting.len() > MAX_QUEUED_BYTES || out.under_way.len() >= self.shared.inflight {
            return false;
        }
        let mut message = message.clone();
        if message.qos != QoS::AtMostOnce {
            message.pkid = out.free_id();
            out.under_way.insert(message.pkid, seq);
        }
        out.put(&Packet::Publish(message));
        out.publications += 1;
        self.flush(out);
        true
    }

    /// Sends a packet that is not a publication.
    pub fn send(self: &Arc<Self>, packet: &Packet) {
        let mut out = self.out();
        out.put(packet);
        self.flush(out);
    }

    /// Reads until the connection ends.
    pub async fn read(self: Arc<Self>) {
        let mut unread = BytesMut::new();
        loop {
            let ready = self.stream.readable().await;
            let heard = ready
                .map_err(|error| error.to_string())
                .and_then(|()| self.hear(&mut unread));
            if let Err(why) = heard {
                return self.shared.broken(why);
            }
        }
    }

    fn hear(self: &Arc<Self>, unread: &mut BytesMut) -> Result<(), String> {
        self.read_available(unread)?;
        while let Some(packet) = packet(unread)? {
            match packet {
                Packet::PubAck(ack) => self.acknowledged(ack.pkid),
                Packet::PubComp(ack) => self.acknowledged(ack.pkid),
                Packet::PubRec(ack) => self.send(&Packet::PubRel(PubRel::new(ack.pkid))),
                _ => {}
            }
        }
        if unread.is_empty() {
            // Releases the memory.
            take(unread);
        }
        Ok(())
    }

    fn acknowledged(&self, id: u16) {
        if let Some(seq) = self.out().under_way.remove(&id) {
            self.shared.outcomes.acknowledged(seq);
        }
    }

    fn read_available(&self, unread: &mut BytesMut) -> Result<(), String> {
        let mut piece = [0; READ_SIZE];
        match self.stream.try_read(&mut piece) {
            Ok(0) => Err("the server closed the connection".into()),
            Ok(length) => {
                unread.extend_from_slice(&piece[..length]);
                Ok(())
            }
            Err(error) if error.kind() == ErrorKind::WouldBlock => Ok(()),
            Err(error) => Err(error.to_string()),
        }
    }

    /// Writes as much as the kernel accepts, and leaves the rest to a task.
    fn flush(self: &Arc<Self>, mut out: MutexGuard<'_, Out>) {
        if out.writing {
            return;
        }
        match self.write(&mut out) {
            Ok(true) => {}
            Ok(false) => {
                out.writing = true;
                self.shared.handle.spawn(write_on(Arc::clone(self)));
            }
            Err(why) => self.shared.broken(why),
        }
    }

    /// Whether everything has been written.
    fn write(&self, out: &mut Out) -> Result<bool, String> {
        while !out.waiting.is_empty() {
            match self.stream.try_write(&out.waiting) {
                Ok(length) => out.waiting.advance(length),
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(false),
                Err(error) => return Err(error.to_string()),
            }
        }
        // Releases the memory.
        take(&mut out.waiting);
        let written = take(&mut out.publications);
        self.shared.on_wire.fetch_add(written, Ordering::Release);
        Ok(true)
    }

    fn out(&self) -> MutexGuard<'_, Out> {
        self.out.lock().expect("a panic ends the peer")
    }
}

async fn write_on(connection: Arc<Connection>) {
    loop {
        let ready = connection.stream.writable().await;
        let mut out = connection.out();
        let written = ready
            .map_err(|error| error.to_string())
            .and_then(|()| connection.write(&mut out));
        match written {
            Ok(false) => {}
            Ok(true) => return out.writing = false,
            Err(why) => return connection.shared.broken(why),
        }
    }
}

/// The next complete packet.
fn packet(unread: &mut BytesMut) -> Result<Option<Packet>, String> {
    match Packet::read(unread, MAX_PACKET) {
        Ok(packet) => Ok(Some(packet)),
        Err(Error::InsufficientBytes(_)) => Ok(None),
        Err(error) => Err(error.to_string()),
    }
}
