//! The words of loss in the link language.

use std::sync::Arc;

use super::Spec;
use crate::error::BadLink;
use crate::grammar::{FileReader, Setting, check_names, parse_arguments};
use crate::trace::LossTrace;
use crate::units;

/// `loss` and `loss-trace`, which exclude each other.
pub(crate) const SETTINGS: [Setting; 2] = [
    Setting::new("loss", |direction, value, _| {
        direction.impairments.loss = parse_loss(value)?;
        Ok(())
    })
    .scaled_by(|direction, factor| {
        let loss = &mut direction.impairments.loss;
        *loss = loss.as_ref().map(|loss| loss.scaled(factor));
        Ok(())
    }),
    Setting::new("loss-trace", |direction, value, read_file| {
        direction.impairments.loss = Some(read_loss_trace(value, read_file)?);
        Ok(())
    })
    .of("loss"),
];

fn parse_loss(value: &str) -> Result<Option<Spec>, BadLink> {
    let Some(pairs) = parse_arguments(value, "ge")? else {
        let p = units::parse_fraction("loss", value)?;
        return Ok((p > 0.0).then_some(Spec::Iid(p)));
    };
    check_names(&pairs, &["p", "r", "bad", "good"], "ge")?;
    let find_value =
        |name: &str, default: Option<f64>| match pairs.iter().find(|(key, _)| *key == name) {
            Some((_, value)) => units::parse_fraction(name, value),
            None => {
                default.ok_or_else(|| BadLink::new(format!("ge needs {name}, like ge(p=1%,r=25%)")))
            }
        };
    Ok(Some(Spec::GilbertElliott {
        to_bad: find_value("p", None)?,
        to_good: find_value("r", None)?,
        loss_bad: find_value("bad", Some(1.0))?,
        loss_good: find_value("good", Some(0.0))?,
    }))
}

/// Read loss over time from a file.
fn read_loss_trace(name: &str, read_file: FileReader) -> Result<Spec, BadLink> {
    let trace =
        LossTrace::parse(&read_file(name)?).map_err(|e| BadLink::new(format!("{name}: {e}")))?;
    Ok(Spec::Trace {
        name: name.to_string(),
        trace: Arc::new(trace),
    })
}
