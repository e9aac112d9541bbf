//! `import`: statistics and anomalies of a trace file, and its conversion to `seconds Mbit/s`, with
//! optional cleaning.

use std::fs;

use wirelab_link_model::netem::has_tc_commands;
use wirelab_link_model::trace::{
    self, Choices, Cleaning, Findings, Recording, Settings, Unit, parse_time_unit,
};
use wirelab_link_model::units::{parse_duration_ns, show_fraction, show_ns, show_rate};
use wirelab_link_model::{BadLink, Trace};

use crate::arguments::ImportArguments;
use crate::commands::netem;
use crate::commands::show::sparkline;
use crate::failure::Failure;
use crate::inputs;

/// Shortest period without capacity that is reported. Shorter ones may be artefacts of the format.
const STRETCH_NS: u64 = 1_000_000_000;

/// Print statistics of a trace cleaned according to `--clean`, and write it per second to `--to`.
pub fn run(arguments: &ImportArguments) -> Result<u8, Failure> {
    let cleaning = (arguments.clean.as_deref()).map_or(Ok(Cleaning::default()), Cleaning::parse)?;
    let choices = choices(arguments)?;
    let file = arguments.file.as_deref().unwrap_or_default();
    let bytes = inputs::read_trace_file(file)?;
    if let Some(commands) = tc_commands(&bytes) {
        return match &arguments.to {
            Some(_) => Err(Failure::BadInput(format!(
                "{file}: these are commands of tc, which have no capacity over time to write; leave out --to and use the link text that import prints"
            ))),
            None => netem::import(commands),
        };
    }
    let in_file = |e: BadLink| BadLink::new(format!("{file}: {e}"));
    if let Some(settings) = trace::settings(&bytes).map_err(in_file)? {
        return print_settings(file, &settings, arguments.to.is_some());
    }
    let read = |cleaning: &Cleaning| {
        trace::parse_with(&bytes, &choices, cleaning)
            .map_err(|e| BadLink::new(format!("{file}: {e}")))
    };
    let recording = read(&Cleaning {
        zeros_ns: None,
        cap_bps: None,
        ..cleaning
    })?;
    let cleaned = read(&cleaning)?.trace;
    println!(
        "{file}: {} format, {}",
        recording.format.name(),
        show_ns(recording.trace.period_ns() as f64)
    );
    recording.notes.iter().for_each(|note| println!("{note}"));
    list_anomalies(&recording)
        .iter()
        .for_each(|line| println!("{line}"));
    if cleaned != recording.trace {
        println!("cleaned: {} left", show_ns(cleaned.period_ns() as f64));
    }
    print_statistics(&cleaned);
    if let Some(to) = &arguments.to {
        let seconds = cleaned.per_second();
        let lines: String = (0..)
            .zip(&seconds)
            .map(|(s, bps): (usize, &f64)| format!("{s}\t{:.6}\n", bps / 1e6))
            .collect();
        // The first line keeps rates above 1 Gbit/s from being doubted.
        fs::write(to, format!("# seconds Mbit/s\n{lines}"))
            .map_err(|e| Failure::BadInput(format!("{}: {e}", to.display())))?;
        println!("written per second to {}", to.display());
    }
    Ok(0)
}

/// The text of a file with commands or listings of tc. None for other files.
fn tc_commands(bytes: &[u8]) -> Option<&str> {
    let text = std::str::from_utf8(bytes).ok()?;
    has_tc_commands(text).then_some(text)
}

/// Print a link text of delays and losses.
fn print_settings(file: &str, settings: &Settings, to: bool) -> Result<u8, Failure> {
    if to {
        return Err(Failure::BadInput(format!(
            "{file}: {} has no capacity to write; leave out --to and use the link text that import prints",
            settings.format
        )));
    }
    println!("{file}: {} format", settings.format);
    settings.notes.iter().for_each(|note| println!("{note}"));
    println!("{}", settings.link);
    Ok(0)
}

fn choices(arguments: &ImportArguments) -> Result<Choices, BadLink> {
    let step = |text: &String| Ok(parse_duration_ns("step", text)? / 1e9);
    Ok(Choices {
        column: arguments.column.clone(),
        unit: arguments.unit.as_deref().map(Unit::parse).transpose()?,
        time_column: arguments.time_column.clone(),
        time_unit: (arguments.time_unit.as_deref())
            .map(parse_time_unit)
            .transpose()?,
        step: arguments.step.as_ref().map(step).transpose()?,
    })
}

fn print_statistics(trace: &Trace) {
    let seconds = trace.per_second();
    let sorted = sorted(&seconds);
    let at = |q: f64| show_rate(quantile(&sorted, q));
    let silent = seconds.iter().filter(|&&rate| rate == 0.0).count();
    println!(
        "mean {}; per second: min {}, median {}, p95 {}, max {}",
        show_rate(trace.mean_bps()),
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
    println!("{}", sparkline(&seconds));
}

/// The anomalies in a recording, each with the option that handles it.
fn list_anomalies(read: &Recording) -> Vec<String> {
    let mut lines = read.findings.as_ref().map_or(vec![], list_row_anomalies);
    let stretches = read.trace.pieces().filter(|&(_, bps)| bps == 0);
    let long: Vec<u64> = stretches
        .map(|(ns, _)| ns)
        .filter(|&ns| ns >= STRETCH_NS)
        .collect();
    if let Some(&longest) = long.iter().max() {
        lines.push(format!(
            "{} periods of 1 s or more without capacity, the longest {}; zeros=5s shortens them",
            long.len(),
            show_ns(longest as f64)
        ));
    }
    let sorted = sorted(&read.trace.per_second());
    let (low, high) = (quantile(&sorted, 0.25), quantile(&sorted, 0.75));
    // The "far out" fence of Tukey 1977.
    let fence = high + 3.0 * (high - low);
    let out = sorted.iter().filter(|&&bps| bps > fence).count();
    if out > 0 {
        lines.push(format!(
            "{out} seconds with outlier rates (above {}, the upper quartile plus three interquartile ranges); cap=RATE lowers them",
            show_rate(fence)
        ));
    }
    lines
}

fn list_row_anomalies(findings: &Findings) -> Vec<String> {
    let mut lines = vec![format!(
        "{} rows, {} apart (median)",
        findings.rows,
        show_ns(findings.spacing_s * 1e9)
    )];
    for (count, what, how) in [
        (findings.bad_rates, "invalid rates", "bad=drop or bad=zero"),
        (
            findings.backward_times,
            "times going backwards",
            "order=sort",
        ),
        (
            findings.repeated_times,
            "repeated times",
            "same=last, first or mean",
        ),
    ] {
        if count > 0 {
            lines.push(format!("{count} {what}: {how}"));
        }
    }
    if findings.gaps > 0 {
        lines.push(format!(
            "{} gaps of more than three times that spacing, the longest {}: gaps=hold, zero or cut",
            findings.gaps,
            show_ns(findings.longest_gap_s * 1e9)
        ));
    }
    lines
}

fn sorted(values: &[f64]) -> Vec<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted
}

fn quantile(sorted: &[f64], q: f64) -> f64 {
    sorted[((sorted.len() - 1) as f64 * q).round() as usize]
}
