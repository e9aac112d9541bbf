//! Anomalies found in recordings, and the effect of cleaning.

use super::{Choices, Cleaning, Findings, Recording, parse_with};

fn recording(text: &str, cleaning: &str) -> Recording {
    let cleaning = Cleaning::parse(cleaning).expect("a cleaning");
    parse_with(text.as_bytes(), &Choices::default(), &cleaning).expect("a recording")
}

fn refused(text: &str, cleaning: &str) -> String {
    let cleaning = Cleaning::parse(cleaning).expect("a cleaning");
    let refused = parse_with(text.as_bytes(), &Choices::default(), &cleaning).expect_err("refused");
    refused.to_string()
}

const DIRTY: &str = "t,UL_kbps\n0,8\n1,\n2,-5\n3,16\n3,32\n4,8\n12,24\n13,8\n";

#[test]
fn what_is_wrong_with_a_recording_is_counted_as_it_came() {
    let found = recording(DIRTY, "bad=drop").findings;
    let expected = Findings {
        rows: 8,
        bad_rates: 2,
        backward_times: 0,
        repeated_times: 1,
        spacing_s: 3.0,
        gaps: 0,
        longest_gap_s: 0.0,
    };
    assert_eq!(found, Some(expected));
    let found = recording(DIRTY, "bad=zero").findings.expect("findings");
    assert_eq!(
        (found.spacing_s, found.gaps, found.longest_gap_s),
        (1.0, 1, 8.0)
    );
}

#[test]
fn rates_that_are_none_are_refused_dropped_or_zero() {
    assert_eq!(
        refused("t,UL_kbps\n0,8\n1,-5\n", "same=last"),
        "trace line 3: '-5' is not a number of zero or more; `import --clean bad=drop` skips such rows"
    );
    let text = "t,UL_kbps\n0,8\n1,x\n2,16\n";
    assert_eq!(
        recording(text, "bad=drop").trace.per_second()[..3],
        [8e3, 8e3, 16e3]
    );
    assert_eq!(
        recording(text, "bad=zero").trace.per_second(),
        [8e3, 0.0, 16e3]
    );
}

#[test]
fn rows_out_of_order_are_refused_or_sorted() {
    let text = "0 1\n2 3\n1 2\n";
    assert_eq!(
        refused(text, "same=last"),
        "trace line 3: time goes back; sort it, or `import --clean order=sort`"
    );
    assert_eq!(
        recording(text, "order=sort").trace.per_second(),
        [1e6, 2e6, 3e6]
    );
    assert_eq!(
        refused("5\n4\n", "same=last"),
        "trace line 2: time goes back from 5 to 4 ms; sort it, or `import --clean order=sort`; rates of one column need `import --unit` and --step"
    );
    assert_eq!(
        recording("5\n4\n", "order=sort").trace.period_ns(),
        5_000_000
    );
}

#[test]
fn of_rows_of_one_time_the_last_the_first_or_the_mean_counts() {
    let rate = |same: &str| recording("0 1\n0 3\n1 5\n", same).trace.per_second()[0];
    assert_eq!(
        [rate("same=last"), rate("same=first"), rate("same=mean")],
        [3e6, 1e6, 2e6]
    );
}

#[test]
fn gaps_are_held_filled_with_nothing_or_cut() {
    let seconds = |gaps: &str| recording("0 1\n1 2\n2 3\n7 4\n", gaps).trace.per_second();
    assert_eq!(
        seconds("gaps=hold")[..8],
        [1e6, 2e6, 3e6, 3e6, 3e6, 3e6, 3e6, 4e6]
    );
    assert_eq!(
        seconds("gaps=zero")[..8],
        [1e6, 2e6, 3e6, 0.0, 0.0, 0.0, 0.0, 4e6]
    );
    assert_eq!(seconds("gaps=cut"), [1e6, 2e6, 3e6, 4e6]);
}

#[test]
fn long_stretches_without_capacity_are_shortened_and_high_rates_lowered() {
    let text = "0 1\n1 0\n6 9\n7 1\n";
    let seconds = |how: &str| recording(text, how).trace.per_second();
    assert_eq!(seconds("zeros=2s")[..5], [1e6, 0.0, 0.0, 9e6, 1e6]);
    assert_eq!(seconds("cap=2Mbit/s")[5..8], [0.0, 2e6, 1e6]);
}

#[test]
fn a_cleaning_that_is_none_is_refused_in_a_sentence() {
    let said = |text: &str| Cleaning::parse(text).unwrap_err().to_string();
    assert_eq!(
        said("zero=5s"),
        "unknown cleaning 'zero'; did you mean zeros?"
    );
    assert_eq!(said("gaps=fill"), "gaps=fill is not one of hold, zero, cut");
    assert_eq!(
        said("gaps"),
        "cleaning 'gaps' is not KEY=CHOICE, like gaps=cut"
    );
    assert!(said("cap=0Mbit/s").contains("too low"));
}
