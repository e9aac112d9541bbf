//! `wirelab-codec`: describes a codec pack, checks its round trips, and measures sizes, CPU time
//! and memory.
//!
//! Output is JSON, one object per line. Exit code 3 for a pack, corpus or codec that cannot be
//! used.

mod bench;
mod exchange;
mod memory;
mod number;
mod peak_memory;
mod random;
mod single_call;
mod sizes;
mod verify;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Parser, Subcommand};
use wirelab_codec::{Corpus, Error, Pack, Phase};

#[derive(Parser)]
#[command(version, about = "Measures the codecs of a payload's pack")]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Print the pack's description.
    Describe {
        /// The pack.
        pack: PathBuf,
    },
    /// Print the encoded size of every message, by codec.
    Sizes(Inputs),
    /// Check that every message survives the round trip, and print losses, by codec.
    Verify(Inputs),
    /// Measure CPU time per operation, by codec and phase.
    Bench {
        #[command(flatten)]
        inputs: Inputs,
        /// Phases to time; by default those that each codec supports.
        #[arg(long, value_delimiter = ',', value_parser = phase)]
        phase: Vec<Phase>,
        /// Time budget per codec and phase, in seconds.
        #[arg(long, default_value_t = 0.5)]
        seconds_per: f64,
        /// Number of samples within that time.
        #[arg(long, default_value_t = 30, value_parser = clap::value_parser!(u32).range(1..=100_000))]
        samples: u32,
        /// Seed for the order of samples.
        #[arg(long, default_value_t = 1)]
        seed: u64,
    },
    /// Encode messages with one pack and decode them with another, the pack of another version of
    /// the schema.
    Exchange(exchange::Exchange),
    /// Print the peak resident set of this process after one codec has run one phase.
    Peak {
        #[command(flatten)]
        inputs: Inputs,
        /// Phase to run; if omitted, none after pack and messages are loaded.
        #[arg(long, value_parser = phase)]
        phase: Option<Phase>,
        /// Number of passes over the messages.
        #[arg(long, default_value_t = 1)]
        iterations: u64,
    },
    /// Count allocations and bytes per operation, by codec and phase; requires
    /// LD_PRELOAD=libwirelab_alloc.so.
    Memory {
        #[command(flatten)]
        inputs: Inputs,
        /// Phases to count.
        #[arg(long, value_delimiter = ',', value_parser = phase, default_value = "serialize,deserialize")]
        phase: Vec<Phase>,
    },
    /// Measure the wall time of single calls, one message at a time.
    #[command(alias = "singly")]
    SingleCall {
        #[command(flatten)]
        inputs: Inputs,
        /// Seed for the order of the messages.
        #[arg(long, default_value_t = 1)]
        seed: u64,
    },
}

#[derive(Args)]
struct Inputs {
    /// The pack.
    pack: PathBuf,
    /// The corpus in JSON Lines.
    corpus: PathBuf,
    /// Codecs as `format/library`; by default all codecs of the pack.
    #[arg(long, value_delimiter = ',')]
    codec: Vec<String>,
}

/// The pack, corpus and codecs that a command uses.
struct Loaded {
    pack: Pack,
    corpus: Corpus,
    text: Vec<u8>,
    codecs: Vec<String>,
}

impl Inputs {
    fn load(self) -> Result<Loaded, Error> {
        let pack = Pack::load(&self.pack)?;
        let text = std::fs::read(&self.corpus)
            .map_err(|error| Error::Pack(format!("corpus {}: {error}", self.corpus.display())))?;
        let corpus = pack.corpus(&text)?;
        if corpus.is_empty() {
            return Err(Error::Pack(format!(
                "corpus {}: has no messages",
                self.corpus.display()
            )));
        }
        let known: Vec<String> = pack
            .description()
            .codecs
            .iter()
            .map(|codec| codec.name.clone())
            .collect();
        if let Some(unknown) = self.codec.iter().find(|name| !known.contains(name)) {
            return Err(Error::Pack(format!(
                "codec {unknown}: not in this pack; it has {}",
                known.join(", ")
            )));
        }
        let codecs = if self.codec.is_empty() {
            known
        } else {
            self.codec
        };
        Ok(Loaded {
            pack,
            corpus,
            text,
            codecs,
        })
    }
}

fn phase(name: &str) -> Result<Phase, String> {
    name.parse()
}

fn run(command: Command) -> Result<(), Error> {
    match command {
        Command::Describe { pack } => print(Pack::load(pack)?.description()),
        Command::Sizes(inputs) => sizes::run(&inputs.load()?),
        Command::Verify(inputs) => verify::run(&inputs.load()?),
        Command::Bench {
            inputs,
            phase,
            seconds_per,
            samples,
            seed,
        } => {
            if !(seconds_per > 0.0 && seconds_per.is_finite()) {
                return Err(Error::Pack(format!(
                    "--seconds-per {seconds_per}: must be above zero"
                )));
            }
            bench::run(&inputs.load()?, &phase, seconds_per, samples, seed)
        }
        Command::Exchange(exchange) => exchange::run(exchange),
        Command::Peak {
            inputs,
            phase,
            iterations,
        } => peak_memory::run(&inputs.load()?, phase, iterations),
        Command::Memory { inputs, phase } => memory::run(&inputs.load()?, &phase),
        Command::SingleCall { inputs, seed } => single_call::run(&inputs.load()?, seed),
    }
}

/// Prints one value on one line of standard output.
fn print<T: serde::Serialize>(value: &T) -> Result<(), Error> {
    use std::io::Write;
    let mut line = serde_json::to_vec(value).map_err(|error| Error::Pack(error.to_string()))?;
    line.push(b'\n');
    std::io::stdout()
        .write_all(&line)
        .map_err(|error| Error::Pack(format!("standard output: {error}")))
}

fn main() -> ExitCode {
    match run(Cli::parse().command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("wirelab-codec: {error}");
            ExitCode::from(3)
        }
    }
}
