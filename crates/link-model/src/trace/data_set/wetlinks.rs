//! WetLinks: Laniewski et al., "WetLinks: a Large-Scale Longitudinal Starlink Dataset with
//! Contiguous Weather Data", TMA 2024. Rates of short tests in bit/s.

use super::{Content, DataSet, Time};
use crate::trace::unit::Unit;

pub(super) const DATA_SET: DataSet = DataSet {
    name: "WetLinks",
    matches: |sample| sample.has(&["timestamp_start", "timestamp_end", "download", "upload"]),
    read: |sample, choices| {
        let mut content =
            sample.rates(choices, "download", Unit::Rate(1.0), Time::Column("timestamp_start"))?;
        if let Content::Rows(read) = &mut content {
            read.notes.push("each test's rate counts until the next test; upload by --column".into());
        }
        Ok(content)
    },
};
