//! The probe that runs inside the check's lab.

use std::fs::File;
use std::net::UdpSocket;

use wirelab_link_model::{Fate, FlowKey};

use super::control::Control;
use super::expectation::{HEADERS, ProbePath};
use super::lab_spec;
use super::path::Path;
use super::report::{Link, Report, Row};
use super::traffic::{Pair, Plan};
use super::verdict::{compare_delay, compare_fates, compare_jitter, compare_loss, compare_rate};
use crate::arguments::CheckArguments;
use crate::failure::{Failure, no_lab};
use crate::lab::spec::LabSpec;
use crate::lab::{HOME, network};

/// A small packet: 64 bytes at layer 3.
const SMALL: u32 = 64;
/// How long small packets are sent, if the requested number does not fit.
const SPARSE_NS: u64 = 2_000_000_000;
/// Distance between small packets, unless the requested number needs a smaller one.
const GAP_NS: u64 = 1_000_000;
const MIN_GAP_NS: u64 = 50_000;
const TRAIN_NS: u64 = 1_500_000_000;
/// From the epoch to the first packet, so that all threads are ready.
const LEAD_NS: u64 = 20_000_000;

/// Measure and print. Exit code 0 if on spec, 2 if off spec.
pub fn run(arguments: &CheckArguments) -> Result<u8, Failure> {
    let lab = lab_spec(arguments)?;
    let mut probe = Probe::new(&lab, arguments.packets)?;
    let mut rows = probe.measure_sparse()?;
    rows.extend(probe.measure_trains()?);
    let (realtime, own) = probe.control.own_figures()?;
    rows.extend(own);
    let mut trace = vec![];
    for path in &probe.paths {
        if trace.is_empty() {
            trace = path.path.capacity()?;
        }
    }
    let report = Report {
        link: report_title(&lab, arguments),
        source: lab.hosts[0].link.source.clone(),
        links: list_links(&lab, arguments.lab.is_some()),
        seed: lab.seed,
        backend: lab.backend.backend().name(),
        realtime,
        ok: rows.iter().all(|row| row.ok),
        checks: rows,
        trace,
    };
    if arguments.json {
        println!(
            "{}",
            serde_json::to_string(&report).map_err(no_lab("report"))?
        );
    } else {
        println!("{}", report.text());
    }
    Ok(if report.ok { 0 } else { 2 })
}

fn report_title(lab: &LabSpec, arguments: &CheckArguments) -> String {
    match &arguments.lab {
        Some(file) => file.display().to_string(),
        None => lab.hosts[0].link.text.clone(),
    }
}

/// Every host's link, and the segment; only the first host's link if a single link is checked.
fn list_links(lab: &LabSpec, all: bool) -> Vec<Link> {
    let count = if all { lab.hosts.len() } else { 1 };
    let hosts = lab.hosts[..count].iter();
    let hosts = hosts.map(|host| (host.name.as_str(), &host.link));
    let segment = lab.segment.iter().map(|link| ("segment", link));
    let all = hosts.chain(segment).map(|(host, link)| Link {
        host: host.into(),
        link: link.text.clone(),
        source: link.source.clone(),
    });
    all.collect()
}

struct Probe<'a> {
    lab: &'a LabSpec,
    paths: Vec<ProbePath>,
    pairs: Vec<Pair>,
    packets: u64,
    control: Control,
}

impl<'a> Probe<'a> {
    /// From every host to the next one, and from the last to the first, so that every direction is
    /// passed once.
    fn new(lab: &'a LabSpec, packets: u64) -> Result<Probe<'a>, Failure> {
        let count = lab.hosts.len();
        let (mut paths, mut pairs) = (Vec::new(), Vec::new());
        for (from, to) in (0..count).map(|from| (from, (from + 1) % count)) {
            let [source, destination] = [from, to].map(|host| &lab.hosts[host].name);
            let address = network::address(to);
            let pair = Pair::new(open_socket(source)?, open_socket(destination)?, address)
                .map_err(no_lab("probe"))?;
            let port = |s: &UdpSocket| s.local_addr().map(|a| a.port()).map_err(no_lab("probe"));
            paths.push(ProbePath {
                name: match (count, from) {
                    (2, 0) => "up".into(),
                    (2, _) => "down".into(),
                    _ => format!("{source} to {destination}"),
                },
                path: Path::new(lab, from, to),
                key: FlowKey {
                    source: network::address(from).octets(),
                    destination: address.octets(),
                    protocol: 17,
                    source_port: port(&pair.from)?,
                    destination_port: port(&pair.to)?,
                },
            });
            pairs.push(pair);
        }
        Ok(Probe {
            lab,
            paths,
            pairs,
            packets,
            control: Control::connect()?,
        })
    }

    /// Measure delay and loss with small packets far apart. All paths at once, or one after the
    /// other if they share a segment.
    fn measure_sparse(&mut self) -> Result<Vec<Row>, Failure> {
        let all: Vec<usize> = (0..self.paths.len()).collect();
        let at_once = if self.lab.segment.is_some() {
            1
        } else {
            all.len()
        };
        let mut rows = Vec::new();
        for paths in all.chunks(at_once) {
            rows.extend(self.measure_sparse_on(paths)?);
        }
        Ok(rows)
    }

    fn measure_sparse_on(&mut self, paths: &[usize]) -> Result<Vec<Row>, Failure> {
        let epoch = self.control.epoch()?;
        let plans = paths
            .iter()
            .map(|&i| self.plan_sparse(i, epoch))
            .collect::<Result<Vec<_>, _>>()?;
        let pairs = &self.pairs;
        let exchanges: Vec<_> = std::thread::scope(|scope| {
            let running: Vec<_> = paths
                .iter()
                .zip(plans)
                .map(|(&i, plan)| scope.spawn(move || pairs[i].exchange(plan)))
                .collect();
            let failed = |_| Err(std::io::Error::other("a probe thread failed"));
            running
                .into_iter()
                .map(|thread| thread.join().unwrap_or_else(failed))
                .collect()
        });
        self.control.end_phase()?;
        let mut rows = Vec::new();
        for (&i, exchange) in paths.iter().zip(exchanges) {
            let (path, exchange) = (&self.paths[i], exchange.map_err(no_lab("probe"))?);
            let times = exchange.times(epoch);
            let fates = path.fates(&times, SMALL)?;
            rows.extend(compare_delay(path, &exchange, &fates, epoch));
            rows.extend(compare_jitter(path, &exchange, &fates, epoch));
            rows.push(compare_loss(path, &exchange, &fates, epoch));
            if self.lab.backend.backend().emulates() {
                rows.push(compare_fates(path, &exchange, &fates));
            }
        }
        Ok(rows)
    }

    fn plan_sparse(&self, i: usize, epoch: u64) -> Result<Plan, Failure> {
        let path = &self.paths[i];
        // More paths share the sender's processors, or the time of the check.
        let share = (self.paths.len() / 2).max(1) as u64;
        let least = (SPARSE_NS / self.packets).clamp(MIN_GAP_NS, GAP_NS);
        let gap_ns = path.gap_ns(SMALL).max(least * share);
        let longest = SPARSE_NS.max(self.packets * least)
            / if self.lab.segment.is_some() { share } else { 1 };
        let count = (longest / gap_ns).clamp(10, self.packets);
        let times: Vec<u64> = (0..count).map(|i| LEAD_NS + i * gap_ns).collect();
        let drain_ns = last_due(&path.fates(&times, SMALL)?)
            .saturating_sub(count * gap_ns)
            .min(30 * SPARSE_NS);
        Ok(Plan {
            tag: epoch + i as u64,
            start_ns: epoch + LEAD_NS,
            count,
            gap_ns,
            l3_bytes: SMALL,
            drain_ns,
        })
    }

    /// Measure the rate with as many full packets at once as the queue takes.
    fn measure_trains(&mut self) -> Result<Vec<Row>, Failure> {
        let mut rows = Vec::new();
        for i in 0..self.paths.len() {
            let Some((l3_bytes, count)) = self.paths[i].train(TRAIN_NS)? else {
                continue;
            };
            let epoch = self.control.epoch()?;
            let due = last_due(&self.paths[i].fates(&vec![LEAD_NS; count], l3_bytes)?);
            let plan = Plan {
                tag: epoch,
                start_ns: epoch + LEAD_NS,
                count: count as u64,
                gap_ns: 0,
                l3_bytes,
                drain_ns: due,
            };
            let exchange = self.pairs[i].exchange(plan).map_err(no_lab("probe"))?;
            self.control.end_phase()?;
            let times = exchange.times(epoch);
            let fates = self.paths[i].fates(&times, l3_bytes)?;
            rows.extend(compare_rate(&self.paths[i], &exchange, &fates, l3_bytes));
        }
        Ok(rows)
    }
}

fn open_socket(host: &str) -> Result<UdpSocket, Failure> {
    let namespace = File::open(format!("{HOME}/ns/{host}")).map_err(no_lab("probe"))?;
    network::enter_namespace(&namespace)?;
    UdpSocket::bind(("0.0.0.0", 0)).map_err(no_lab("probe"))
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
