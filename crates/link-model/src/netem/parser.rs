//! Conversion of netem parameters to a link text.

use super::ETHERNET_HEADER;
use super::options::{DEFAULT_LIMIT, Limit, Options};
use super::shapers::rate_of;
use super::units::{format_ms, format_number, parse_percent, parse_time_ns};
use crate::error::BadLink;

const OPTIONS: [&str; 13] = [
    "limit",
    "delay",
    "latency",
    "distribution",
    "loss",
    "drop",
    "duplicate",
    "corrupt",
    "reorder",
    "gap",
    "rate",
    "ecn",
    "seed",
];
/// Convert the words behind `netem`. [`Options::finish`] adds what depends on the rate.
///
/// Errors for an unknown word, or a model that link texts do not have.
pub(super) fn netem(words: &[&str]) -> Result<Options, BadLink> {
    let mut parser = Parser {
        words,
        ..Parser::default()
    };
    if parser.words.is_empty() {
        return Err(BadLink::new(
            "netem parameters are empty; give some, like 'delay 100ms 10ms loss 1% rate 2mbit'",
        ));
    }
    while let Some(word) = parser.next() {
        parser.option(word)?;
    }
    parser.options()
}

#[derive(Default)]
struct Parser<'a> {
    words: &'a [&'a str],
    settings: Vec<(&'static str, String)>,
    delay: Option<(u64, u64, f64)>,
    distribution: Option<&'a str>,
    limit: Option<u64>,
    differences: Vec<String>,
}

impl<'a> Parser<'a> {
    fn next(&mut self) -> Option<&'a str> {
        let (first, rest) = self.words.split_first()?;
        self.words = rest;
        Some(first)
    }

    /// The next word if it starts like a number, that is, an option's optional value.
    fn number(&mut self) -> Option<&'a str> {
        let next = self.words.first()?;
        let begins = next.starts_with(|c: char| c.is_ascii_digit() || c == '.' || c == '-');
        begins.then(|| self.next()).flatten()
    }

    fn needed(&mut self, of: &str) -> Result<&'a str, BadLink> {
        self.next()
            .ok_or_else(|| BadLink::new(format!("netem {of} has no value")))
    }

    fn option(&mut self, word: &str) -> Result<(), BadLink> {
        match word {
            "limit" => {
                let packets = self.needed(word)?;
                self.limit = Some(packets.parse().ok().filter(|n| *n > 0).ok_or_else(|| {
                    BadLink::new("netem limit is not a whole number of packets above 0")
                })?);
            }
            "delay" | "latency" => {
                let mean = parse_time_ns(word, self.needed(word)?)?;
                let jitter = self
                    .number()
                    .map_or(Ok(0), |text| parse_time_ns("jitter", text))?;
                let memory = self.number().map(|text| parse_percent("correlation", text));
                self.delay = Some((mean, jitter, memory.transpose()?.unwrap_or(0.0)));
            }
            "distribution" => self.distribution = Some(self.needed(word)?),
            "loss" | "drop" => self.loss(word)?,
            "duplicate" => self.share("duplicate")?,
            "corrupt" => self.share("corrupt")?,
            "reorder" => {
                parse_percent(word, self.needed(word)?)?;
                let _ = self.number();
                self.add_difference("reorder is dropped: netem sends reordered packets early, a link sends them late");
            }
            "gap" => {
                let gap = self.needed(word)?;
                self.add_difference(&format!("gap {gap} is dropped: netem sends every such packet early, a link sends reordered packets late"));
            }
            "packetoverhead" | "cellsize" | "celloverhead" => {
                let bytes = self.needed(word)?;
                if bytes != "0" {
                    self.add_difference(&format!(
                        "{word} {bytes} is dropped: a link counts layer-3 bytes"
                    ));
                }
            }
            "rate" => self.rate()?,
            "ecn" => {
                self.add_difference("ecn is dropped: a link drops packets and never marks them")
            }
            "seed" => {
                self.needed(word)?;
                self.add_difference("seed is dropped: give --seed where the link is used");
            }
            _ => return Err(unknown(word)),
        }
        Ok(())
    }

    fn add_difference(&mut self, sentence: &str) {
        self.differences.push(sentence.to_string());
    }

    /// A percentage, and an optional correlation, which is dropped.
    fn share(&mut self, key: &'static str) -> Result<(), BadLink> {
        let share = parse_percent(key, self.needed(key)?)?;
        self.settings
            .push((key, format!("{}%", format_number(share))));
        if self.number().is_some() {
            self.add_difference(&format!(
                "the correlation of {key} is dropped: draws are independent"
            ));
        }
        Ok(())
    }

    fn loss(&mut self, word: &str) -> Result<(), BadLink> {
        match self.words.first() {
            Some(&"random") => {
                self.next();
                self.share("loss")
            }
            Some(&"gemodel") => self.chain("gemodel", &["p", "r", "1-h", "1-k"]),
            Some(&"state") => self.chain("state", &["p13", "p31", "p32", "p23", "p14"]),
            Some(_) => self.share("loss"),
            None => Err(BadLink::new(format!("netem {word} has no value"))),
        }
    }

    /// `gemodel p [r [1-h [1-k]]]`, and `state` where it describes the same chain: with p13 and p31
    /// alone. Each number may have its name before it, as tc prints them.
    fn chain(&mut self, name: &str, names: &[&str]) -> Result<(), BadLink> {
        self.next();
        let mut parameters = [None; 5];
        let mut at = 0;
        loop {
            let named = self
                .words
                .first()
                .and_then(|word| names.iter().position(|name| name == word));
            if let Some(place) = named {
                self.next();
                at = place;
            }
            let Some(text) = self.number() else { break };
            let value = parse_percent(name, text)?;
            // Of p32, p23 and p14, the states beyond the two are never reached with these.
            let beyond = name == "state" && at >= 2 && value != if at == 3 { 100.0 } else { 0.0 };
            if at >= names.len() || beyond {
                let most = if name == "state" { 2 } else { names.len() };
                return Err(BadLink::new(format!(
                    "netem loss {name} has more than {most} parameters, which links do not support; use gemodel p r 1-h 1-k"
                )));
            }
            parameters[at] = Some(value);
            at += 1;
        }
        let Some(p) = parameters[0] else {
            return Err(BadLink::new(format!("netem loss {name} has no value")));
        };
        let is_state = name == "state";
        let at = |i: usize, default: f64| {
            format_number(
                parameters[i]
                    .filter(|_| i < 2 || !is_state)
                    .unwrap_or(default),
            )
        };
        let (r, bad, good) = (at(1, 100.0 - p), at(2, 100.0), at(3, 0.0));
        self.settings.push((
            "loss",
            format!("ge(p={}%,r={r}%,bad={bad}%,good={good}%)", format_number(p)),
        ));
        Ok(())
    }

    fn rate(&mut self) -> Result<(), BadLink> {
        let text = self.needed("rate")?;
        let bps = rate_of("netem", text, &mut self.differences)?;
        if bps == 0 {
            return Err(BadLink::new("netem rate is 0; give one, or leave it out"));
        }
        self.settings.push(("rate", format!("{bps}bit/s")));
        let extra = self.number();
        let own = (-ETHERNET_HEADER).to_string();
        if extra != Some(own.as_str()) {
            self.add_difference("rate: netem counts the 14 B Ethernet header and its overhead option, a link only layer-3 bytes");
        }
        let mut cells = false;
        while self.number().is_some() {
            cells = true;
        }
        if cells {
            self.add_difference(
                "rate: cellsize and celloverhead are dropped: a link counts layer-3 bytes",
            );
        }
        Ok(())
    }

    /// Add the settings that depend on several options.
    fn options(mut self) -> Result<Options, BadLink> {
        self.delay()?;
        for (i, (key, _)) in self.settings.iter().enumerate() {
            if self.settings[..i].iter().any(|(other, _)| other == key) {
                return Err(BadLink::new(format!(
                    "netem {key} is given twice; give it once"
                )));
            }
        }
        Ok(Options {
            settings: self.settings,
            differences: self.differences,
            limit: Some(Limit {
                packets: self.limit.unwrap_or(DEFAULT_LIMIT),
                given: self.limit.is_some(),
                delay_ns: self.delay.map_or(0, |(mean, ..)| mean),
            }),
        })
    }

    fn delay(&mut self) -> Result<(), BadLink> {
        // Without a distribution, netem draws uniformly from mean - jitter to mean + jitter.
        let per_jitter = match self.distribution {
            None | Some("uniform") => 1.0 / 3f64.sqrt(),
            Some("normal" | "pareto" | "paretonormal") => 1.0,
            Some(_) => {
                return Err(BadLink::new(
                    "netem distribution is not one of uniform, normal, pareto, paretonormal",
                ));
            }
        };
        let Some((mean, jitter, memory)) = self.delay else {
            return Ok(());
        };
        self.settings.push(("delay", format_ms(mean as f64)));
        if jitter == 0 {
            return Ok(());
        }
        self.settings
            .push(("jitter", format_ms(jitter as f64 * per_jitter)));
        self.settings.push(("jitter-tick", "packet".into()));
        self.settings.push(("jitter-order", "free".into()));
        if jitter > mean {
            self.add_difference("jitter is above the delay: draws below 0 count as 0");
        }
        if memory > 0.0 {
            self.add_difference("the correlation of delay is dropped: draws are independent");
        }
        let drawn = "a link's jitter is normally distributed, with the same standard deviation";
        match self.distribution {
            Some("normal") => {}
            Some(other) => {
                self.add_difference(&format!("distribution {other} is dropped: {drawn}"));
            }
            None => self.add_difference(&format!("jitter: {drawn}")),
        }
        Ok(())
    }
}

fn unknown(word: &str) -> BadLink {
    let shown: String = word.chars().take(24).collect();
    BadLink::new(format!(
        "netem option '{}' is not supported; supported are {}",
        shown.escape_debug(),
        OPTIONS.join(", ")
    ))
}
