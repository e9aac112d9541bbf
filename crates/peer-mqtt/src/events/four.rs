//! MQTT 3.1.1.

use rumqttc::{
    ConnectionError, Event, EventLoop, Outgoing, Packet, Publish, QoS as Level, Request,
    SubscribeReasonCode,
};

use super::{Session, keeping};
use crate::library::{Arrived, Happened};

keeping!(Publish::new("", Level::ExactlyOnce, Vec::new()));

fn happened(event: Event, session: &mut Session) -> Happened {
    let packet = match event {
        Event::Outgoing(sent) => return session.outgoing(&sent),
        Event::Incoming(packet) => packet,
    };
    match packet {
        Packet::ConnAck(ack) => Happened::Connected {
            resumed: ack.session_present,
            window: None,
        },
        Packet::SubAck(ack) => Happened::Subscribed(match ack.return_codes.first() {
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
        Packet::Disconnect => Happened::Closed(String::new()),
        _ => Happened::Nothing,
    }
}
