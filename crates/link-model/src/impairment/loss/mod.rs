//! Packet loss, drawn per flow and packet number.

mod grammar;

use std::sync::Arc;

use super::{Effect, Impairment, Packet, Parameter};
use crate::counter_rng::CounterRng;
use crate::netem::{NetemArguments, format_percent};
use crate::trace::LossTrace;
use crate::units;

pub(crate) use grammar::SETTINGS;

/// How packets are lost.
#[derive(Debug, Clone, PartialEq)]
pub enum Spec {
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

impl Spec {
    /// Long-run fraction of packets lost, in [0, 1].
    pub fn mean(&self) -> f64 {
        match *self {
            Spec::Iid(p) => p,
            Spec::Trace { ref trace, .. } => trace.mean(),
            Spec::GilbertElliott {
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

    /// The same with every loss probability multiplied by `factor`, at most 1.
    pub fn scaled(&self, factor: f64) -> Spec {
        let scale = |p: f64| (p * factor).min(1.0);
        match *self {
            Spec::Iid(p) => Spec::Iid(scale(p)),
            Spec::Trace {
                ref name,
                ref trace,
            } => Spec::Trace {
                name: name.clone(),
                trace: Arc::new(trace.scaled(factor)),
            },
            Spec::GilbertElliott {
                to_bad,
                to_good,
                loss_bad,
                loss_good,
            } => Spec::GilbertElliott {
                to_bad,
                to_good,
                loss_bad: scale(loss_bad),
                loss_good: scale(loss_good),
            },
        }
    }
}

impl Impairment for Spec {
    fn describe(&self) -> String {
        let kind = match self {
            Spec::GilbertElliott { .. } => " in bursts".into(),
            Spec::Trace { name, .. } => format!(" on average, from {name}"),
            Spec::Iid(_) => String::new(),
        };
        units::show_fraction(self.mean()) + &kind
    }

    fn parameters(&self) -> Vec<(&'static str, Parameter)> {
        let text = |word: &str| Parameter::Text(word.into());
        let mut parameters = vec![("mean", Parameter::Number(self.mean()))];
        match self {
            Spec::Iid(_) => parameters.push(("kind", text("iid"))),
            Spec::Trace { name, trace } => parameters.extend([
                ("kind", text("trace")),
                ("file", text(name)),
                ("period_ns", Parameter::Count(trace.period_ns())),
            ]),
            Spec::GilbertElliott {
                to_bad,
                to_good,
                loss_bad,
                loss_good,
            } => parameters.extend([
                ("kind", text("gilbert-elliott")),
                ("to_bad", Parameter::Number(*to_bad)),
                ("to_good", Parameter::Number(*to_good)),
                ("loss_bad", Parameter::Number(*loss_bad)),
                ("loss_good", Parameter::Number(*loss_good)),
            ]),
        }
        parameters
    }

    fn plan_netem(&self, plan: &mut NetemArguments) {
        match *self {
            Spec::Iid(p) => plan.add_share("loss random", p),
            Spec::Trace { .. } => {
                plan.lack("loss: netem has one probability, so the mean over time is used");
                plan.add_share("loss random", self.mean());
            }
            Spec::GilbertElliott {
                to_bad,
                to_good,
                loss_bad,
                loss_good,
            } => {
                let all = [to_bad, to_good, loss_bad, loss_good].map(format_percent);
                plan.add(&format!("loss gemodel {}", all.join(" ")));
            }
        }
    }

    fn effect(&self, _: CounterRng) -> Box<dyn Effect> {
        Box::new(Loss {
            spec: self.clone(),
            bad: Vec::new(),
        })
    }

    fn lost_share(&self, t: u64) -> f64 {
        match self {
            Spec::Trace { trace, .. } => trace.at(t),
            other => other.mean(),
        }
    }

    /// More for bursts than for independent losses.
    fn lost_variance(&self, share: f64) -> f64 {
        match *self {
            Spec::GilbertElliott {
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
                share * (1.0 - share) + 2.0 * spread * memory / (1.0 - memory)
            }
            _ => share * (1.0 - share),
        }
    }
}

/// The process of loss of one direction.
#[derive(Debug)]
struct Loss {
    spec: Spec,
    /// For each flow, whether the Gilbert-Elliott chain is in the bad state.
    bad: Vec<bool>,
}

impl Effect for Loss {
    fn loses(&mut self, packet: &Packet) -> bool {
        let drawn = packet.rng.stream(0).uniform(packet.number);
        match self.spec {
            Spec::Iid(p) => drawn < p,
            Spec::Trace { ref trace, .. } => drawn < trace.at(packet.t),
            Spec::GilbertElliott {
                to_bad,
                to_good,
                loss_bad,
                loss_good,
            } => {
                if self.bad.len() <= packet.flow {
                    self.bad.resize(packet.flow + 1, false);
                }
                let bad = &mut self.bad[packet.flow];
                *bad ^= packet.rng.stream(1).uniform(packet.number)
                    < if *bad { to_good } else { to_bad };
                drawn < if *bad { loss_bad } else { loss_good }
            }
        }
    }
}
