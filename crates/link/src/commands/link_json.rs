//! A direction of a link as JSON.

use serde_json::{Value, json};
use wirelab_link_model::{DirectionSpec, JitterDraw, LossSpec, QueueLimit, RateSpec};

use super::show::describe_discipline;

/// A direction as JSON. Unlimited values are `null`.
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
    let loss = match &direction.loss {
        LossSpec::None => json!({"kind": "none", "mean": 0.0}),
        LossSpec::Iid(p) => json!({"kind": "iid", "mean": p}),
        LossSpec::Trace { name, trace } => {
            json!({"kind": "trace", "file": name, "mean": trace.mean(), "period_ns": trace.period_ns()})
        }
        LossSpec::GilbertElliott {
            to_bad,
            to_good,
            loss_bad,
            loss_good,
        } => json!({"kind": "gilbert-elliott",
            "mean": direction.loss.mean(), "to_bad": to_bad, "to_good": to_good, "loss_bad": loss_bad, "loss_good": loss_good}),
    };
    let queue = match direction.queue {
        QueueLimit::Unlimited => json!(null),
        QueueLimit::Packets(n) => json!({"packets": n}),
        QueueLimit::Bytes(n) => json!({"bytes": n}),
        QueueLimit::Delay(ns) => json!({"ns": ns}),
    };
    let jitter = direction.jitter.map(|j| match j.draw {
        JitterDraw::Packet => json!({"sd_ns": j.sd_ns, "tick_ns": null, "correlation": 0.0, "in_order": j.in_order}),
        JitterDraw::Tick { tick_ns, correlation } => {
            json!({"sd_ns": j.sd_ns, "tick_ns": tick_ns, "correlation": correlation, "in_order": j.in_order})
        }
    });
    let handover = direction
        .handover
        .map(|h| json!({"period_ns": h.period_ns, "at_ns": h.at_ns, "length_ns": h.length_ns}));
    json!({"rate": rate, "delay_ns": direction.delay_ns, "jitter": jitter, "loss": loss, "handover": handover, "duplicate": direction.impairments.duplicate, "corrupt": direction.impairments.corrupt, "reorder": direction.impairments.reorder,
        "reorder_ns": direction.impairments.reorder_ns, "queue": queue, "discipline": describe_discipline(direction.discipline), "mtu": direction.mtu})
}
