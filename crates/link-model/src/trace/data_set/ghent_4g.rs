//! The 4G logs of van der Hooft et al., "HTTP/2-Based Adaptive Streaming of HEVC Video over 4G/LTE
//! Networks", IEEE Communications Letters 2016; users.ugent.be/~jvdrhoof/dataset-4g.

use super::{DataSet, interval_log};

pub(super) const DATA_SET: DataSet = DataSet {
    name: "Ghent 4G log (van der Hooft et al.)",
    matches: |sample| interval_log::matches(sample.text, 13),
    read: |sample, choices| interval_log::read(sample.text, choices),
};
