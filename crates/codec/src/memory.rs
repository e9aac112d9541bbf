//! Allocations and bytes per operation, counted by a preloaded library.

use std::ffi::c_int;

use libloading::os::unix::{Library, Symbol};
use serde::Serialize;
use wirelab_codec::{Error, Phase, Session};

use crate::{Loaded, print};

/// Passes before counting starts, so that reused buffers have reached their size.
const WARM_UP: u64 = 2;

#[repr(C)]
#[derive(Clone, Copy, Default)]
struct Counters {
    allocations: u64,
    bytes: u64,
    live: u64,
    peak: u64,
}

type Read = unsafe extern "C" fn(*mut Counters, c_int);

#[derive(Serialize)]
struct Line<'a> {
    codec: &'a str,
    phase: Phase,
    operations: u64,
    /// Allocations per operation.
    allocations: f64,
    /// Bytes allocated per operation.
    bytes: f64,
    /// Maximum live bytes during any operation, minus those live before it.
    peak_bytes: u64,
}

/// Counts each codec's phases over one pass of the corpus and prints one line for each.
pub fn run(loaded: &Loaded, phases: &[Phase]) -> Result<(), Error> {
    let counters = Counter::find()?;
    for codec in &loaded.codecs {
        let mut session = loaded.corpus.session(codec)?;
        for &phase in phases {
            print(&counters.count(&mut session, codec, phase)?)?;
        }
    }
    Ok(())
}

struct Counter(Symbol<Read>);

impl Counter {
    fn find() -> Result<Self, Error> {
        // SAFETY: the function has this type in every library that defines its name.
        let found = unsafe { Library::this().get::<Read>(b"wl_alloc_counters\0") };
        found.map(Self).map_err(|_| {
            Error::Pack(
                "allocations are not counted: run with LD_PRELOAD=libwirelab_alloc.so".into(),
            )
        })
    }

    fn read(&self, restart: bool) -> Counters {
        let mut counters = Counters::default();
        // SAFETY: the pointer is valid for writes of its type.
        unsafe { (self.0)(&mut counters, c_int::from(restart)) };
        counters
    }

    fn count<'a>(
        &self,
        session: &mut Session,
        codec: &'a str,
        phase: Phase,
    ) -> Result<Line<'a>, Error> {
        let length = session.len();
        session.run(phase, 0, length, WARM_UP)?;
        let before = self.read(true);
        let timing = session.run(phase, 0, length, 1)?;
        let after = self.read(false);
        let each = timing.operations as f64;
        Ok(Line {
            codec,
            phase,
            operations: timing.operations,
            allocations: (after.allocations - before.allocations) as f64 / each,
            bytes: (after.bytes - before.bytes) as f64 / each,
            peak_bytes: after.peak.saturating_sub(before.live),
        })
    }
}
