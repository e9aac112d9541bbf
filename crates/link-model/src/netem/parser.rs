//! Conversion of netem parameters to a link text.

use super::ETHERNET_HEADER;
use super::units::{format_ms, format_number, parse_percent, parse_rate_bps, parse_time_ns};
use crate::error::BadLink;

const OPTIONS: [&str; 11] = [
    "limit",
    "delay",
    "latency",
    "distribution",
    "loss",
    "drop",
    "duplicate",
    "corrupt",
    "reorder",
    "rate",
    "seed",
];
const LONGEST: usize = 4096;

/// A link text, and how it differs from netem.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Imported {
    /// Settings of `up`, the direction in which netem on the host's device would act.
    pub link: String,
    /// One sentence per difference.
    pub differences: Vec<String>,
}

/// Convert netem parameters, with or without the `tc ... netem` before them.
///
/// Errors for an unknown word, or a model that link texts do not have.
pub fn parse(text: &str) -> Result<Imported, BadLink> {
    if text.len() > LONGEST {
        return Err(BadLink::new(format!(
            "netem parameters longer than {LONGEST} characters"
        )));
    }
    let words: Vec<&str> = text.split_whitespace().collect();
    let start = words.iter().position(|word| *word == "netem");
    let mut parser = Parser {
        words: &words[start.map_or(0, |at| at + 1)..],
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
    parser.finish()
}

#[derive(Default)]
struct Parser<'a> {
    words: &'a [&'a str],
    settings: Vec<(&'static str, String)>,
    delay: Option<(u64, u64, f64)>,
    distribution: Option<&'a str>,
    limit: Option<u64>,
    rate: bool,
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
                if self.words.first() == Some(&"gap") {
                    self.next();
                    self.needed("gap")?;
                }
                self.add_difference("reorder is dropped: netem sends reordered packets early, a link sends them late");
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
            Some(&"gemodel") => self.chain("gemodel", 4),
            Some(&"state") => self.chain("state", 2),
            Some(_) => self.share("loss"),
            None => Err(BadLink::new(format!("netem {word} has no value"))),
        }
    }

    /// `gemodel p [r [1-h [1-k]]]`, and the two parameters of `state` that describe the same chain:
    /// p13 and p31.
    fn chain(&mut self, name: &str, most: usize) -> Result<(), BadLink> {
        self.next();
        let mut parameters = Vec::new();
        while let Some(text) = self.number() {
            parameters.push(parse_percent(name, text)?);
        }
        if parameters.len() > most {
            return Err(BadLink::new(format!(
                "netem loss {name} has more than {most} parameters, which links do not support; use gemodel p r 1-h 1-k"
            )));
        }
        let Some(&p) = parameters.first() else {
            return Err(BadLink::new(format!("netem loss {name} has no value")));
        };
        let at =
            |i: usize, default: f64| format_number(parameters.get(i).copied().unwrap_or(default));
        let (r, bad, good) = (at(1, 100.0 - p), at(2, 100.0), at(3, 0.0));
        self.settings.push((
            "loss",
            format!("ge(p={}%,r={r}%,bad={bad}%,good={good}%)", format_number(p)),
        ));
        Ok(())
    }

    fn rate(&mut self) -> Result<(), BadLink> {
        let bps = parse_rate_bps(self.needed("rate")?)?;
        if bps == 0 {
            return Err(BadLink::new("netem rate is 0; give one, or leave it out"));
        }
        self.rate = true;
        self.settings.push(("rate", format!("{bps}bit/s")));
        let extra = self.number();
        let own = (-ETHERNET_HEADER).to_string();
        if extra != Some(own.as_str()) {
            self.add_difference("rate: netem counts the 14 B Ethernet header and its overhead option, a link only layer-3 bytes");
        }
        while self.number().is_some() {}
        Ok(())
    }

    /// Add the settings that depend on several options.
    fn finish(mut self) -> Result<Imported, BadLink> {
        self.delay()?;
        match self.limit {
            Some(packets) if self.rate => {
                self.settings.push(("queue", format!("{packets}p")));
                self.add_difference(
                    "limit: netem also counts packets in flight, a link only queued packets",
                );
            }
            Some(_) => self.add_difference("limit is dropped: without a rate no packet is queued"),
            None => {}
        }
        for (i, (key, _)) in self.settings.iter().enumerate() {
            if self.settings[..i].iter().any(|(other, _)| other == key) {
                return Err(BadLink::new(format!(
                    "netem {key} is given twice; give it once"
                )));
            }
        }
        let settings = self.settings.iter().map(|(k, v)| format!("up.{k}={v}"));
        let mut link = settings.collect::<Vec<_>>().join(",");
        if link.is_empty() {
            link = "ideal".into();
        }
        Ok(Imported {
            link,
            differences: self.differences,
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
        if memory > 0.0 {
            self.add_difference("the correlation of delay is dropped: draws are independent");
        }
        if self.distribution != Some("normal") {
            self.add_difference(
                "jitter: a link's jitter is normally distributed, with the same standard deviation",
            );
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
