//! CPU time of each phase, with all codecs of one process interleaved at random.
//!
//! A sample is a whole number of passes over the corpus, timed inside the pack. The metric is
//! thread CPU time, which excludes other processes on the same core. Wall time is recorded as well:
//! interference that CPU time includes (caches, frequency) shows as a difference between the two.

use serde::Serialize;
use wirelab_codec::{Error, Phase, Session};

use crate::random::Random;
use crate::{Loaded, print};

/// Minimum duration of a calibration loop, in ns: reading the thread's CPU clock costs about half a
/// microsecond.
const CALIBRATION_NS: u64 = 1_000_000;

struct Cell<'a> {
    codec: &'a str,
    phase: Phase,
    iterations: u64,
    cpu_ns: Vec<f64>,
    wall_ns: Vec<f64>,
    bytes: u64,
    operations: u64,
    checksum: u64,
}

#[derive(Serialize)]
struct Line<'a> {
    codec: &'a str,
    phase: Phase,
    /// Passes over the corpus per sample.
    iterations: u64,
    /// Operations per sample.
    operations: u64,
    /// Mean encoded bytes per operation; 0 for phases that touch none.
    bytes: f64,
    /// Checksum over one pass of what was read or written; equal for all codecs in the decode
    /// phases. Hexadecimal, because JSON readers round 64-bit integers.
    checksum: String,
    /// Thread CPU time per operation, ns, one value per sample.
    cpu_ns: &'a [f64],
    /// Wall time per operation, ns, one value per sample.
    wall_ns: &'a [f64],
}

/// Times each codec's phases and prints one line for each.
pub fn run(
    loaded: &Loaded,
    phases: &[Phase],
    seconds_per: f64,
    samples: u32,
    seed: u64,
) -> Result<(), Error> {
    let target_ns = seconds_per * 1e9 / f64::from(samples);
    let mut sessions = Vec::new();
    let mut cells = Vec::new();
    for codec in &loaded.codecs {
        let mut session = loaded.corpus.session(codec)?;
        for phase in wanted(loaded, codec, phases) {
            let iterations = calibrate(&mut session, phase, target_ns)?;
            let (cpu_ns, wall_ns) = (
                Vec::with_capacity(samples as usize),
                Vec::with_capacity(samples as usize),
            );
            let cell = Cell {
                codec,
                phase,
                iterations,
                cpu_ns,
                wall_ns,
                bytes: 0,
                operations: 0,
                checksum: 0,
            };
            cells.push((sessions.len(), cell));
        }
        sessions.push(session);
    }
    let mut order: Vec<usize> = (0..cells.len()).collect();
    let mut random = Random::new(seed);
    for _ in 0..samples {
        random.shuffle(&mut order);
        for &index in &order {
            let (session, cell) = &mut cells[index];
            sample(&mut sessions[*session], cell)?;
        }
    }
    cells.iter().try_for_each(|(_, cell)| print(&line(cell)))
}

fn wanted(loaded: &Loaded, codec: &str, phases: &[Phase]) -> Vec<Phase> {
    let info = loaded
        .pack
        .description()
        .codecs
        .iter()
        .find(|info| info.name == codec);
    let has = info.map(|info| info.phases.as_slice()).unwrap_or_default();
    has.iter()
        .copied()
        .filter(|phase| phases.is_empty() || phases.contains(phase))
        .collect()
}

/// Number of passes that take about `target_ns`. Running them also warms caches, branch predictors
/// and buffers.
fn calibrate(session: &mut Session, phase: Phase, target_ns: f64) -> Result<u64, Error> {
    let count = session.len();
    let mut iterations = 1;
    loop {
        let timing = session.run(phase, 0, count, iterations)?;
        if timing.cpu_ns >= CALIBRATION_NS || timing.wall_ns >= 100 * CALIBRATION_NS {
            let pass_ns = timing.cpu_ns.max(1) as f64 / iterations as f64;
            return Ok((target_ns / pass_ns).round().max(1.0) as u64);
        }
        iterations *= 2;
    }
}

fn sample(session: &mut Session, cell: &mut Cell<'_>) -> Result<(), Error> {
    let timing = session.run(cell.phase, 0, session.len(), cell.iterations)?;
    let operations = timing.operations as f64;
    cell.cpu_ns.push(timing.cpu_ns as f64 / operations);
    cell.wall_ns.push(timing.wall_ns as f64 / operations);
    (cell.bytes, cell.operations, cell.checksum) =
        (timing.bytes, timing.operations, timing.checksum);
    Ok(())
}

fn line<'a>(cell: &'a Cell<'_>) -> Line<'a> {
    Line {
        codec: cell.codec,
        phase: cell.phase,
        iterations: cell.iterations,
        operations: cell.operations,
        bytes: cell.bytes as f64 / cell.operations as f64,
        checksum: format!("{:016x}", cell.checksum),
        cpu_ns: &cell.cpu_ns,
        wall_ns: &cell.wall_ns,
    }
}
