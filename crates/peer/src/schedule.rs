//! The intended send time of each message: a pure function of its index and, for a flood, of the
//! previous message.

use std::fs;
use std::path::Path;

use wirelab_contract::{Schedule, Start};

/// A validated schedule.
///
/// With start `a` and interval `d`, the intended send time of message `i` is `t(i) = a + i * d`
/// while `i < count` and `t(i) < a + duration`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    at: i64,
    rule: Rule,
    count: u64,
    end: i64,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Rule {
    Interval(i64),
    Flood,
    Times(Vec<i64>),
    OnCommand,
}

impl Plan {
    /// Validates a `start` command and reads its file of times, if it has one.
    ///
    /// # Errors
    /// One sentence if the schedule is missing, unbounded or invalid.
    pub fn new(start: &Start) -> Result<Self, String> {
        let schedule = start
            .schedule
            .as_ref()
            .ok_or("a publisher requires a schedule")?;
        let (rule, count, duration) = match schedule {
            Schedule::Interval {
                interval_ns,
                count,
                duration_ns,
            } => {
                if *interval_ns <= 0 {
                    return Err(format!("interval_ns is {interval_ns}; it must be above 0"));
                }
                (Rule::Interval(*interval_ns), *count, *duration_ns)
            }
            Schedule::Flood { count, duration_ns } => (Rule::Flood, *count, *duration_ns),
            Schedule::Times { times } => {
                let times = read_times(times)?;
                let count = times.len() as u64;
                (Rule::Times(times), Some(count), None)
            }
            Schedule::OnCommand { count } => (Rule::OnCommand, Some(*count), None),
        };
        if count.is_none() && duration.is_none() {
            return Err("the schedule has neither count nor duration_ns".into());
        }
        if duration.is_some_and(|duration| duration < 0) {
            return Err("duration_ns is negative".into());
        }
        let end = duration.map_or(i64::MAX, |duration| start.at_ns.saturating_add(duration));
        Ok(Self {
            at: start.at_ns,
            rule,
            count: count.unwrap_or(u64::MAX),
            end,
        })
    }

    /// Whether each message waits for a `send` command.
    pub fn is_commanded(&self) -> bool {
        self.rule == Rule::OnCommand
    }

    /// The intended send time of message `i`, or `None` if the schedule ends before it.
    ///
    /// `handed_over` is when message `i - 1` was handed to the library. Only floods and schedules
    /// of kind `told` use it; for the latter it is a lower bound, and the time comes with the
    /// command.
    pub fn planned(&self, i: u64, handed_over: i64) -> Option<i64> {
        if i >= self.count {
            return None;
        }
        let planned = match &self.rule {
            Rule::Flood if i == 0 => self.at,
            Rule::Flood | Rule::OnCommand => handed_over,
            Rule::Interval(interval) => {
                i64::try_from(i128::from(self.at) + i128::from(i) * i128::from(*interval)).ok()?
            }
            Rule::Times(times) => self.at.saturating_add(times[usize::try_from(i).ok()?]),
        };
        (planned < self.end).then_some(planned)
    }
}

fn read_times(path: &Path) -> Result<Vec<i64>, String> {
    let bytes = fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
    if bytes.len() % 8 != 0 {
        return Err(format!(
            "{}: {} bytes is not a multiple of 8",
            path.display(),
            bytes.len()
        ));
    }
    let times: Vec<i64> = bytes
        .chunks_exact(8)
        .map(|time| i64::from_le_bytes(time.try_into().expect("eight bytes")))
        .collect();
    match times.is_sorted() {
        true => Ok(times),
        false => Err(format!("{}: the times decrease", path.display())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn interval(
        interval_ns: i64,
        count: Option<u64>,
        duration_ns: Option<i64>,
    ) -> Result<Plan, String> {
        let schedule = Some(Schedule::Interval {
            interval_ns,
            count,
            duration_ns,
        });
        Plan::new(&Start {
            at_ns: 1000,
            schedule,
        })
    }

    fn all(plan: &Plan) -> Vec<i64> {
        (0..).map_while(|i| plan.planned(i, 7777)).collect()
    }

    #[test]
    fn an_interval_schedule_ends_at_whichever_bound_comes_first() {
        assert_eq!(
            all(&interval(200, Some(3), None).unwrap()),
            [1000, 1200, 1400]
        );
        assert_eq!(all(&interval(200, None, Some(400)).unwrap()), [1000, 1200]);
        assert_eq!(
            all(&interval(200, Some(9), Some(401)).unwrap()),
            [1000, 1200, 1400]
        );
        assert_eq!(all(&interval(200, Some(0), None).unwrap()), [0; 0]);
    }

    #[test]
    fn a_flood_plans_each_message_when_the_one_before_was_handed_over() {
        let schedule = Some(Schedule::Flood {
            count: Some(2),
            duration_ns: None,
        });
        let plan = Plan::new(&Start { at_ns: 5, schedule }).unwrap();
        assert_eq!(plan.planned(0, 99), Some(5));
        assert_eq!(plan.planned(1, 99), Some(99));
        assert_eq!(plan.planned(2, 99), None);
    }

    #[test]
    fn times_come_from_a_file_and_must_not_go_backwards() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let write = |times: &[i64]| {
            let bytes: Vec<u8> = times.iter().flat_map(|time| time.to_le_bytes()).collect();
            fs::write(file.path(), bytes).unwrap();
            let schedule = Some(Schedule::Times {
                times: file.path().into(),
            });
            Plan::new(&Start {
                at_ns: 1000,
                schedule,
            })
        };
        assert_eq!(all(&write(&[0, 5, 5]).unwrap()), [1000, 1005, 1005]);
        assert!(write(&[5, 4]).unwrap_err().contains("times decrease"));
    }

    #[test]
    fn a_schedule_that_never_ends_or_never_moves_is_refused() {
        assert_eq!(
            interval(200, None, None).unwrap_err(),
            "the schedule has neither count nor duration_ns"
        );
        assert_eq!(
            interval(0, Some(1), None).unwrap_err(),
            "interval_ns is 0; it must be above 0"
        );
    }
}
