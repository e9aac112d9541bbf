//! `speedtest-cli --csv` with its header, a line per test: bit/s, each test's rate until the next.

use super::{Content, DataSet, Time};
use crate::trace::unit::Unit;

pub(super) const DATA_SET: DataSet = DataSet {
    name: "speedtest-cli CSV",
    matches: |sample| sample.has(&["Server ID", "Sponsor", "Timestamp", "Download", "Upload"]),
    read: |sample, choices| {
        let mut content = sample.rates(choices, "Download", Unit::Rate(1.0), Time::Column("Timestamp"))?;
        if let Content::Rows(read) = &mut content {
            read.notes.push("each test's rate counts until the next test; upload by --column".into());
        }
        Ok(content)
    },
};
