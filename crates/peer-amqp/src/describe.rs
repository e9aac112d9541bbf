//! The description of this peer.

use std::collections::BTreeMap;

use wirelab_peer::{CONTRACT, Delivery, Described, Qos, Reconnect, Role};

/// The version that Cargo.toml pins; a test keeps both equal.
const LAPIN: &str = "4.12.3";

/// RabbitMQ's default limit since 3.8: 128 MiB. The protocol has no limit below 2^64 B.
const MAX_MESSAGE: u64 = 134_217_728;

/// Options and their defaults; docs/reference/protocols/amqp.md explains them.
const OPTIONS: [(&str, &str); 9] = [
    ("authority", ""),
    ("heartbeat_s", "60"),
    ("inflight", "1000"),
    ("password", "guest"),
    ("prefetch", "0"),
    Reconnect::OPTION,
    ("transport", "tcp"),
    ("user", "guest"),
    ("vhost", "/"),
];

/// The properties of a QoS level.
pub struct Level {
    /// The broker confirms each message to the publisher.
    pub confirms: bool,
    /// The subscriber acknowledges each message to the broker.
    pub acknowledges: bool,
    /// Queue and messages outlive the broker.
    pub persistent: bool,
}

impl Level {
    /// The level of a name that `prepare` has validated.
    pub fn named(name: &str) -> Self {
        let (confirms, persistent) = (
            matches!(name, "confirm" | "persistent"),
            name == "persistent",
        );
        Self {
            confirms,
            acknowledges: name != "auto",
            persistent,
        }
    }
}

pub fn amqp() -> Described {
    Described {
        contract: CONTRACT,
        name: "amqp-lapin".into(),
        protocol: "amqp".into(),
        library: "lapin".into(),
        version: LAPIN.into(),
        language: "rust".into(),
        roles: vec![Role::Publisher, Role::Subscriber],
        qos: vec![
            Qos::new("auto", Delivery::AtMostOnce, false),
            Qos::new("manual", Delivery::AtMostOnce, false),
            Qos::new("confirm", Delivery::AtLeastOnce, true),
            Qos::new("persistent", Delivery::AtLeastOnce, true),
        ],
        ordered: true,
        max_message: MAX_MESSAGE,
        servers: vec!["amqp".into()],
        options: BTreeMap::from(OPTIONS.map(|(name, value)| (name.into(), value.into()))),
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_described_version_is_the_built_one() {
        let pinned = format!("lapin = {{ version = \"={}\"", super::LAPIN);
        assert!(include_str!("../Cargo.toml").contains(&pinned));
    }
}
