//! Logs of the app G-NetTrack beside those of Raca et al., which have their own file.

use super::{DataSet, Time};
use crate::trace::unit::Unit;

pub(super) const DATA_SET: DataSet = DataSet {
    name: "G-NetTrack log",
    matches: |sample| sample.has(&["Timestamp", "Longitude", "Latitude", "DL_bitrate", "UL_bitrate"]),
    read: |sample, choices| {
        sample.rates(choices, "DL_bitrate", Unit::Rate(1e3), Time::Column("Timestamp"))
    },
};
