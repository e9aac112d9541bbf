//! The description of this peer.

use wirelab_peer::{CONTRACT, Delivery, Described, Qos, Reconnect, Role};

use crate::Version;

/// The version that Cargo.toml pins; a test keeps both equal.
const RUMQTTC: &str = "0.25.1";

/// An MQTT packet has at most 268,435,455 B after its fixed header (MQTT 3.1.1, 2.2.3); up to 64
/// KiB + 4 B of that are topic and packet identifier.
pub const MAX_MESSAGE: u64 = 268_435_455 - 65_539;

/// Options and their defaults; docs/reference/protocols/mqtt.md explains them.
const OPTIONS: [(&str, &str); 13] = [
    ("authority", ""),
    ("clean", "true"),
    ("connection", "kept"),
    ("connections", "1"),
    ("inflight", "1000"),
    ("keep_alive_s", "60"),
    ("password", ""),
    ("queue", "100"),
    Reconnect::OPTION,
    ("reports", "answered"),
    ("retain", "false"),
    ("transport", "tcp"),
    ("user", ""),
];
/// Options of MQTT 5 only.
const OPTIONS_5: [(&str, &str); 3] = [
    ("message_expiry_s", "0"),
    ("receive_maximum", "65535"),
    ("session_expiry_s", "0"),
];

pub fn mqtt(version: Version) -> Described {
    let (name, more) = match version {
        Version::Mqtt => ("mqtt", &[][..]),
        Version::Mqtt5 => ("mqtt5", &OPTIONS_5[..]),
    };
    let options = OPTIONS.iter().chain(more);
    Described {
        contract: CONTRACT,
        name: format!("{name}-rumqttc"),
        protocol: name.into(),
        library: "rumqttc".into(),
        version: RUMQTTC.into(),
        language: "rust".into(),
        roles: vec![
            Role::Publisher,
            Role::Subscriber,
            Role::Requester,
            Role::Responder,
        ],
        qos: vec![
            Qos::new("0", Delivery::AtMostOnce, false),
            Qos::new("1", Delivery::AtLeastOnce, true),
            Qos::new("2", Delivery::ExactlyOnce, true),
        ],
        ordered: true,
        max_message: MAX_MESSAGE,
        servers: vec!["mqtt".into()],
        options: options
            .map(|&(name, value)| (name.into(), value.into()))
            .collect(),
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_described_version_is_the_built_one() {
        let pinned = format!("rumqttc = {{ version = \"={}\"", super::RUMQTTC);
        assert!(include_str!("../Cargo.toml").contains(&pinned));
    }
}
