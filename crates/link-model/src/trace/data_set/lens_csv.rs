//! LENS: Zhao and Pan, "LENS: A LEO Satellite Network Measurement Dataset", ACM MMSys 2024. Its CSV
//! files of irtt (`timestamp,rtt,uplink,downlink`) and of ping (`timestamp,rtt`), ms; -1 is a loss.
//! Its raw files are those of irtt and ping.

use super::{DataSet, Probes};
use crate::error::BadLink;
use crate::trace::lines::excerpt;
use crate::trace::table::Table;

pub(super) const DATA_SET: DataSet = DataSet {
    name: "LENS",
    matches: |sample| {
        let names: Vec<&str> = sample.names.iter().map(String::as_str).collect();
        matches!(names[..], ["timestamp", "rtt"] | ["timestamp", "rtt", "uplink", "downlink"])
    },
    read: |sample, _| {
        let table = Table::parse(sample.text)?;
        let mut probes = Probes { sent: table.rows.len(), ..Probes::default() };
        for (line, record) in &table.rows {
            let number = |i: usize| -> Result<f64, BadLink> {
                let field = record.get(i).unwrap_or("0");
                field.parse().map_err(|_| {
                    BadLink::new(format!("trace line {line}: '{}' is not a number", excerpt(field)))
                })
            };
            match (number(1)?, number(2)?, number(3)?) {
                (rtt, _, _) if rtt < 0.0 => probes.lost += 1,
                (_, -1.0, _) => probes.lost_up += 1,
                (_, _, -1.0) => probes.lost_down += 1,
                (rtt, ..) => probes.rtts_ms.push(rtt),
            }
        }
        probes.lost += if probes.lost > 0 { probes.lost_up + probes.lost_down } else { 0 };
        probes.settings("LENS")
    },
};
