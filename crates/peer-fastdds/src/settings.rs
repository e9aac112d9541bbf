//! Converts options to the configuration of Fast DDS.

use std::ffi::CString;
use std::net::IpAddr;
use std::time::Duration;

use wirelab_dds::{multicast, reliable, samples_kept, transient_local};
use wirelab_peer::{Fault, Setup};

use crate::bindings::Settings;
use crate::ffi::{Domain, wait_for_interface};
use crate::flow::Flow;

/// A domain has 250 ports (DDSI-RTPS 2.3, 9.6.1.1).
const HIGHEST_PORT: u16 = u16::MAX - 250;

/// The participant: the interface that routes to the publisher, its port as the base port, and the
/// flow controller.
///
/// # Errors
/// A fatal fault that names the option.
pub fn domain(setup: &Setup, flow: Option<&Flow>) -> Result<Domain, Fault> {
    let lease: f64 = setup.options.in_range("lease_s", 0.1, 3600.0)?;
    let own = setup.local_address()?;
    if let IpAddr::V6(own) = own {
        let why = "this peer supports only IPv4";
        return Err(Fault::fatal(format!("address {own}"), why));
    }
    let port = setup.server().port();
    // Otherwise Fast DDS ends the process.
    if port > HIGHEST_PORT {
        let why = format!("the ports of a DDS domain start here, so the limit is {HIGHEST_PORT}");
        return Err(Fault::fatal(format!("port {port}"), why));
    }
    let name = CString::new(own.to_string()).expect("an address is digits and dots");
    if !wait_for_interface(&name, setup.connect_timeout) {
        let why = "the network interface is down";
        return Err(Fault::fatal(format!("address {own}"), why));
    }
    Ok(Domain {
        own: name,
        port,
        loopback: own.is_loopback(),
        packet: setup.options.in_range("packet_bytes", 512, 65_500)?,
        lease: Duration::from_secs_f64(lease),
        flow_bytes: flow.map_or(0, Flow::bytes),
        flow_period: flow.map_or(Duration::ZERO, Flow::period),
    })
}

/// The QoS policies of the data writer and reader.
///
/// # Errors
/// A fatal fault that names the option.
pub fn settings(setup: &Setup, flow: Option<&Flow>) -> Result<Settings, Fault> {
    Ok(Settings {
        reliable: reliable(setup),
        transient_local: transient_local(setup)?,
        // Loopback has no multicast.
        multicast: multicast(setup)? && !setup.local_address()?.is_loopback(),
        controlled: flow.is_some(),
        depth: samples_kept(setup)?,
        samples: setup.options.in_range("max_samples", 1, 10_000_000)?,
        lifespan_ns: nanoseconds(setup, "lifespan_ms", 0.0)?,
        heartbeat_ns: nanoseconds(setup, "heartbeat_ms", 1.0)?,
    })
}

fn nanoseconds(setup: &Setup, option: &str, least: f64) -> Result<i64, Fault> {
    // RTPS stores seconds in 32 bits.
    let milliseconds: f64 = setup.options.in_range(option, least, 2e12)?;
    Ok((milliseconds * 1e6) as i64)
}
