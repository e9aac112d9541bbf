//! A direction of a link as JSON.

use serde_json::{Map, Value, json};
use wirelab_link_model::impairment::{Impairment, Parameter};
use wirelab_link_model::{DirectionSpec, QueueLimit, RateSpec};

use super::show::describe_discipline;

/// A direction as JSON. Unlimited values and impairments that are not specified are `null`.
pub fn direction_json(direction: &DirectionSpec) -> Value {
    let rate = match &direction.rate {
        RateSpec::Unlimited => json!({"kind": "unlimited", "mean_bit_per_s": null}),
        RateSpec::Constant(bps) => json!({"kind": "constant", "mean_bit_per_s": bps}),
        RateSpec::Trace { name, trace } => {
            json!({"kind": "trace", "file": name, "mean_bit_per_s": trace.mean_bps(), "period_ns": trace.period_ns()})
        }
        RateSpec::Generated(g) => {
            let scheduled = g.scheduled.map(
                |o| json!({"period_ns": o.period_ns, "at_ns": o.at_ns, "length_ns": o.length_ns}),
            );
            json!({"kind": "generated", "mean_bit_per_s": g.mean_bps(), "median_bit_per_s": g.median_bps,
            "sigma": g.sigma, "correlation": g.correlation, "outage_per_s": g.outage, "recovery_per_s": g.recovery, "scheduled_outage": scheduled})
        }
    };
    let queue = match direction.queue {
        QueueLimit::Unlimited => json!(null),
        QueueLimit::Packets(n) => json!({"packets": n}),
        QueueLimit::Bytes(n) => json!({"bytes": n}),
        QueueLimit::Delay(ns) => json!({"ns": ns}),
    };
    let mut values = Map::new();
    for (name, impairment) in direction.impairments.all() {
        values.insert(name.into(), impairment.map_or(Value::Null, impairment_json));
    }
    values.insert("rate".into(), rate);
    values.insert("delay_ns".into(), json!(direction.delay_ns));
    values.insert("queue".into(), queue);
    values.insert(
        "discipline".into(),
        json!(describe_discipline(direction.discipline)),
    );
    values.insert("mtu".into(), json!(direction.mtu));
    Value::Object(values)
}

fn impairment_json(impairment: &dyn Impairment) -> Value {
    let parameters = impairment.parameters().into_iter();
    let value = |parameter| match parameter {
        Parameter::Number(number) => json!(number),
        Parameter::Count(count) => json!(count),
        Parameter::Flag(flag) => json!(flag),
        Parameter::Text(text) => json!(text),
        Parameter::Absent => Value::Null,
    };
    parameters
        .map(|(name, parameter)| (name.to_string(), value(parameter)))
        .collect()
}
