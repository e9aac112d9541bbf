//! The subcommands, one file each.

pub mod exec;
pub mod fit;
pub mod import;
mod link_json;
pub mod netem;
pub mod profiles;
pub mod run;
pub mod show;
