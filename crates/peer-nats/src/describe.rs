//! The description of this peer.

use std::collections::BTreeMap;

use wirelab_peer::{CONTRACT, Delivery, Described, Qos, Reconnect, Role};

/// The version that Cargo.toml pins; a test keeps both equal.
const ASYNC_NATS: &str = "0.51.0";

/// Maximum `max_payload` of nats-server.
const MAX_MESSAGE: u64 = 64 << 20;

/// Options and their defaults; docs/reference/protocols/nats.md explains them.
const OPTIONS: [(&str, &str); 8] = [
    ("ack_pending", "10000"),
    ("ack_wait_s", "30"),
    ("authority", ""),
    ("batch", "200"),
    ("inflight", "5000"),
    Reconnect::OPTION,
    ("storage", "file"),
    ("transport", "tcp"),
];

pub fn nats() -> Described {
    Described {
        contract: CONTRACT,
        name: "nats-async-nats".into(),
        protocol: "nats".into(),
        library: "async-nats".into(),
        version: ASYNC_NATS.into(),
        language: "rust".into(),
        roles: vec![Role::Publisher, Role::Subscriber],
        qos: vec![
            Qos::new("core", Delivery::AtMostOnce, false),
            Qos::new("jetstream", Delivery::AtLeastOnce, true),
        ],
        ordered: true,
        max_message: MAX_MESSAGE,
        servers: vec!["nats".into()],
        options: BTreeMap::from(OPTIONS.map(|(name, value)| (name.into(), value.into()))),
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_described_version_is_the_built_one() {
        let pinned = format!("async-nats = {{ version = \"={}\"", super::ASYNC_NATS);
        assert!(include_str!("../Cargo.toml").contains(&pinned));
    }
}
