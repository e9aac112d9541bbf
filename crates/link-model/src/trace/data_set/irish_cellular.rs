//! The Irish 4G and 5G logs of Raca et al., "Beyond Throughput: A 4G LTE Dataset with Channel and
//! Context Metrics", ACM MMSys 2018, and "Beyond Throughput, The Next Generation", MMSys 2020. The
//! app G-NetTrack Pro writes kbit/s.

use super::{DataSet, Time};
use crate::trace::unit::Unit;

pub(super) const DATA_SET: DataSet = DataSet {
    name: "Irish 4G/5G log (Raca et al.)",
    matches: |sample| sample.has(&["Timestamp", "NetworkMode", "DL_bitrate", "UL_bitrate", "State"]),
    read: |sample, choices| {
        sample.rates(choices, "DL_bitrate", Unit::Rate(1e3), Time::Column("Timestamp"))
    },
};
