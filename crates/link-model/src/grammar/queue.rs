//! Queue limits and disciplines.

use super::function::{check_names, find_value, parse_arguments};
use crate::discipline::Discipline;
use crate::error::BadLink;
use crate::queue::QueueLimit;
use crate::spec::ETHERNET_MTU;
use crate::units;

/// Parse a limit, or a discipline with its parameters.
pub(super) fn parse_queue(value: &str) -> Result<(QueueLimit, Discipline), BadLink> {
    if let Some(pairs) = parse_arguments(value, "drophead")? {
        check_names(&pairs, &["limit"], "drophead")?;
        return Ok((parse_limit(&pairs)?, Discipline::DropHead));
    }
    if let Some(pairs) = parse_arguments(value, "codel")? {
        return Ok((parse_limit(&pairs)?, parse_codel(value, &pairs)?));
    }
    if let Some(pairs) = parse_arguments(value, "red")? {
        return Ok((parse_limit(&pairs)?, parse_red(value, &pairs)?));
    }
    Ok((parse_queue_limit(value)?, Discipline::DropTail))
}

pub(super) fn parse_codel(value: &str, pairs: &[(&str, &str)]) -> Result<Discipline, BadLink> {
    check_names(pairs, &["limit", "target", "interval"], "codel")?;
    // RFC 8289, sections 4.2 and 4.3: 5 ms and 100 ms.
    let time = |name, default| {
        find_value(pairs, name).map_or(Ok(default), |v| units::parse_duration_ns(name, v))
    };
    let (target_ns, interval_ns) = (time("target", 5e6)? as u64, time("interval", 100e6)? as u64);
    if target_ns == 0 || interval_ns <= target_ns {
        return Err(BadLink::new(format!(
            "queue '{value}': target must be above 0 and interval above target"
        )));
    }
    Ok(Discipline::Codel {
        target_ns,
        interval_ns,
    })
}

pub(super) fn parse_red(value: &str, pairs: &[(&str, &str)]) -> Result<Discipline, BadLink> {
    check_names(pairs, &["limit", "min", "max", "p"], "red")?;
    let size = |name: &str| match find_value(pairs, name) {
        Some(text) => units::parse_size_bytes(name, text),
        None => Err(BadLink::new(format!(
            "red needs {name}, like red(min=15kB,max=45kB)"
        ))),
    };
    let (min_bytes, max_bytes) = (size("min")?, size("max")?);
    let max_p = find_value(pairs, "p").map_or(Ok(0.1), |v| units::parse_fraction("p", v))?;
    if min_bytes >= max_bytes {
        return Err(BadLink::new(format!(
            "queue '{value}': min must be below max"
        )));
    }
    Ok(Discipline::Red {
        min_bytes,
        max_bytes,
        max_p,
    })
}

/// Parse the `limit` of a discipline.
fn parse_limit(pairs: &[(&str, &str)]) -> Result<QueueLimit, BadLink> {
    find_value(pairs, "limit").map_or(Ok(QueueLimit::Packets(1000)), parse_queue_limit)
}

pub(super) fn parse_queue_limit(value: &str) -> Result<QueueLimit, BadLink> {
    let refuse = |_| {
        BadLink::new(format!(
            "queue '{value}' is not a limit; write it like 100p, 64kB, 200ms, none, codel() or red(min=15kB,max=45kB)"
        ))
    };
    if value == "none" {
        return Ok(QueueLimit::Unlimited);
    }
    if let Some(packets) = value.strip_suffix('p') {
        let packets: u64 = packets.trim().parse().map_err(|_| refuse(()))?;
        return if packets > 0 {
            Ok(QueueLimit::Packets(packets))
        } else {
            Err(refuse(()))
        };
    }
    if let Ok(ns) = units::parse_duration_ns("queue", value) {
        return Ok(QueueLimit::Delay(ns.round() as u64));
    }
    match units::parse_size_bytes("queue", value) {
        Ok(bytes) if bytes >= u64::from(ETHERNET_MTU) => Ok(QueueLimit::Bytes(bytes)),
        Ok(_) => Err(BadLink::new(format!(
            "queue '{value}' cannot hold one packet of 1500 B; give 1500B or more"
        ))),
        Err(_) => Err(refuse(())),
    }
}
