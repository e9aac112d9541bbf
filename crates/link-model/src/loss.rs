//! Packet loss, drawn per flow and packet number.

use std::sync::Arc;

use crate::flow::FlowState;
use crate::trace::LossTrace;

/// How packets are lost.
#[derive(Debug, Clone, PartialEq)]
pub enum LossSpec {
    /// No loss.
    None,
    /// Independent, with this probability.
    Iid(f64),
    /// Two-state chain, one step per packet of a flow (Gilbert 1960, Elliott 1963).
    GilbertElliott {
        /// Probability of good -> bad.
        to_bad: f64,
        /// Probability of bad -> good.
        to_good: f64,
        /// Loss probability in the bad state.
        loss_bad: f64,
        /// Loss probability in the good state.
        loss_good: f64,
    },
    /// Independent, with a probability that changes over time as recorded.
    Trace {
        /// The file name as given.
        name: String,
        /// Its content, scaled.
        trace: Arc<LossTrace>,
    },
}

impl LossSpec {
    /// Long-run fraction of packets lost, in [0, 1].
    pub fn mean(&self) -> f64 {
        match *self {
            LossSpec::None => 0.0,
            LossSpec::Iid(p) => p,
            LossSpec::Trace { ref trace, .. } => trace.mean(),
            LossSpec::GilbertElliott {
                to_bad,
                to_good,
                loss_bad,
                loss_good,
            } => {
                let bad = if to_bad + to_good > 0.0 {
                    to_bad / (to_bad + to_good)
                } else {
                    0.0
                };
                bad * loss_bad + (1.0 - bad) * loss_good
            }
        }
    }

    /// Fraction of packets lost at trace time `t`; the long-run fraction unless it is a trace.
    pub fn mean_at(&self, t: u64) -> f64 {
        match self {
            LossSpec::Trace { trace, .. } => trace.at(t),
            other => other.mean(),
        }
    }

    /// Variance of the number lost among n packets, divided by n, for large n: p(1-p) for
    /// independent losses, more for bursts.
    pub fn variance_per_packet(&self) -> f64 {
        let p = self.mean();
        match *self {
            LossSpec::GilbertElliott {
                to_bad,
                to_good,
                loss_bad,
                loss_good,
            } if to_bad + to_good > 0.0 => {
                let bad = to_bad / (to_bad + to_good);
                // Covariance at lag k is bad(1-bad)(loss_bad-loss_good)^2 * memory^k, summed over k
                // >= 1 on both sides.
                let memory = 1.0 - to_bad - to_good;
                let spread = bad * (1.0 - bad) * (loss_bad - loss_good).powi(2);
                p * (1.0 - p) + 2.0 * spread * memory / (1.0 - memory)
            }
            _ => p * (1.0 - p),
        }
    }

    /// The same with every loss probability multiplied by `factor`, at most 1.
    pub fn scaled(&self, factor: f64) -> LossSpec {
        let scale = |p: f64| (p * factor).min(1.0);
        match *self {
            LossSpec::None => LossSpec::None,
            LossSpec::Iid(p) => LossSpec::Iid(scale(p)),
            LossSpec::Trace {
                ref name,
                ref trace,
            } => LossSpec::Trace {
                name: name.clone(),
                trace: Arc::new(trace.scaled(factor)),
            },
            LossSpec::GilbertElliott {
                to_bad,
                to_good,
                loss_bad,
                loss_good,
            } => LossSpec::GilbertElliott {
                to_bad,
                to_good,
                loss_bad: scale(loss_bad),
                loss_good: scale(loss_good),
            },
        }
    }

    /// Whether packet `number` of a flow, which arrives at trace time `t`, is lost. Call once per
    /// packet, in order.
    pub(crate) fn is_lost(&self, flow: &mut FlowState, number: u64, t: u64) -> bool {
        match *self {
            LossSpec::None => false,
            LossSpec::Iid(p) => flow.rng.stream(0).uniform(number) < p,
            LossSpec::Trace { ref trace, .. } => flow.rng.stream(0).uniform(number) < trace.at(t),
            LossSpec::GilbertElliott {
                to_bad,
                to_good,
                loss_bad,
                loss_good,
            } => {
                let flip =
                    flow.rng.stream(1).uniform(number) < if flow.bad { to_good } else { to_bad };
                flow.bad ^= flip;
                flow.rng.stream(0).uniform(number) < if flow.bad { loss_bad } else { loss_good }
            }
        }
    }
}
