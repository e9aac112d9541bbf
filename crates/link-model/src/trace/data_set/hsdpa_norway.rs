//! The 3G commute logs of Riiser et al., "Commute path bandwidth traces from 3G networks", ACM
//! MMSys 2013; datasets.simula.no/hsdpa-tcp-logs.

use super::{DataSet, interval_log};

pub(super) const DATA_SET: DataSet = DataSet {
    name: "3G commute log (Riiser et al.)",
    matches: |sample| interval_log::matches(sample.text, 10),
    read: |sample, choices| interval_log::read(sample.text, choices),
};
