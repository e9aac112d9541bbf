//! `profiles`: the named links.

use serde_json::json;
use wirelab_link_model::PROFILES;

use crate::failure::Failure;

/// Print all profiles.
pub fn run(as_json: bool) -> Result<u8, Failure> {
    if as_json {
        let all: Vec<_> = PROFILES
            .iter()
            .map(|p| json!({"name": p.name, "summary": p.summary, "settings": p.settings, "source": p.source}))
            .collect();
        println!("{}", serde_json::Value::Array(all));
        return Ok(0);
    }
    for profile in PROFILES {
        println!("{:<14} {}", profile.name, profile.summary);
        println!("{:<14} {}", "", profile.settings);
        println!("{:<14} source: {}\n", "", profile.source);
    }
    Ok(0)
}
