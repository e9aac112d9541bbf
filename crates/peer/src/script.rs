//! A script at work: the pools of its numbers, and the answer to each request.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::thread;
use std::time::Duration;

use wirelab_contract::{Effect, Rule, Script};

use crate::responder::{Answer, Request};

/// Size of the largest pool.
const MOST_NUMBERS: u32 = 1 << 16;
/// The longest service time, in ns.
const LONGEST_NS: u64 = 1_000_000_000;
/// Digits of the largest number that a body can hold.
const MOST_DIGITS: usize = 9;

/// A script and its pools.
pub(crate) struct ScriptState {
    script: Script,
    pools: BTreeMap<String, Pool>,
}

impl ScriptState {
    /// # Errors
    /// Why the script cannot be carried out.
    pub(crate) fn new(script: Script) -> Result<Self, String> {
        for (name, &size) in &script.pools {
            if !(1..=MOST_NUMBERS).contains(&size) {
                return Err(format!(
                    "pool {name} of {size}: use a size from 1 to {MOST_NUMBERS}"
                ));
            }
        }
        for rule in script.on.values() {
            if rule.effect != Effect::Reply && !script.pools.contains_key(&rule.pool) {
                return Err(format!("pool \"{}\" is not one of its pools", rule.pool));
            }
        }
        if script.service_time_ns > LONGEST_NS {
            return Err(format!("a service time above {LONGEST_NS} ns"));
        }
        let pools = script.pools.iter();
        let pools = pools.map(|(name, &size)| (name.clone(), Pool::new(size)));
        Ok(Self {
            pools: pools.collect(),
            script,
        })
    }

    /// Answers a message after the service time.
    pub(crate) fn answer(&mut self, message: &[u8]) -> Answer {
        if self.script.service_time_ns > 0 {
            thread::sleep(Duration::from_nanos(self.script.service_time_ns));
        }
        if self.script.on.is_empty() {
            return done(message);
        }
        let Some(request) = Request::read(message) else {
            return refused("not a request");
        };
        let Some(rule) = self.script.on.get(&request.method) else {
            return done(message);
        };
        match apply(rule, &mut self.pools, &request) {
            Ok(None) => done(rule.answer.as_bytes()),
            Ok(Some(number)) => done(
                rule.answer
                    .replace("{number}", &number.to_string())
                    .as_bytes(),
            ),
            Err(Refusal::NotANumber) => refused(&format!("no {}", rule.pool)),
            Err(Refusal::Because(why)) => refused(why),
        }
    }
}

fn done(body: &[u8]) -> Answer {
    Answer {
        done: true,
        body: body.to_vec(),
    }
}

fn refused(why: &str) -> Answer {
    Answer {
        done: false,
        body: why.as_bytes().to_vec(),
    }
}

/// Why a request has no effect.
enum Refusal {
    NotANumber,
    Because(&'static str),
}

/// Carries out a request; the number that it concerns, if any.
fn apply(
    rule: &Rule,
    pools: &mut BTreeMap<String, Pool>,
    request: &Request,
) -> Result<Option<u32>, Refusal> {
    let Some(pool) = pools.get_mut(&rule.pool) else {
        return Ok(None);
    };
    let number = match rule.effect {
        Effect::Take => pool.take(request.target),
        Effect::Hold => {
            let number = number_in(request.body).ok_or(Refusal::NotANumber)?;
            pool.hold(request.target, number)
        }
        Effect::Release => pool.release(request.target),
        Effect::Reply => return Ok(None),
    };
    number.map(Some).map_err(Refusal::Because)
}

fn number_in(body: &[u8]) -> Option<u32> {
    let digits = body.iter().all(u8::is_ascii_digit) && body.len() <= MOST_DIGITS;
    digits.then(|| std::str::from_utf8(body).ok()?.parse().ok())?
}

/// Numbers from 0, each free or held by a target.
struct Pool {
    free: BTreeSet<u32>,
    held: HashMap<String, u32>,
}

impl Pool {
    fn new(size: u32) -> Self {
        Self {
            free: (0..size).collect(),
            held: HashMap::new(),
        }
    }

    /// Gives the lowest free number. A target that already holds a number keeps it.
    fn take(&mut self, target: &str) -> Result<u32, &'static str> {
        if let Some(&number) = self.held.get(target) {
            return Ok(number);
        }
        let number = self.free.pop_first().ok_or("full")?;
        self.held.insert(target.to_owned(), number);
        Ok(number)
    }

    fn hold(&mut self, target: &str, number: u32) -> Result<u32, &'static str> {
        if self.held.get(target) != Some(&number) {
            if !self.free.remove(&number) {
                return Err("taken");
            }
            self.free
                .extend(self.held.insert(target.to_owned(), number));
        }
        Ok(number)
    }

    fn release(&mut self, target: &str) -> Result<u32, &'static str> {
        let number = self.held.remove(target).ok_or("not here")?;
        self.free.insert(number);
        Ok(number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const POOL: &str = r#"{"pools": {"desk": 4}, "on": {
        "GET": {"effect": "take", "pool": "desk", "answer": "{number}"},
        "PUT": {"effect": "hold", "pool": "desk", "answer": "desk {number}"},
        "DELETE": {"effect": "release", "pool": "desk", "answer": "{number}"}}}"#;

    fn state(script: &str) -> ScriptState {
        ScriptState::new(serde_json::from_str(script).unwrap()).unwrap()
    }

    fn answers(script: &str, messages: &[&str]) -> Vec<(bool, String)> {
        let mut state = state(script);
        let answer = |message: &&str| state.answer(message.as_bytes());
        let plain = |answer: Answer| (answer.done, String::from_utf8(answer.body).unwrap());
        messages.iter().map(answer).map(plain).collect()
    }

    fn bodies(messages: &[&str]) -> Vec<String> {
        let found = answers(POOL, messages).into_iter();
        found.map(|(_, body)| body).collect()
    }

    #[test]
    fn take_gives_the_lowest_free_number_hold_the_one_named_and_release_frees_it() {
        let found = answers(POOL, &["GET a", "PUT b 1", "GET c", "DELETE a", "GET d"]);
        assert!(found.iter().all(|(done, _)| *done));
        let bodies: Vec<&str> = found.iter().map(|(_, body)| body.as_str()).collect();
        assert_eq!(bodies, ["0", "desk 1", "2", "0", "0"]);
    }

    #[test]
    fn a_request_that_comes_twice_changes_nothing_more() {
        let found = bodies(&["GET a", "GET a", "PUT b 3", "PUT b 3", "GET c"]);
        assert_eq!(found, ["0", "0", "desk 3", "desk 3", "1"]);
    }

    #[test]
    fn a_target_that_holds_another_number_gives_its_own_back() {
        assert_eq!(
            bodies(&["GET a", "PUT a 2", "GET b", "GET c"]),
            ["0", "desk 2", "0", "1"]
        );
    }

    #[test]
    fn what_cannot_be_done_is_refused_with_the_reason() {
        let found = answers(
            POOL,
            &["GET a", "PUT b 0", "PUT b 4", "PUT b x", "DELETE b"],
        );
        assert_eq!(found[1], (false, "taken".into()));
        assert_eq!(found[2], (false, "taken".into()));
        assert_eq!(found[3], (false, "no desk".into()));
        assert_eq!(found[4], (false, "not here".into()));
        let five = ["GET a", "GET b", "GET c", "GET d", "GET e"];
        assert_eq!(answers(POOL, &five)[4], (false, "full".into()));
        assert_eq!(
            answers(POOL, &["hello"])[0],
            (false, "not a request".into())
        );
    }

    #[test]
    fn without_rules_every_message_is_sent_back_and_without_a_rule_its_request() {
        assert_eq!(answers("{}", &["hello"]), [(true, "hello".into())]);
        let script = r#"{"on": {"PUT": {"effect": "reply", "answer": "ok"}}}"#;
        assert_eq!(
            answers(script, &["PUT a 5", "GET a"]),
            [(true, "ok".into()), (true, "GET a".into())]
        );
    }

    #[test]
    fn an_answer_takes_the_service_time() {
        let mut state = state(r#"{"service_time_ns": 2000000}"#);
        let began = std::time::Instant::now();
        state.answer(b"hello");
        assert!(began.elapsed() >= Duration::from_millis(2));
    }

    #[test]
    fn a_script_that_contradicts_itself_is_refused() {
        for (script, why) in [
            (r#"{"pools": {"desk": 0}}"#, "from 1 to 65536"),
            (
                r#"{"on": {"GET": {"effect": "take", "pool": "desk", "answer": ""}}}"#,
                "not one of its pools",
            ),
            (r#"{"service_time_ns": 2000000000}"#, "above 1000000000 ns"),
        ] {
            let refused = ScriptState::new(serde_json::from_str(script).unwrap());
            assert!(refused.err().unwrap().contains(why));
        }
    }
}
