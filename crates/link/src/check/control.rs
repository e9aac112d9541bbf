//! A client of the emulator's control socket.

use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::UnixStream;

use serde_json::Value;

use super::report::Row;
use super::verdict::LATE_P99_NS;
use crate::failure::{Failure, no_lab};
use crate::lab::HOME;

/// The connection, and the emulator's own figures so far.
pub struct Control {
    stream: BufReader<UnixStream>,
    /// Packets and p99 lateness of each phase.
    late: Vec<(u64, f64)>,
    /// Frames that the emulator itself lost in all phases.
    own_drops: u64,
}

impl Control {
    /// Connect to the emulator of the surrounding lab.
    pub fn connect() -> Result<Control, Failure> {
        let stream =
            UnixStream::connect(format!("{HOME}/link.sock")).map_err(no_lab("control socket"))?;
        Ok(Control {
            stream: BufReader::new(stream),
            late: Vec::new(),
            own_drops: 0,
        })
    }

    fn ask(&mut self, command: &str) -> Result<Value, Failure> {
        let mut line = String::new();
        writeln!(self.stream.get_mut(), "{{\"cmd\":\"{command}\"}}")
            .map_err(no_lab("control socket"))?;
        self.stream
            .read_line(&mut line)
            .map_err(no_lab("control socket"))?;
        serde_json::from_str(&line).map_err(no_lab("control socket"))
    }

    /// Start a phase: the emulator resets time, counters and draws. Returns the new epoch.
    pub fn epoch(&mut self) -> Result<u64, Failure> {
        let answer = self.ask("epoch")?;
        answer["epoch_ns"]
            .as_u64()
            .ok_or_else(|| Failure::NoLab("control socket: no epoch".into()))
    }

    /// Record the emulator's figures of the phase that ends.
    pub fn end_phase(&mut self) -> Result<(), Failure> {
        let counters = self.ask("snapshot")?;
        let late = &counters["lateness"];
        self.late.push((
            late["packets"].as_u64().unwrap_or(0),
            late["p99_ns"].as_f64().unwrap_or(0.0),
        ));
        self.own_drops += counters["own_drops"].as_u64().unwrap_or(0);
        Ok(())
    }

    /// Whether the emulator has real-time scheduling, and rows for its lateness in the worst phase
    /// and for its drops.
    pub fn own_figures(&mut self) -> Result<(bool, Vec<Row>), Failure> {
        let counters = self.ask("snapshot")?;
        let p99 = self.late.iter().map(|(_, p99)| *p99).fold(0.0, f64::max);
        let n = self.late.iter().map(|(n, _)| *n as usize).sum();
        let drops = self.own_drops as f64;
        let row = |what: &str, expected, measured, unit, ok| Row {
            what: what.into(),
            expected,
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
