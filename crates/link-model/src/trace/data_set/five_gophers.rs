//! 5Gophers: Narayanan et al., "A First Look at Commercial 5G Performance on Smartphones", The Web
//! Conference 2020; fivegophers.umn.edu. One row a second.

use super::{Content, DataSet, Time};
use crate::trace::unit::Unit;

pub(super) const DATA_SET: DataSet = DataSet {
    name: "5Gophers",
    matches: |sample| sample.has(&["seq_num", "throughput_mbps", "nrStatus"]),
    read: |sample, choices| {
        let mut content = sample.rates(choices, "throughput_mbps", Unit::Rate(1e6), Time::Step(1.0))?;
        if let Content::Rows(read) = &mut content {
            read.notes.push("times: one row a second".into());
        }
        Ok(content)
    },
};
