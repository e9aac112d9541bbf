//! What the binary can be asked, one file each.

mod describe;
pub mod exec;
pub mod fit;
pub mod import;
pub mod netem;
pub mod profiles;
pub mod run;
pub mod show;
