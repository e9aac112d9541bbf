//! MQTT 5.

use rumqttc::v5::mqttbytes::QoS as Level;
use rumqttc::v5::mqttbytes::v5::{
    Packet, PubAckReason, PubCompReason, PubRecReason, Publish, SubscribeReasonCode,
};
use rumqttc::v5::{ConnectionError, Event, EventLoop, Request};
use rumqttc::{Outgoing, QoS};

use super::{Session, replaying_loop};
use crate::library::{Arrived, ClientEvent};

replaying_loop!(Publish::new("", Level::ExactlyOnce, Vec::new(), None));

fn to_client_event(event: Event, session: &mut Session) -> ClientEvent {
    let packet = match event {
        Event::Outgoing(sent) => return session.outgoing(&sent),
        Event::Incoming(packet) => packet,
    };
    match packet {
        Packet::ConnAck(ack) => ClientEvent::Connected {
            resumed: ack.session_present,
            window: ack.properties.and_then(|properties| properties.receive_max),
        },
        Packet::SubAck(ack) => ClientEvent::Subscribed(match ack.return_codes.first() {
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
            PubRecReason::Success | PubRecReason::NoMatchingSubscribers => {
                session.received(ack.pkid)
            }
            _ => session.refused(ack.pkid),
        },
        // After a reconnection, an unknown packet identifier is not an error: the first PUBCOMP was
        // lost (MQTT 5, 3.7.2.1).
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
        Packet::Disconnect(packet) => ClientEvent::Closed(format!("{:?}", packet.reason_code)),
        _ => ClientEvent::Nothing,
    }
}

fn level(qos: Level) -> QoS {
    match qos {
        Level::AtMostOnce => QoS::AtMostOnce,
        Level::AtLeastOnce => QoS::AtLeastOnce,
        Level::ExactlyOnce => QoS::ExactlyOnce,
    }
}
