//! What the binary can be asked, one file each.

pub mod exec;
pub mod profiles;
pub mod show;
