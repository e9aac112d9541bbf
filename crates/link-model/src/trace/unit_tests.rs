//! Units in the names of columns, and units given.

use super::unit::{Named, Unit, in_name, names_a_rate, words};

#[test]
fn a_unit_is_found_in_the_name_of_a_column() {
    let rate = |name: &str| match in_name(name) {
        Some(Named::Unit(Unit::Rate(bps))) => bps,
        other => panic!("{name}: {other:?}"),
    };
    for (name, bps) in [
        ("Bitrate (Mbps)", 1e6),
        ("RATE(MBit/s)", 1e6),
        ("UL_kbps", 1e3),
        ("rate(kbps)", 1e3),
        ("throughputMbps", 1e6),
        ("DLMbps", 1e6),
        ("Throughput [MB/s]", 8e6),
        ("MBps", 8e6),
        ("rxkB/s", 8e3),
        ("bits_per_second", 1.0),
        ("bytes/sec", 8.0),
        ("bytes_sec", 8.0),
        ("sentBytesPerSecond", 8.0),
        ("speed in Mbits/sec", 1e6),
        ("KiB/s", 8192.0),
        ("Megabits per second", 1e6),
        ("throughput_kbit_s", 1e3),
        ("Bytes, kbit/s", 1e3),
    ] {
        assert_eq!(rate(name), bps, "{name}");
    }
}

#[test]
fn what_is_not_certain_is_not_taken_for_a_rate() {
    assert_eq!(in_name("MBPS"), Some(Named::BitsOrBytes));
    assert_eq!(in_name("downlinkThroughputBps"), Some(Named::BitsOrBytes));
    assert_eq!(in_name("data (Mbit)"), Some(Named::RateOrAmount));
    assert_eq!(in_name("Sent Bytes"), Some(Named::Unit(Unit::Amount(8.0))));
    assert_eq!(
        in_name("Transfer (MB)"),
        Some(Named::Unit(Unit::Amount(8e6)))
    );
    for name in [
        "DL_bitrate",
        "Packets/sec",
        "b",
        "time (s)",
        "mbpsx",
        "Gb_cell",
    ] {
        let found = in_name(name);
        assert!(!matches!(found, Some(Named::Unit(_))), "{name}: {found:?}");
    }
}

#[test]
fn a_given_unit_is_read_whole_and_shown() {
    let shown = |text: &str| Unit::parse(text).map(Unit::show).map_err(|e| e.to_string());
    for (text, words) in [
        ("Mbit/s", "Mbit/s"),
        ("Mbps", "Mbit/s"),
        ("bit/s", "bit/s"),
        ("MB/s", "MB/s"),
        ("bytes", "B since the row before"),
        ("total kB", "kB since the start"),
    ] {
        assert_eq!(shown(text), Ok(words.to_string()));
    }
    for text in ["", "Mbit", "total Mbps", "Mbit/s please", "parsec"] {
        assert!(
            shown(text)
                .unwrap_err()
                .contains("is not a unit; give a rate such as Mbit/s")
        );
    }
}

#[test]
fn words_are_divided_by_case_and_punctuation() {
    assert_eq!(words("TimeStamp_ms (UTC)"), ["time", "stamp", "ms", "utc"]);
    assert!(names_a_rate("DL_bitrate") && names_a_rate("upload") && !names_a_rate("strategy"));
}
