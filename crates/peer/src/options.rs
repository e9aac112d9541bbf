//! Options: settings by name, with the defaults that `describe` tells.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::str::FromStr;

use wirelab_contract::Fault;

/// Options with every default filled in.
#[derive(Debug, Clone, Default)]
pub struct Options(BTreeMap<String, String>);

impl Options {
    /// The described defaults, overridden by what was given.
    ///
    /// # Errors
    /// A fatal fault, when an option is not among the described.
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
                    format!("not known; there are: {}", known.join(", ")),
                ));
            };
            slot.clone_from(value);
        }
        Ok(Self(options))
    }

    /// An option as text, where the protocol described it.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }

    /// An option as text.
    ///
    /// # Panics
    /// When the protocol did not describe it.
    pub fn text(&self, name: &str) -> &str {
        self.0
            .get(name)
            .unwrap_or_else(|| panic!("option {name} is not described"))
    }

    /// An option as a number or whatever else parses.
    ///
    /// # Errors
    /// A fatal fault, when it does not parse.
    pub fn parse<T: FromStr>(&self, name: &str) -> Result<T, Fault> {
        let text = self.text(name);
        text.parse().map_err(|_| {
            Fault::fatal(
                format!("option {name}"),
                format!("{text:?} cannot be read as its value"),
            )
        })
    }

    /// What an option means that is one of two words.
    ///
    /// # Errors
    /// A fatal fault, when it is neither.
    pub fn one_of<T>(&self, name: &str, meanings: [(&str, T); 2]) -> Result<T, Fault> {
        let given = self.text(name);
        let [first, second] = &meanings;
        let why = format!("{given:?} is neither {} nor {}", first.0, second.0);
        meanings
            .into_iter()
            .find_map(|(word, meaning)| (word == given).then_some(meaning))
            .ok_or_else(|| Fault::fatal(format!("option {name}"), why))
    }

    /// An option as a number from `least` to `most`.
    ///
    /// # Errors
    /// A fatal fault, when it does not parse or lies elsewhere.
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
            format!("{value} is not within {least} to {most}"),
        ))
    }
}
