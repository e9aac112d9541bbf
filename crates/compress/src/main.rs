//! `wirelab-compress`: size and time of a payload's messages after compression, by codec, method
//! and batch size.
//!
//! Output is JSON, one object per line. Exit code 3 for a pack, corpus, codec or method that cannot
//! be used.

mod cell;
mod messages;
mod method;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Parser;
use wirelab_codec::Pack;

use cell::Cell;
use messages::Messages;
use method::Method;

#[derive(Parser)]
#[command(
    version,
    about = "Bytes and time of a payload's messages after compression"
)]
struct Cli {
    /// The pack.
    #[arg(required_unless_present = "encoded", requires = "corpus")]
    pack: Option<PathBuf>,
    /// The corpus in JSON Lines.
    corpus: Option<PathBuf>,
    /// Instead of both: already encoded messages, all of the first --codec, then all of the next;
    /// each a length (u32, little-endian) and its bytes.
    #[arg(long, requires = "codec", conflicts_with = "pack")]
    encoded: Option<PathBuf>,
    /// Codecs as `format/library`; by default all codecs of the pack.
    #[arg(long, value_delimiter = ',')]
    codec: Vec<String>,
    /// Methods; by default all.
    #[arg(long, value_delimiter = ',', value_enum)]
    method: Vec<Method>,
    /// Number of messages compressed together.
    #[arg(long, value_delimiter = ',', default_value = "1", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    batch: Vec<u32>,
    /// Time budget for compressing and for decompressing per cell, in seconds.
    #[arg(long, default_value_t = 0.02)]
    seconds_per: f64,
    /// Seed for the order in which cells are timed.
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

fn run(cli: Cli) -> Result<(), String> {
    let methods = if cli.method.is_empty() {
        Method::ALL.to_vec()
    } else {
        cli.method
    };
    let subjects = match (&cli.encoded, &cli.pack, &cli.corpus) {
        (Some(file), _, _) => Messages::read(&read(file, "encoded messages")?, &cli.codec)?,
        (_, Some(pack), Some(corpus)) => encoded(pack, corpus, cli.codec)?,
        _ => return Err("requires a pack and its corpus, or --encoded".into()),
    };
    let mut cells = Vec::new();
    for subject in &subjects {
        for &method in &methods {
            // The previous message helps single messages only; a batch contains its own context.
            let alone = method == Method::ZstdPrev;
            for &batch in cli.batch.iter().filter(|&&batch| batch == 1 || !alone) {
                cells.push(Cell::new(subject, method, batch as usize));
            }
        }
    }
    // Cells are timed in random order, so that drift affects all methods alike.
    let mut order: Vec<usize> = (0..cells.len()).collect();
    shuffle(&mut order, cli.seed);
    for &index in &order {
        cells[index].measure(cli.seconds_per)?;
    }
    let mut out = std::io::stdout().lock();
    for cell in &cells {
        let line = serde_json::to_string(&cell.line).map_err(|error| error.to_string())?;
        writeln!(out, "{line}").map_err(|error| format!("standard output: {error}"))?;
    }
    Ok(())
}

/// The messages of a corpus by codecs of a pack; by default all codecs.
fn encoded(pack: &Path, corpus: &Path, named: Vec<String>) -> Result<Vec<Messages>, String> {
    let pack = Pack::load(pack).map_err(|error| error.to_string())?;
    let text = read(corpus, "corpus")?;
    let corpus = pack.corpus(&text).map_err(|error| error.to_string())?;
    let known = || pack.description().codecs.iter().map(|codec| &codec.name);
    let codecs = if named.is_empty() {
        known().cloned().collect()
    } else {
        named
    };
    codecs
        .iter()
        .map(|codec| Messages::encode(&corpus, codec))
        .collect()
}

fn read(path: &Path, what: &str) -> Result<Vec<u8>, String> {
    std::fs::read(path).map_err(|error| format!("{what} {}: {error}", path.display()))
}

/// Fisher and Yates' shuffle with SplitMix64 (Steele, Lea and Flood 2014).
fn shuffle(order: &mut [usize], seed: u64) {
    let mut state = seed;
    let mut next = || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut word = state;
        word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        word ^ (word >> 31)
    };
    for last in (1..order.len()).rev() {
        order.swap(last, (next() % (last as u64 + 1)) as usize);
    }
}

fn main() -> ExitCode {
    match run(Cli::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("wirelab-compress: {error}");
            ExitCode::from(3)
        }
    }
}
