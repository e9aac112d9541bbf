//! `fit`: the generator's parameters for recorded traces, so that a private trace can be shared as
//! a model.

use serde_json::json;
use wirelab_link_model::units::{show_fraction, show_rate};
use wirelab_link_model::{BadLink, Trace, trace};

use crate::failure::Failure;
use crate::inputs;

/// Print the link text of the generator fitted to all traces together, and to each trace alone.
pub fn run(files: &[String], as_json: bool) -> Result<u8, Failure> {
    let traces: Vec<Trace> = files
        .iter()
        .map(|file| read(file))
        .collect::<Result<_, _>>()?;
    let fitted = trace::fit(&traces)?;
    if as_json {
        let value = json!({"link": format!("up.rate={fitted}"), "median_bps": fitted.median_bps, "sigma": fitted.sigma,
            "correlation": fitted.correlation, "outage_per_s": fitted.outage, "recovery_per_s": fitted.recovery});
        println!("{value}");
        return Ok(0);
    }
    println!("up.rate={fitted}");
    println!(
        "mean {}, {} of the time in outage",
        show_rate(fitted.mean_bps()),
        show_fraction(fitted.outage_share())
    );
    if files.len() > 1 {
        for (file, trace) in files.iter().zip(&traces) {
            println!("{file} alone: {}", trace::fit(std::slice::from_ref(trace))?);
        }
    }
    Ok(0)
}

fn read(file: &str) -> Result<Trace, BadLink> {
    let read = trace::parse(&inputs::read_trace_file(file)?)
        .map_err(|e| BadLink::new(format!("{file}: {e}")))?;
    Ok(read.trace)
}
