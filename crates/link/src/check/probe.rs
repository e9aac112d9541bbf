//! The probe that runs inside the check's lab.

use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::net::{Ipv4Addr, UdpSocket};
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;

use nix::sched::{CloneFlags, setns};
use serde_json::Value;
use wirelab_link_model::{Fate, FlowKey, LinkSpec};

use super::HOSTS;
use super::expect::{HEADERS, Side};
use super::judge::{LATE_P99_NS, delay, loss, rate, same_losses};
use super::report::{Report, Row};
use super::traffic::{Pair, Plan};
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

const _: () = assert!(SMALL > HEADERS + 16);
