//! The description of this peer.

use std::collections::BTreeMap;

use wirelab_peer::{CONTRACT, Delivery, Described, Qos, Reconnect, Role};
use wirelab_transport::tls;

/// The version that Cargo.toml pins; a test keeps both equal.
const FE2O3: &str = "0.18.4";

/// The QoS level at which messages are settled when sent.
pub const SETTLED: &str = "settled";

/// The limit that RabbitMQ is configured with.
const MAX_MESSAGE: u64 = 128 << 20;

/// Options and their defaults; docs/reference/protocols/amqp10.md explains them.
const OPTIONS: [(&str, &str); 7] = [
    ("address", "/exchange/amq.direct/{topic}"),
    ("credit", "1000"),
    ("durable", "false"),
    ("inflight", "1000"),
    ("password", "guest"),
    Reconnect::OPTION,
    ("user", "guest"),
];

pub fn amqp10() -> Described {
    Described {
        contract: CONTRACT,
        name: "amqp10-fe2o3-amqp".into(),
        protocol: "amqp10".into(),
        library: "fe2o3-amqp".into(),
        version: FE2O3.into(),
        language: "rust".into(),
        roles: vec![Role::Publisher, Role::Subscriber],
        qos: vec![
            Qos::new(SETTLED, Delivery::AtMostOnce, false),
            Qos::new("unsettled", Delivery::AtLeastOnce, true),
        ],
        ordered: true,
        max_message: MAX_MESSAGE,
        servers: vec!["amqp10".into()],
        options: OPTIONS
            .into_iter()
            .chain(tls::OPTIONS)
            .map(|(name, value)| (name.into(), value.into()))
            .collect::<BTreeMap<_, _>>(),
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_described_version_is_the_built_one() {
        let pinned = format!("fe2o3-amqp = {{ version = \"={}\"", super::FE2O3);
        assert!(include_str!("../Cargo.toml").contains(&pinned));
    }
}
