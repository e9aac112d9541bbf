//! The library's events, and the session state that must survive a broken connection although the
//! library drops it (docs/reference/protocols/mqtt.md, "Broken connections").

mod session_replay;
mod v3;
mod v5;

use std::collections::{BTreeSet, VecDeque};

use rumqttc::Outgoing;

use self::session_replay::replaying_loop;
use crate::library::{Arrived, ClientEvent};

/// The stream of events. After an error, the next call reconnects.
pub struct Events {
    library: Library,
    session: Session,
    /// Events read before the connection broke; returned before the error.
    unread: VecDeque<ClientEvent>,
    broken: Option<String>,
}

enum Library {
    V3(Box<v3::Loop>),
    V5(Box<v5::Loop>),
}

impl Events {
    /// Events of MQTT 3.1.1; `inflight` is the library's limit of publications in flight.
    pub fn v3(events: rumqttc::EventLoop, inflight: u16) -> Self {
        Self::of(Library::V3(Box::new(v3::Loop::new(events, inflight))))
    }

    /// Events of MQTT 5; `inflight` as above.
    pub fn v5(events: rumqttc::v5::EventLoop, inflight: u16) -> Self {
        Self::of(Library::V5(Box::new(v5::Loop::new(events, inflight))))
    }

    fn of(library: Library) -> Self {
        Self {
            library,
            session: Session::default(),
            unread: VecDeque::new(),
            broken: None,
        }
    }

    /// The next event.
    ///
    /// # Errors
    /// Why the connection ended or could not be established.
    pub async fn next(&mut self) -> Result<ClientEvent, String> {
        if let Some(happened) = self.unread.pop_front() {
            return Ok(happened);
        }
        if let Some(why) = self.broken.take() {
            return Err(why);
        }
        let (session, unread) = (&mut self.session, &mut self.unread);
        let next = match &mut self.library {
            Library::V3(library) => library.next(session, unread).await,
            Library::V5(library) => library.next(session, unread).await,
        };
        match (next, self.unread.pop_front()) {
            (Err(why), Some(first)) => {
                self.broken = Some(why);
                Ok(first)
            }
            (next, first) => {
                self.unread.extend(first);
                next
            }
        }
    }
}

/// The packet identifiers of one session.
pub struct Session {
    /// Position in the order of retransmission of each unacknowledged publication, by packet
    /// identifier; 0 for none.
    turns: Vec<u64>,
    /// The last position assigned.
    turn: u64,
    /// Identifiers of QoS 2 messages that have arrived and are not released.
    held: BTreeSet<u16>,
    /// Identifiers of all QoS 2 messages that have arrived.
    seen: BTreeSet<u16>,
}

impl Default for Session {
    fn default() -> Self {
        Self {
            turns: vec![0; usize::from(u16::MAX) + 1],
            turn: 0,
            held: BTreeSet::new(),
            seen: BTreeSet::new(),
        }
    }
}

impl Session {
    fn outgoing(&mut self, sent: &Outgoing) -> ClientEvent {
        match sent {
            Outgoing::Publish(id) if self.turn_of(*id) > 0 => ClientEvent::Nothing,
            Outgoing::Publish(id) => {
                if *id > 0 {
                    self.takes_its_turn(*id);
                }
                ClientEvent::Written(*id)
            }
            Outgoing::Disconnect => ClientEvent::Left,
            _ => ClientEvent::Nothing,
        }
    }

    /// The retransmission position of an unacknowledged publication. Publications are retransmitted
    /// in the order of sending; PUBRELs of QoS 2 in the order of the server's PUBRECs (MQTT 3.1.1
    /// and 5, 4.6).
    fn turn_of(&self, id: u16) -> u64 {
        self.turns[usize::from(id)]
    }

    fn takes_its_turn(&mut self, id: u16) {
        self.turn += 1;
        self.turns[usize::from(id)] = self.turn;
    }

    /// The server has received a QoS 2 publication; the library releases it now.
    fn received(&mut self, id: u16) -> ClientEvent {
        if self.turn_of(id) > 0 {
            self.takes_its_turn(id);
        }
        ClientEvent::Nothing
    }

    fn acknowledged(&mut self, id: u16) -> ClientEvent {
        self.turns[usize::from(id)] = 0;
        ClientEvent::Acknowledged(id)
    }

    fn refused(&mut self, id: u16) -> ClientEvent {
        self.turns[usize::from(id)] = 0;
        ClientEvent::Refused(id)
    }

    /// A message arrived. A QoS 2 message that is still held is a duplicate (MQTT 3.1.1, 4.3.3).
    fn arrived(&mut self, exactly_once: Option<u16>, arrived: Arrived) -> ClientEvent {
        if let Some(id) = exactly_once {
            self.seen.insert(id);
            if !self.held.insert(id) {
                return ClientEvent::Nothing;
            }
        }
        ClientEvent::Arrived(arrived)
    }

    fn released(&mut self, id: u16) -> ClientEvent {
        self.held.remove(&id);
        ClientEvent::Nothing
    }

    /// The server has lost the session.
    fn ended(&mut self) {
        self.held.clear();
        self.seen.clear();
    }
}
