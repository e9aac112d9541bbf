//! Recordings are read exactly, and cleaning does what it claims, for any file.

use proptest::collection::vec;
use proptest::prelude::*;
use wirelab_link_model::trace::{self, Choices, Cleaning, LossTrace};
use wirelab_link_model::{ServiceCurve, Trace};

const MS: u64 = 1_000_000;
const SECOND: u64 = 1000 * MS;
/// Work of one sending opportunity: 1,500 bytes.
const CHANCE: u128 = 12_000 * SECOND as u128;

fn read(text: &str) -> Trace {
    trace::parse(text.as_bytes()).expect("a trace").trace
}

fn cleaning() -> impl Strategy<Value = String> {
    let either = |choices: &'static [&'static str]| proptest::sample::select(choices);
    (
        either(&["refuse", "drop", "zero"]),
        either(&["refuse", "sort"]),
        either(&["last", "first", "mean"]),
        either(&["hold", "zero", "cut"]),
        either(&["", ",zeros=3s", ",cap=5Mbit/s", ",zeros=1500ms,cap=1kbit/s"]),
    )
        .prop_map(|(bad, order, same, gaps, rest)| {
            format!("bad={bad},order={order},same={same},gaps={gaps}{rest}")
        })
}

proptest! {
    #[test]
    fn a_mahimahi_trace_has_given_what_its_lines_say_at_every_ms(steps in vec(0u64..5, 1..60)) {
        let mut ms = 1;
        let lines: Vec<u64> = steps.iter().map(|step| { ms += step; ms }).collect();
        let text: String = lines.iter().map(|ms| format!("{ms}\n")).collect();
        let schedule = ServiceCurve::Trace { trace: read(&text).into(), offset_ns: 0 };
        for now in 0..=ms {
            let chances = lines.iter().filter(|&&line| line <= now).count() as u128;
            prop_assert_eq!(schedule.work_at(now * MS), chances * CHANCE);
        }
    }

    #[test]
    fn columns_of_rates_are_read_as_they_stand(rates in vec(1u32..1_000_000, 2..60)) {
        let asked: Vec<f64> = rates.iter().map(|kbps| f64::from(*kbps) * 1e3).collect();
        let rows = || rates.iter().enumerate();
        let csv: String = rows().map(|(s, kbps)| format!("{s};\"{kbps}\"\r\n")).collect();
        prop_assert_eq!(read(&format!("time;UL_kbps\r\n{csv}")).per_second(), asked.clone());
        let pairs: String = rows().map(|(s, kbps)| format!("{s} {}\n", f64::from(*kbps) / 1e3)).collect();
        prop_assert_eq!(read(&pairs).per_second(), asked);
    }

    #[test]
    fn any_rows_cleaned_in_any_way_are_a_trace_as_asked_or_a_sentence(
        rows in vec((0u32..40, prop_oneof![Just(String::new()), Just("-3".to_string()), Just("nan".to_string()), (0u32..20).prop_map(|n| n.to_string())]), 0..40),
        how in cleaning(),
    ) {
        let file: String = rows.iter().map(|(s, rate)| format!("{s},{rate}\n")).collect();
        let cleaning = Cleaning::parse(&how).expect("a cleaning");
        let Ok(read) = trace::parse_with(format!("t,rate_mbps\n{file}").as_bytes(), &Choices::default(), &cleaning) else {
            return Ok(());
        };
        let found = read.findings.expect("rows");
        prop_assert_eq!(found.rows, rows.len());
        prop_assert!(cleaning.sort || found.backward_times == 0);
        for (ns, bps) in read.trace.pieces() {
            prop_assert!(ns > 0);
            prop_assert!(cleaning.cap_bps.is_none_or(|cap| bps <= cap));
            prop_assert!(bps > 0 || cleaning.zeros_ns.is_none_or(|longest| ns <= longest));
        }
    }

    #[test]
    fn nothing_left_to_clean_is_left_alone(rates in vec(1u32..100, 2..40), how in cleaning()) {
        let file: String = rates.iter().enumerate().map(|(s, mbps)| format!("{s} {mbps}\n")).collect();
        let cleaning = Cleaning { cap_bps: None, ..Cleaning::parse(&how).expect("a cleaning") };
        let cleaned = trace::parse_with(file.as_bytes(), &Choices::default(), &cleaning).expect("a trace");
        prop_assert_eq!(cleaned.trace, read(&file));
    }

    #[test]
    fn any_bytes_as_recorded_losses_are_a_trace_or_a_sentence(text in "([0-9.eE%+-]{0,6} ?[0-9.%-]{0,6}\n){0,12}", t: u64) {
        if let Ok(losses) = LossTrace::parse(text.as_bytes()) {
            prop_assert!((0.0..=1.0).contains(&losses.at(t)) && (0.0..=1.0).contains(&losses.mean()));
        }
    }
}
