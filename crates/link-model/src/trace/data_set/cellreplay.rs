//! CellReplay: Sentosa et al., "CellReplay: Towards accurate record-and-replay for cellular
//! networks", USENIX NSDI 2025. Its traces come in pairs: a packet-train trace, with lines of ms,
//! base delay in ms and the delivery times of a short train, and a saturated trace in mahimahi's
//! format.

use super::{Content, DataSet, Settings, short};
use crate::error::BadLink;
use crate::trace::lines::content_lines;

pub(super) const DATA_SET: DataSet = DataSet {
    name: "CellReplay packet trains",
    matches: |sample| {
        let trains: Vec<Option<Vec<u64>>> =
            content_lines(sample.text).take(20).map(|(_, line)| train(line)).collect();
        trains.len() >= 3 && trains.iter().all(Option::is_some)
    },
    read: |sample, _| {
        let mut delays = Vec::new();
        for (line, content) in content_lines(sample.text) {
            let train = train(content)
                .ok_or_else(|| BadLink::new(format!("trace line {line}: not a packet train")))?;
            delays.push(train[1] as f64);
        }
        let count = delays.len() as f64;
        let mean = delays.iter().sum::<f64>() / count;
        let sd = (delays.iter().map(|ms| (ms - mean).powi(2)).sum::<f64>() / count).sqrt();
        let mut link = format!("delay={}ms", short(mean));
        if sd > 0.0 {
            link += &format!(",jitter={}ms", short(sd));
        }
        Ok(Content::Settings(Settings {
            format: "CellReplay packet trains",
            link,
            notes: vec![
                format!("{} trains; the base delays are of one direction", delays.len()),
                "the delivery times of the trains are left out: a link has one capacity, that of the saturated trace beside, which is a mahimahi file".into(),
            ],
        }))
    },
};

/// The numbers of a line: ms, base delay, and delivery times from 0 on.
fn train(line: &str) -> Option<Vec<u64>> {
    let numbers: Vec<u64> = line.split(' ').map(|word| word.parse().ok()).collect::<Option<_>>()?;
    let rises = numbers.get(2..)?.windows(2).all(|w| w[0] <= w[1]);
    (numbers.get(2) == Some(&0) && rises).then_some(numbers)
}
