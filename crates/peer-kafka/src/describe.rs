//! The description of this peer.

use std::collections::BTreeMap;

use wirelab_peer::{CONTRACT, Delivery, Described, Qos, Reconnect, Role};

/// Limit configured for both roles and the server; the server's default is 1 MiB.
pub const MAX_MESSAGE: u64 = 64 << 20;

/// Options and their defaults; docs/reference/protocols/kafka.md explains them.
const OPTIONS: [(&str, &str); 10] = [
    ("authority", ""),
    ("batch_bytes", "1000000"),
    ("batch_messages", "10000"),
    ("compression", "none"),
    ("fetch_wait_ms", "500"),
    ("idempotence", "false"),
    ("inflight", "5"),
    ("linger_ms", "5"),
    Reconnect::OPTION,
    ("transport", "tcp"),
];

pub fn kafka() -> Described {
    Described {
        contract: CONTRACT,
        name: "kafka-rdkafka".into(),
        protocol: "kafka".into(),
        library: "librdkafka".into(),
        version: rdkafka::util::get_rdkafka_version().1,
        language: "c".into(),
        roles: vec![Role::Publisher, Role::Subscriber],
        qos: vec![
            Qos::new("0", Delivery::AtMostOnce, false),
            Qos::new("1", Delivery::AtLeastOnce, true),
            Qos::new("all", Delivery::AtLeastOnce, true),
        ],
        ordered: true,
        max_message: MAX_MESSAGE,
        servers: vec!["kafka".into()],
        options: BTreeMap::from(OPTIONS.map(|(name, value)| (name.into(), value.into()))),
    }
}
