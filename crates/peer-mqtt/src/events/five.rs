//! MQTT 5.

use std::collections::VecDeque;
use std::mem::take;

use rumqttc::QoS;
use rumqttc::v5::mqttbytes::QoS as Level;
use rumqttc::v5::mqttbytes::v5::{
    Packet, PubAckReason, PubCompReason, PubRecReason, Publish, SubscribeReasonCode,
};
use rumqttc::v5::{ConnectionError, Event, EventLoop, Request};

use super::Session;
use crate::library::{Arrived, Happened};

/// The library's event loop, and the requests it had when its connection broke.
pub struct Loop {
    events: EventLoop,
    inflight: u16,
    kept: VecDeque<Request>,
    connected: bool,
}

impl Loop {
    pub fn new(events: EventLoop, inflight: u16) -> Self {
        Self {
            events,
            inflight,
            kept: VecDeque::new(),
            connected: false,
        }
    }

    /// The next event. What the library has read and not told when it fails goes to `unread`.
    ///
    /// # Errors
    /// Why the connection has ended, or could not be made.
    pub async fn next(
        &mut self,
        session: &mut Session,
        unread: &mut VecDeque<Happened>,
    ) -> Result<Happened, String> {
        self.feed();
        match self.events.poll().await {
            Ok(event) => {
                if let Event::Incoming(Packet::ConnAck(ack)) = &event {
                    let server = ack.properties.as_ref().and_then(|told| told.receive_max);
                    self.inflight = self.inflight.min(server.unwrap_or(u16::MAX));
                    unread.extend(self.resume(session, ack.session_present));
                }
                Ok(happened(event, session))
            }
            Err(error) => {
                self.connected = false;
                // It clears what is pending when the server has no session: not what it promised to deliver.
                self.kept.extend(take(&mut self.events.pending));
                let read = take(&mut self.events.state.events);
                unread.extend(read.into_iter().map(|event| happened(event, session)));
                Err(why(&error))
            }
        }
    }

    /// Hands over what was kept and has never been sent, one by one: what is pending passes by the library's limit of
    /// publications under way, beyond which it loses them.
    fn feed(&mut self) {
        let state = &self.events.state;
        let room = self.connected && state.inflight() < self.inflight && state.collision.is_none();
        if room && self.events.pending.is_empty() {
            self.events.pending.extend(self.kept.pop_front());
        }
    }

    /// Goes on where the connection broke; what cannot be known any more is told as refused.
    fn resume(&mut self, session: &mut Session, present: bool) -> Vec<Happened> {
        self.connected = true;
        let mut lost = Vec::new();
        if present {
            // It has forgotten these identifiers, and would take their PUBREL for an error.
            for &id in &session.seen {
                let mut known = Publish::new("", Level::ExactlyOnce, Vec::new(), None);
                known.pkid = id;
                let _ = self
                    .events
                    .state
                    .handle_incoming_packet(Packet::Publish(known));
            }
            self.events.state.events.clear();
        } else {
            session.ended();
            let collided = self.events.state.collision.take().map(|mut publish| {
                publish.pkid = 0;
                Request::Publish(publish)
            });
            self.kept.extend(collided);
        }
        for request in take(&mut self.kept) {
            match &request {
                Request::Publish(publish) if publish.pkid == 0 => self.kept.push_back(request),
                Request::Publish(publish) if !present && publish.qos == Level::ExactlyOnce => {
                    lost.push(session.refused(publish.pkid));
                }
                Request::PubRel(release) if !present => lost.push(session.refused(release.pkid)),
                Request::Publish(_) | Request::PubRel(_) => self.events.pending.push_back(request),
                // The subscription is made again where the session is gone; acknowledgements belong to the old connection.
                _ => {}
            }
        }
        lost
    }
}

fn happened(event: Event, session: &mut Session) -> Happened {
    let packet = match event {
        Event::Outgoing(sent) => return session.outgoing(&sent),
        Event::Incoming(packet) => packet,
    };
    match packet {
        Packet::ConnAck(ack) => Happened::Connected {
            resumed: ack.session_present,
        },
        Packet::SubAck(ack) => Happened::Subscribed(match ack.return_codes.first() {
            Some(SubscribeReasonCode::Success(granted)) => Ok(level(*granted)),
            other => Err(format!("{other:?}")),
        }),
        Packet::PubAck(ack) => match ack.reason {
            PubAckReason::Success | PubAckReason::NoMatchingSubscribers => {
                session.acknowledged(ack.pkid)
            }
            _ => session.refused(ack.pkid),
        },
        Packet::PubRec(ack) => match ack.reason {
            PubRecReason::Success | PubRecReason::NoMatchingSubscribers => Happened::Nothing,
            _ => session.refused(ack.pkid),
        },
        // An identifier that is not found is no error on a connection made again: the first PUBCOMP got lost (MQTT 5, 3.7.2.1).
        Packet::PubComp(ack) => match ack.reason {
            PubCompReason::Success | PubCompReason::PacketIdentifierNotFound => {
                session.acknowledged(ack.pkid)
            }
        },
        Packet::PubRel(release) => session.released(release.pkid),
        Packet::Publish(publish) => session.arrived(
            (publish.qos == Level::ExactlyOnce).then_some(publish.pkid),
            Arrived {
                topic: publish.topic,
                message: publish.payload,
                duplicate: publish.dup,
            },
        ),
        Packet::Disconnect(told) => Happened::Closed(format!("{:?}", told.reason_code)),
        _ => Happened::Nothing,
    }
}

fn level(qos: Level) -> QoS {
    match qos {
        Level::AtMostOnce => QoS::AtMostOnce,
        Level::AtLeastOnce => QoS::AtLeastOnce,
        Level::ExactlyOnce => QoS::ExactlyOnce,
    }
}

/// The cause without the library's own names of its layers.
fn why(error: &ConnectionError) -> String {
    match error {
        ConnectionError::Io(error) => error.to_string(),
        ConnectionError::MqttState(error) => error.to_string(),
        ConnectionError::ConnectionRefused(code) => format!("the server refused: {code:?}"),
        other => other.to_string(),
    }
}
