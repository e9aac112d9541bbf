//! Lumos5G: Narayanan et al., "Lumos5G: Mapping and Predicting Commercial mmWave 5G Throughput",
//! ACM IMC 2020. One row a second, Mbit/s; several runs one after the other.

use super::{Content, DataSet, Time};
use crate::trace::table::Table;
use crate::trace::unit::Unit;

pub(super) const DATA_SET: DataSet = DataSet {
    name: "Lumos5G",
    matches: |sample| sample.has(&["run_num", "seq_num", "Throughput"]),
    read: |sample, choices| {
        let mut content = sample.rates(choices, "Throughput", Unit::Rate(1e6), Time::Step(1.0))?;
        let table = Table::parse(sample.text)?;
        let runs = table.fields(table.column("run_num")?)?;
        let changes = runs.windows(2).filter(|w| w[0].1 != w[1].1).count();
        if let Content::Rows(read) = &mut content {
            read.notes.push(format!("times: one row a second, {} runs one after the other", changes + 1));
        }
        Ok(content)
    },
};
