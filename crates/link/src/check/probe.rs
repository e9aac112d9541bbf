//! The probe that runs inside the check's lab.

use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::net::{Ipv4Addr, UdpSocket};
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;

use nix::sched::{CloneFlags, setns};
use serde_json::Value;
use wirelab_link_model::{Cause, Fate, FlowKey, LinkSpec};

use super::HOSTS;
use super::expect::{HEADERS, Side};
use super::report::{Report, Row, median, quantile};
use super::traffic::{Exchange, Pair, Plan};
use crate::failure::{Failure, no_lab};
use crate::lab::HOME;
use crate::load;

/// A small packet: 64 bytes at layer 3.
const SMALL: u32 = 64;
const SPARSE_NS: u64 = 2_000_000_000;
const SPARSE_MAX: u64 = 2000;
const TRAIN_NS: u64 = 1_500_000_000;
/// From the epoch to the first packet: all threads are ready by then.
const LEAD_NS: u64 = 20_000_000;
/// The median packet may be so late, and its share of the delay asked.
const LATE_NS: f64 = 200_000.0;
const LATE_SHARE: f64 = 0.005;
/// A link whose 99th percentile is later than this is not fit for use.
const LATE_P99_NS: f64 = 5_000_000.0;
const RATE_SHARE: f64 = 0.005;
/// Normal quantile of 99.9 %: with some ten checks per study, 95 % would fail a good link every other time.
const WIDE: f64 = 3.29;

/// Measure and print. Exit code 0 on spec, 2 off spec.
pub fn run(text: &str, seed: u64, json: bool) -> Result<u8, Failure> {
    let link = load::link(text)?;
    let mut probe = Probe::new(&link, seed)?;
    let mut rows = probe.sparse()?;
    rows.extend(probe.trains()?);
    let (realtime, own) = probe.own_figures()?;
    rows.extend(own);
    let trace = [probe.sides[0].capacity()?, probe.sides[1].capacity()?]
        .into_iter()
        .find(|t| !t.is_empty());
    let report = Report {
        link: link.text.clone(),
        source: link.source.clone(),
        seed,
        backend: "af_packet",
        realtime,
        ok: rows.iter().all(|row| row.ok),
        checks: rows,
        trace: trace.unwrap_or_default(),
    };
    if json {
        println!(
            "{}",
            serde_json::to_string(&report).map_err(no_lab("report"))?
        );
    } else {
        println!("{}", report.text());
    }
    Ok(if report.ok { 0 } else { 2 })
}

struct Probe<'a> {
    sides: [Side<'a>; 2],
    pairs: [Pair; 2],
    control: BufReader<UnixStream>,
    late: Vec<(u64, f64)>,
}

impl<'a> Probe<'a> {
    fn new(link: &'a LinkSpec, seed: u64) -> Result<Probe<'a>, Failure> {
        let [device, server] = [Ipv4Addr::new(10, 77, 0, 1), Ipv4Addr::new(10, 77, 0, 2)];
        let pair = |from: usize, to: usize, address| -> Result<Pair, Failure> {
            Pair::new(socket(HOSTS[from])?, socket(HOSTS[to])?, address).map_err(no_lab("probe"))
        };
        let pairs = [pair(0, 1, server)?, pair(1, 0, device)?];
        let side = |i: usize,
                    name,
                    source: Ipv4Addr,
                    destination: Ipv4Addr,
                    spec|
         -> Result<Side<'a>, Failure> {
            let port = |s: &UdpSocket| s.local_addr().map(|a| a.port()).map_err(no_lab("probe"));
            let key = FlowKey {
                source: source.octets(),
                destination: destination.octets(),
                protocol: 17,
                source_port: port(&pairs[i].from)?,
                destination_port: port(&pairs[i].to)?,
            };
            Ok(Side {
                name,
                spec,
                seed,
                key,
            })
        };
        let sides = [
            side(0, "up", device, server, &link.up)?,
            side(1, "down", server, device, &link.down)?,
        ];
        let control =
            UnixStream::connect(format!("{HOME}/link.sock")).map_err(no_lab("control socket"))?;
        Ok(Probe {
            sides,
            pairs,
            control: BufReader::new(control),
            late: Vec::new(),
        })
    }

    fn ask(&mut self, command: &str) -> Result<Value, Failure> {
        let mut line = String::new();
        writeln!(self.control.get_mut(), "{{\"cmd\":\"{command}\"}}")
            .map_err(no_lab("control socket"))?;
        self.control
            .read_line(&mut line)
            .map_err(no_lab("control socket"))?;
        serde_json::from_str(&line).map_err(no_lab("control socket"))
    }

    fn epoch(&mut self) -> Result<u64, Failure> {
        let answer = self.ask("epoch")?;
        answer["epoch_ns"]
            .as_u64()
            .ok_or_else(|| Failure::NoLab("control socket: no epoch".into()))
    }

    /// Small packets far apart, both ways at once: delay and loss.
    fn sparse(&mut self) -> Result<Vec<Row>, Failure> {
        let epoch = self.epoch()?;
        let plan = |side: &Side, tag: u64| -> Result<Plan, Failure> {
            let gap_ns = side.gap_ns(SMALL);
            let count = (SPARSE_NS / gap_ns).clamp(10, SPARSE_MAX);
            let times: Vec<u64> = (0..count).map(|i| LEAD_NS + i * gap_ns).collect();
            let drain_ns = last_due(&side.fates(&times, SMALL)?)
                .saturating_sub(count * gap_ns)
                .min(30 * SPARSE_NS);
            Ok(Plan {
                tag,
                start_ns: epoch + LEAD_NS,
                count,
                gap_ns,
                l3_bytes: SMALL,
                drain_ns,
            })
        };
        let plans = [
            plan(&self.sides[0], epoch)?,
            plan(&self.sides[1], epoch + 1)?,
        ];
        let [up, down] = std::thread::scope(|scope| {
            let down = scope.spawn(|| self.pairs[1].exchange(plans[1]));
            let up = self.pairs[0].exchange(plans[0]);
            [
                up,
                down.join()
                    .unwrap_or_else(|_| Err(std::io::Error::other("a probe failed"))),
            ]
        });
        self.keep_lateness()?;
        let mut rows = Vec::new();
        for (side, exchange) in self.sides.iter().zip([up, down]) {
            let exchange = exchange.map_err(no_lab("probe"))?;
            let times: Vec<u64> = exchange
                .sent
                .iter()
                .map(|t| t.saturating_sub(epoch))
                .collect();
            let fates = side.fates(&times, SMALL)?;
            rows.extend(delay(side, &exchange, &fates, epoch));
            rows.push(loss(side, &exchange, &fates));
            rows.push(same_losses(side, &exchange, &fates));
        }
        Ok(rows)
    }

    /// As many full packets at once as the queue takes: rate.
    fn trains(&mut self) -> Result<Vec<Row>, Failure> {
        let mut rows = Vec::new();
        for i in 0..2 {
            let Some((l3_bytes, count)) = self.sides[i].train(TRAIN_NS)? else {
                continue;
            };
            let epoch = self.epoch()?;
            let due = last_due(&self.sides[i].fates(&vec![LEAD_NS; count], l3_bytes)?);
            let plan = Plan {
                tag: epoch,
                start_ns: epoch + LEAD_NS,
                count: count as u64,
                gap_ns: 0,
                l3_bytes,
                drain_ns: due,
            };
            let exchange = self.pairs[i].exchange(plan).map_err(no_lab("probe"))?;
            self.keep_lateness()?;
            let times: Vec<u64> = exchange
                .sent
                .iter()
                .map(|t| t.saturating_sub(epoch))
                .collect();
            let fates = self.sides[i].fates(&times, l3_bytes)?;
            rows.extend(rate(&self.sides[i], &exchange, &fates, l3_bytes));
        }
        Ok(rows)
    }

    fn keep_lateness(&mut self) -> Result<(), Failure> {
        let counters = self.ask("snapshot")?;
        let late = &counters["lateness"];
        self.late.push((
            late["packets"].as_u64().unwrap_or(0),
            late["p99_ns"].as_f64().unwrap_or(0.0),
        ));
        Ok(())
    }

    /// The emulator's own lateness in the worst phase, and its drops.
    fn own_figures(&mut self) -> Result<(bool, Vec<Row>), Failure> {
        let counters = self.ask("snapshot")?;
        let p99 = self.late.iter().map(|(_, p99)| *p99).fold(0.0, f64::max);
        let n = self.late.iter().map(|(n, _)| *n as usize).sum();
        let drops = counters["own_drops"].as_f64().unwrap_or(0.0);
        let row = |what: &str, asked, measured, unit, ok| Row {
            what: what.into(),
            asked,
            measured,
            low: None,
            high: None,
            unit,
            n,
            ok,
        };
        Ok((
            counters["realtime"].as_bool().unwrap_or(false),
            vec![
                row("own lateness p99", None, p99, "ns", p99 <= LATE_P99_NS),
                row("own drops", Some(0.0), drops, "packets", drops == 0.0),
            ],
        ))
    }
}

fn socket(host: &str) -> Result<UdpSocket, Failure> {
    let namespace = File::open(format!("{HOME}/ns/{host}")).map_err(no_lab("probe"))?;
    setns(namespace.as_fd(), CloneFlags::CLONE_NEWNET).map_err(no_lab("probe"))?;
    UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0)).map_err(no_lab("probe"))
}

fn last_due(fates: &[Fate]) -> u64 {
    let due = |fate: &Fate| {
        if let Fate::Deliver { due, .. } = fate {
            *due
        } else {
            0
        }
    };
    fates.iter().map(due).max().unwrap_or(0)
}

/// Arrived packets with the times asked and measured, ns.
fn pairs<'a>(
    exchange: &'a Exchange,
    fates: &'a [Fate],
) -> impl Iterator<Item = (usize, u64, u64)> + 'a {
    fates.iter().enumerate().filter_map(|(i, fate)| match fate {
        // A duplicate that comes at the same time would be measured by its second copy.
        Fate::Deliver { due, mark, .. } if !mark.duplicate => {
            exchange.arrived.get(&(i as u64)).map(|&at| (i, *due, at))
        }
        _ => None,
    })
}

fn sorted(values: impl Iterator<Item = f64>) -> Vec<f64> {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values
}

fn delay(side: &Side, exchange: &Exchange, fates: &[Fate], epoch: u64) -> Vec<Row> {
    let asked = sorted(
        pairs(exchange, fates).map(|(i, due, _)| (due + epoch) as f64 - exchange.sent[i] as f64),
    );
    if asked.is_empty() {
        return vec![];
    }
    let errors =
        sorted(pairs(exchange, fates).map(|(_, due, at)| at as f64 - (due + epoch) as f64));
    let (nominal, (error, low, high)) = (median(&asked).0, median(&errors));
    let magnitude = sorted(errors.iter().map(|e| e.abs()));
    let allowed = LATE_NS + LATE_SHARE * nominal;
    let row = |what: &str, asked, measured, low, high, ok| Row {
        what: format!("{} {what}", side.name),
        asked,
        measured,
        low,
        high,
        unit: "ns",
        n: errors.len(),
        ok,
    };
    let mut rows = vec![row(
        "delay",
        Some(nominal),
        nominal + error,
        Some(nominal + low),
        Some(nominal + high),
        error.abs() <= allowed,
    )];
    for (name, q, most) in [
        ("delay error p50", 0.5, f64::INFINITY),
        ("delay error p99", 0.99, LATE_P99_NS + allowed),
        ("delay error p99.9", 0.999, f64::INFINITY),
    ] {
        let found = quantile(&magnitude, q);
        rows.push(row(name, None, found, None, None, found <= most));
    }
    rows
}

/// Share lost of the packets that a full queue did not refuse: those an outage in a trace may cost are no loss of the link.
fn loss(side: &Side, exchange: &Exchange, fates: &[Fate]) -> Row {
    let admitted = || {
        (0..)
            .zip(fates)
            .filter(|(_, fate)| **fate != Fate::Drop(Cause::Queue))
    };
    let n = admitted().count();
    let lost = admitted()
        .filter(|(i, _)| !exchange.arrived.contains_key(i))
        .count();
    // The receiver's kernel drops what is damaged.
    let damaged = side.spec.marks.corrupt;
    let (asked, measured) = (
        1.0 - (1.0 - side.spec.loss.mean()) * (1.0 - damaged),
        lost as f64 / n as f64,
    );
    let correction = if asked > 0.0 { 0.5 / n as f64 } else { 0.0 };
    let half = WIDE
        * ((side.spec.loss.variance_per_packet() + damaged * (1.0 - damaged)) / n as f64).sqrt()
        + correction;
    Row {
        what: format!("{} loss", side.name),
        asked: Some(asked),
        measured,
        low: Some((measured - half).max(0.0)),
        high: Some((measured + half).min(1.0)),
        unit: "fraction",
        n,
        ok: (measured - asked).abs() <= half,
    }
}

/// Packets whose fate was not the one the seed draws for them.
fn same_losses(side: &Side, exchange: &Exchange, fates: &[Fate]) -> Row {
    let differs = |(i, fate): (usize, &Fate)| {
        // The receiver's kernel drops what fails its checksum.
        let whole = matches!(fate, Fate::Deliver { mark, .. } if mark.corrupt.is_none());
        whole != exchange.arrived.contains_key(&(i as u64))
    };
    let wrong = fates
        .iter()
        .enumerate()
        .filter(|&pair| differs(pair))
        .count();
    Row {
        what: format!("{} fates not as drawn", side.name),
        asked: Some(0.0),
        measured: wrong as f64,
        low: None,
        high: None,
        unit: "packets",
        n: fates.len(),
        ok: wrong == 0,
    }
}

/// Bits between the first and the last arrival, over the time between them. Lost packets used the link as well.
fn rate(side: &Side, exchange: &Exchange, fates: &[Fate], l3_bytes: u32) -> Option<Row> {
    let found: Vec<(usize, u64, u64)> = pairs(exchange, fates).collect();
    let (&(first, due_first, at_first), &(last, due_last, at_last)) =
        (found.first()?, found.last()?);
    if due_last <= due_first || at_last <= at_first {
        return None;
    }
    let bits = (last - first) as f64 * f64::from(l3_bytes) * 8.0;
    let (asked_ns, measured_ns) = ((due_last - due_first) as f64, (at_last - at_first) as f64);
    let over = |ns: f64| bits * 1e9 / ns;
    Some(Row {
        what: format!("{} rate", side.name),
        asked: Some(over(asked_ns)),
        measured: over(measured_ns),
        // Each end may be off by the lateness allowed.
        low: Some(over(measured_ns + LATE_NS)),
        high: Some(over((measured_ns - LATE_NS).max(1.0))),
        unit: "bit/s",
        n: found.len(),
        ok: (measured_ns - asked_ns).abs() <= LATE_NS + RATE_SHARE * asked_ns,
    })
}

const _: () = assert!(SMALL > HEADERS + 16);
