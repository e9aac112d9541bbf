//! `import`: what is in a trace file, and the same as `seconds Mbit/s`.

use std::fs;
use std::path::Path;

use wirelab_link_model::units::{show_fraction, show_ns, show_rate};
use wirelab_link_model::{BadLink, trace};

use crate::commands::show::spark;
use crate::failure::Failure;
use crate::load;

/// Print statistics of a trace; write it per second to `to`.
pub fn run(file: &str, column: Option<&str>, to: Option<&Path>) -> Result<u8, Failure> {
    let (format, read) = trace::parse(&load::trace_file(file)?, column)
        .map_err(|e| BadLink::new(format!("{file}: {e}")))?;
    let seconds = read.per_second();
    let mut sorted = seconds.clone();
    sorted.sort_by(f64::total_cmp);
    let at = |q: f64| show_rate(sorted[((sorted.len() - 1) as f64 * q).round() as usize]);
    let silent = seconds.iter().filter(|&&rate| rate == 0.0).count();
    println!(
        "{file}: {} format, {}",
        format.name(),
        show_ns(read.period_ns() as f64)
    );
    println!(
        "mean {}; per second: min {}, median {}, p95 {}, max {}",
        show_rate(read.mean_bps()),
        at(0.0),
        at(0.5),
        at(0.95),
        at(1.0)
    );
    println!(
        "{silent} of {} seconds without capacity ({})",
        seconds.len(),
        show_fraction(silent as f64 / seconds.len() as f64)
    );
    println!("{}", spark(&seconds));
    if let Some(to) = to {
        let lines: String = seconds
            .iter()
            .enumerate()
            .map(|(s, bps)| format!("{s}\t{:.6}\n", bps / 1e6))
            .collect();
        fs::write(to, lines).map_err(|e| Failure::BadInput(format!("{}: {e}", to.display())))?;
        println!("written per second to {}", to.display());
    }
    Ok(0)
}
