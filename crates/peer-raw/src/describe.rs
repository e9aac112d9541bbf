//! The descriptions of these peers.

use std::collections::BTreeMap;

use wirelab_peer::{CONTRACT, Delivery, Described, Qos, Role};
use wirelab_transport::MAX_MESSAGE;

/// The version that Cargo.toml pins; a test keeps both equal.
const RUSTLS: &str = "0.23.46";
/// 65,535 B minus the IPv4 and UDP headers.
const UDP_MAX: u64 = 65_507;

pub fn tcp() -> Described {
    Described {
        ordered: true,
        max_message: MAX_MESSAGE as u64,
        ..raw("tcp", Qos::new("stream", Delivery::AtMostOnce, false), &[])
    }
}

pub fn udp() -> Described {
    let options = [("receive_buffer_bytes", "4194304")];
    Described {
        max_message: UDP_MAX,
        ..raw(
            "udp",
            Qos::new("datagram", Delivery::BestEffort, false),
            &options,
        )
    }
}

pub fn tls() -> Described {
    let options = [("authority", ""), ("transport", "tls")];
    let qos = Qos::new("stream", Delivery::AtMostOnce, false);
    Described {
        name: "tls-rustls".into(),
        library: "rustls".into(),
        version: RUSTLS.into(),
        ordered: true,
        max_message: MAX_MESSAGE as u64,
        ..raw("tls", qos, &options)
    }
}

fn raw(protocol: &str, qos: Qos, options: &[(&str, &str)]) -> Described {
    let options = options
        .iter()
        .map(|&(name, value)| (name.to_owned(), value.to_owned()));
    Described {
        contract: CONTRACT,
        name: format!("{protocol}-std"),
        protocol: protocol.into(),
        library: "std".into(),
        version: env!("CARGO_PKG_VERSION").into(),
        language: "rust".into(),
        roles: vec![Role::Publisher, Role::Subscriber],
        qos: vec![qos],
        ordered: false,
        max_message: 0,
        servers: vec!["raw".into()],
        options: BTreeMap::from_iter(options),
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_described_version_is_the_built_one() {
        let pinned = format!("rustls = {{ version = \"={}\"", super::RUSTLS);
        assert!(include_str!("../../../Cargo.toml").contains(&pinned));
    }
}
