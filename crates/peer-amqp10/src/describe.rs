//! What this peer can do.

use std::collections::BTreeMap;

use wirelab_peer::{CONTRACT, Delivery, Described, Qos, Reconnect, Role};
use wirelab_transport::tls;

/// The version Cargo.toml pins; a test holds them together.
const FE2O3: &str = "0.18.4";

/// The qos at which messages are settled before they leave.
pub const SETTLED: &str = "settled";

/// What RabbitMQ is told to take at most.
const MAX_MESSAGE: u64 = 128 << 20;

/// Options and their defaults; docs/reference/protocols/amqp10.md explains each.
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
    fn the_version_told_is_the_version_built() {
        let pinned = format!("fe2o3-amqp = {{ version = \"={}\"", super::FE2O3);
        assert!(include_str!("../Cargo.toml").contains(&pinned));
    }
}
