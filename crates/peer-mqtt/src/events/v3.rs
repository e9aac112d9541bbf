//! MQTT 3.1.1.

use rumqttc::{
    ConnectionError, Event, EventLoop, Outgoing, Packet, Publish, QoS as Level, Request,
    SubscribeReasonCode,
};

use super::{Session, replaying_loop};
use crate::library::{Arrived, ClientEvent};

replaying_loop!(Publish::new("", Level::ExactlyOnce, Vec::new()));

fn to_client_event(event: Event, session: &mut Session) -> ClientEvent {
    let packet = match event {
        Event::Outgoing(sent) => return session.outgoing(&sent),
        Event::Incoming(packet) => packet,
    };
    match packet {
        Packet::ConnAck(ack) => ClientEvent::Connected {
            resumed: ack.session_present,
            window: None,
        },
        Packet::SubAck(ack) => ClientEvent::Subscribed(match ack.return_codes.first() {
            Some(SubscribeReasonCode::Success(granted)) => Ok(*granted),
            other => Err(format!("{other:?}")),
        }),
        Packet::PubAck(ack) => session.acknowledged(ack.pkid),
        Packet::PubRec(ack) => session.received(ack.pkid),
        Packet::PubComp(ack) => session.acknowledged(ack.pkid),
        Packet::PubRel(release) => session.released(release.pkid),
        Packet::Publish(publish) => session.arrived(
            (publish.qos == Level::ExactlyOnce).then_some(publish.pkid),
            Arrived {
                topic: publish.topic.into(),
                message: publish.payload,
                duplicate: publish.dup,
            },
        ),
        Packet::Disconnect => ClientEvent::Closed(String::new()),
        _ => ClientEvent::Nothing,
    }
}
