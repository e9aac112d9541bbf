//! Measures the cost of timestamping and recording one message, and its allocations: `cargo run
//! --release -p wirelab-peer --example recorder-bench`.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicU64, Ordering};

use wirelab_peer::contract::sample::Sample;
use wirelab_peer::{Clock, Monotonic, Recorder, Writer};

struct Counting;

static ALLOCATIONS: AtomicU64 = AtomicU64::new(0);

// SAFETY: every call is forwarded unchanged to the system allocator; the counter touches no memory
// of the caller.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        // SAFETY: the caller upholds the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: `pointer` came from `alloc` above with this layout.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

const CHUNK: u64 = 10_000;
const CHUNKS: usize = 100;

fn main() {
    let path = std::env::temp_dir().join(format!("wirelab-recorder-bench-{}", std::process::id()));
    let mut writer = Recorder::create(&path, CHUNK * CHUNKS as u64)
        .expect("a sample file in the temporary directory");
    let mut chunks = [0.0; CHUNKS];
    let allocated = ALLOCATIONS.load(Ordering::Relaxed);
    for chunk in &mut chunks {
        *chunk = record(&mut writer) / CHUNK as f64;
    }
    let allocated = ALLOCATIONS.load(Ordering::Relaxed) - allocated;
    drop(writer);
    std::fs::remove_file(&path).expect("the sample file can be removed");
    chunks.sort_by(f64::total_cmp);
    println!(
        "two stamps and a record: median {:.1} ns, slowest tenth above {:.1} ns, {allocated} allocations in {} messages",
        chunks[CHUNKS / 2],
        chunks[CHUNKS * 9 / 10],
        CHUNK * CHUNKS as u64,
    );
}

/// Timestamps and records a chunk of messages as the pacer does; returns the total in ns.
fn record(writer: &mut Writer) -> f64 {
    let clock: &dyn Clock = &Monotonic;
    let planned = clock.now();
    for seq in 0..CHUNK {
        let (start, sent) = (clock.now(), clock.now());
        writer.append(&Sample {
            seq,
            planned,
            start,
            sent,
            bytes: 1000,
            ..Sample::default()
        });
    }
    (clock.now() - planned) as f64
}
