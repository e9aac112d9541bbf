//! What these peers can do.

use std::collections::BTreeMap;

use wirelab_peer::{CONTRACT, Delivery, Described, Qos, Role};

/// The relay refuses longer frames.
const TCP_MAX: u64 = 64 << 20;
/// 65,535 B less the IPv4 and UDP headers.
const UDP_MAX: u64 = 65_507;

pub fn tcp() -> Described {
    Described {
        ordered: true,
        max_message: TCP_MAX,
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
