//! Options by name, with the defaults that `describe` reports.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::str::FromStr;

use wirelab_contract::Fault;

/// Options, with defaults for those that were not set.
#[derive(Debug, Clone, Default)]
pub struct Options(BTreeMap<String, String>);

impl Options {
    /// The defaults, overridden by `given`.
    ///
    /// # Errors
    /// A fatal fault if an option is unknown.
    pub fn new(
        defaults: &BTreeMap<String, String>,
        given: &BTreeMap<String, String>,
    ) -> Result<Self, Fault> {
        let mut options = defaults.clone();
        for (name, value) in given {
            let Some(slot) = options.get_mut(name) else {
                let known: Vec<_> = defaults.keys().map(String::as_str).collect();
                return Err(Fault::fatal(
                    format!("option {name}"),
                    format!("unknown; supported options: {}", known.join(", ")),
                ));
            };
            slot.clone_from(value);
        }
        Ok(Self(options))
    }

    /// The text of an option, or `None` if the protocol does not have it.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }

    /// The text of an option.
    ///
    /// # Panics
    /// If the protocol does not have the option.
    pub fn text(&self, name: &str) -> &str {
        self.0
            .get(name)
            .unwrap_or_else(|| panic!("option {name} is not described"))
    }

    /// An option parsed as `T`.
    ///
    /// # Errors
    /// A fatal fault if it does not parse.
    pub fn parse<T: FromStr>(&self, name: &str) -> Result<T, Fault> {
        let text = self.text(name);
        text.parse()
            .map_err(|_| Fault::fatal(format!("option {name}"), format!("invalid value {text:?}")))
    }

    /// The value of an option that takes one of two words.
    ///
    /// # Errors
    /// A fatal fault if it is neither.
    pub fn one_of<T>(&self, name: &str, meanings: [(&str, T); 2]) -> Result<T, Fault> {
        let given = self.text(name);
        let [first, second] = &meanings;
        let why = format!("{given:?} is neither {} nor {}", first.0, second.0);
        meanings
            .into_iter()
            .find_map(|(word, meaning)| (word == given).then_some(meaning))
            .ok_or_else(|| Fault::fatal(format!("option {name}"), why))
    }

    /// An option as a number between `least` and `most`.
    ///
    /// # Errors
    /// A fatal fault if it does not parse or is out of range.
    pub fn in_range<T>(&self, name: &str, least: T, most: T) -> Result<T, Fault>
    where
        T: FromStr + PartialOrd + Display,
    {
        let value: T = self.parse(name)?;
        if (&least..=&most).contains(&&value) {
            return Ok(value);
        }
        Err(Fault::fatal(
            format!("option {name}"),
            format!("{value} is out of range: {least} to {most}"),
        ))
    }
}
