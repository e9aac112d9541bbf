//! The files in which packets are kept.

use std::io;

use super::log::{Log, Record};
use super::pcap::{Capture, Captured};
use super::switch::Keep;

/// Those that were asked for.
pub struct Files {
    /// The packet log.
    pub log: Option<Log>,
    /// The capture.
    pub capture: Option<Capture>,
}

impl Files {
    /// What the switch must keep for them.
    pub fn keep(&self) -> Keep {
        match (&self.log, &self.capture) {
            (_, Some(_)) => Keep::Frames,
            (Some(_), None) => Keep::Records,
            (None, None) => Keep::Nothing,
        }
    }

    /// A record in CLOCK_MONOTONIC, and its frame where that is kept.
    pub(super) fn push(&mut self, record: Record, offset: i64, bytes: Vec<u8>) {
        if let Some(log) = &mut self.log {
            log.push(record);
        }
        if let Some(capture) = &mut self.capture {
            capture.push(Captured {
                record,
                offset,
                bytes,
            });
        }
    }

    /// Pass on what has gathered.
    pub(super) fn hand_over(&mut self) {
        self.log.iter_mut().for_each(Log::hand_over);
        self.capture.iter_mut().for_each(Capture::hand_over);
    }

    /// Empty them.
    pub(super) fn restart(&mut self) {
        self.log.iter_mut().for_each(Log::restart);
        self.capture.iter_mut().for_each(Capture::restart);
    }

    /// Write everything out. Errors if one is incomplete.
    pub(super) fn close(self) -> io::Result<()> {
        let logged = self.log.map_or(Ok(()), Log::close);
        self.capture.map_or(Ok(()), Capture::close).and(logged)
    }
}
