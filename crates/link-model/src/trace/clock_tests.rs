//! Times of rows in the forms of tools.

use super::clock::{names_a_time, of_column};

fn times(name: &str, fields: &[&str]) -> Result<Vec<f64>, String> {
    let taken = of_column(name, fields, None).map_err(|e| e.to_string())?;
    let numbered: Vec<(usize, &str)> = (1..).zip(fields.iter().copied()).collect();
    taken.clock.times(&numbered).map_err(|e| e.to_string())
}

#[test]
fn names_of_times_are_told_from_other_names_with_time_in_them() {
    for name in [
        "time",
        "Timestamp",
        "TimeStamp_ms",
        "time (s)",
        "ms",
        "Date Time",
        "timestamp_start",
        "unix_ts",
    ] {
        assert!(names_a_time(name), "{name}");
    }
    for name in [
        "rtt_ms_avg",
        "response time (ms)",
        "timezone",
        "",
        "rate",
        "update time",
    ] {
        assert!(!names_a_time(name), "{name}");
    }
}

#[test]
fn dates_are_read_in_the_forms_of_tools() {
    for pair in [
        ["2024-05-06T10:00:00.000", "2024-05-06T10:00:00.500"],
        ["2023-09-01T00:00:15+00:00", "2023-09-01T02:00:15.5+02:00"],
        [
            "Mon Mar 07 18:46:49 UTC 2022",
            "Mon Mar 07 18:46:49.5 UTC 2022",
        ],
        ["2018.02.12_16.14.01", "2018.02.12_16.14.01.5"],
        ["2024-05-06 10:00:00,000", "2024-05-06 10:00:00,500"],
        [
            "Mon, 07 Mar 2022 18:46:49 GMT",
            "Mon, 07 Mar 2022 18:46:49.5 GMT",
        ],
        ["07/03/2022 18:46:49", "07/03/2022 18:46:49.5"],
        ["23:59:59.8", "00:00:00.3"],
        ["20240506100000", "20240506100000.5"],
        [
            "2024-05-06 10:00:00 +0000 UTC",
            "2024-05-06 10:00:00.5 +0000 UTC",
        ],
        ["Mar 7, 2022 18:46:49", "Mar 7, 2022 18:46:49.5"],
    ] {
        let [start, end] = times("time", &pair).expect("times")[..] else {
            panic!("two")
        };
        assert!(start == 0.0 && (end - 0.5).abs() < 1e-6, "{pair:?}: {end}");
    }
}

#[test]
fn numbers_have_the_unit_of_the_name_or_of_their_size() {
    assert_eq!(times("t_ms", &["0", "500"]), Ok(vec![0.0, 0.5]));
    assert_eq!(
        times("timestamp", &["1707277440500", "1707277441500"]),
        Ok(vec![0.0, 1.0])
    );
    assert_eq!(
        times("timestamp", &["1707277440", "1707277441"]),
        Ok(vec![0.0, 1.0])
    );
    assert!(
        of_column("time", &["0", "1000", "2000"], None)
            .expect("a clock")
            .guessed
    );
    assert!(
        !of_column("time", &["0", "0.5"], None)
            .expect("a clock")
            .guessed
    );
}

#[test]
fn times_of_no_known_form_are_refused() {
    let said = |fields: &[&str]| times("when", fields).unwrap_err();
    assert!(said(&["noon"]).contains("times like 'noon', in no form that is known"));
    assert!(said(&["2024-05-06T10:00:00", "later"]).contains("has 'later' among dates"));
    assert!(said(&["05/06/2022 10:00:00", "06/06/2022 10:00:00"]).contains("the day or the month"));
    assert_eq!(
        said(&["1", "x"]),
        "trace line 2: 'x' is not a number of zero or more"
    );
}
