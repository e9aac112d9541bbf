//! The description of this peer.

use std::collections::BTreeMap;

use wirelab_peer::{CONTRACT, Delivery, Described, Qos, Reconnect, Role};

/// The version that Cargo.toml pins; a test keeps both equal.
const TOKIO_XMPP: &str = "6.0.0";

/// XMPP has no limit; a stanza of 16 MiB, the limit of our servers, holds this much as base64.
const MAX_MESSAGE: u64 = 12_000_000;

/// Options and their defaults; docs/reference/protocols/xmpp.md explains them.
const OPTIONS: [(&str, &str); 8] = [
    ("authority", ""),
    ("body", "auto"),
    ("connection", "kept"),
    ("domain", "wirelab.test"),
    ("inflight", "1000"),
    ("password", "wirelab"),
    Reconnect::OPTION,
    ("transport", "tcp"),
];

/// The QoS level with stream management.
pub const MANAGED: &str = "managed";

pub fn xmpp() -> Described {
    Described {
        contract: CONTRACT,
        name: "xmpp-tokio-xmpp".into(),
        protocol: "xmpp".into(),
        library: "tokio-xmpp".into(),
        version: TOKIO_XMPP.into(),
        language: "rust".into(),
        roles: vec![
            Role::Publisher,
            Role::Subscriber,
            Role::Requester,
            Role::Responder,
        ],
        qos: vec![
            Qos::new("plain", Delivery::AtMostOnce, false),
            Qos::new(MANAGED, Delivery::AtLeastOnce, true),
        ],
        ordered: true,
        max_message: MAX_MESSAGE,
        servers: vec!["xmpp".into()],
        options: BTreeMap::from(OPTIONS.map(|(name, value)| (name.into(), value.into()))),
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_described_version_is_the_built_one() {
        let pinned = format!("tokio-xmpp = {{ version = \"={}\"", super::TOKIO_XMPP);
        assert!(include_str!("../Cargo.toml").contains(&pinned));
    }
}
