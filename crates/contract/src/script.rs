//! Scripts: what a responder does with each request.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// What a responder does with each request. Without rules it sends every message back.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Script {
    /// Size of each pool by its name, 1 to 65536. A pool of size n holds the numbers 0 to n - 1,
    /// all free at first.
    pub pools: BTreeMap<String, u32>,
    /// Rule of each method. A request of a method without a rule is sent back.
    pub on: BTreeMap<Method, Rule>,
    /// Time that each answer takes, in ns: at most a second. One request is answered at a time.
    pub service_time_ns: u64,
}

/// Method of a request, among those that HTTP and CoAP share.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub enum Method {
    /// Queries something.
    Get,
    /// Reports a state.
    Put,
    /// Reports the end of a state.
    Delete,
}

/// What a request of one method does, and the answer to it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Rule {
    /// Effect on the pool.
    pub effect: Effect,
    /// Name of the pool; empty for `reply`.
    #[serde(default)]
    pub pool: String,
    /// Text of the answer; `{number}` stands for the number that the effect concerns.
    pub answer: String,
}

/// Effect of a request on a pool. A target holds at most one number of each pool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub enum Effect {
    /// The target gets the lowest free number, or keeps the one it holds. Refused with `full`.
    Take,
    /// The target gets the number in the body instead of the one it holds. Refused with `taken`, or
    /// with `no POOL` if the body is not a number.
    Hold,
    /// The number that the target holds becomes free. Refused with `not here`.
    Release,
    /// None: the answer is a text.
    Reply,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_script_is_understood_and_one_with_an_unknown_effect_is_not() {
        let rule = r#""effect":"take","pool":"spot","answer":"{number}""#;
        let line = format!(r#"{{"pools":{{"spot":100}},"on":{{"GET":{{{rule}}}}}}}"#);
        let script: Script = serde_json::from_str(&line).unwrap();
        assert_eq!(script.pools["spot"], 100);
        assert_eq!(script.on[&Method::Get].effect, Effect::Take);
        assert_eq!(script.service_time_ns, 0);
        let unknown = line.replace("take", "steal");
        assert!(serde_json::from_str::<Script>(&unknown).is_err());
        assert_eq!(
            serde_json::from_str::<Script>("{}").unwrap(),
            Script::default()
        );
    }
}
