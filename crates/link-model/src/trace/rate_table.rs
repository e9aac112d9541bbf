//! Rates over time in columns: `seconds Mbit/s`, or CSV with a header.

use super::Trace;
use super::lines::{content_lines, excerpt};
use super::rows::{Row, row_durations, seconds, split_fields};
use crate::error::BadLink;

/// Units recognised in the name of a rate column, in bit/s. The longest match wins.
const RATE_UNITS: [(&str, f64); 12] = [
    ("gbit/s", 1e9),
    ("gbps", 1e9),
    ("mbit/s", 1e6),
    ("mbit", 1e6),
    ("mbps", 1e6),
    ("kbit/s", 1e3),
    ("kbit", 1e3),
    ("kbps", 1e3),
    ("bit/s", 1.0),
    ("bps", 1.0),
    ("bit", 1.0),
    ("bitrate", 1e3),
];
const MAX_BPS: f64 = 1e12;

/// Parse lines of `seconds Mbit/s` to rows of bit/s.
pub(super) fn parse_seconds_mbit(text: &str) -> Result<Vec<Row>, BadLink> {
    let mut rows = Vec::new();
    for (line, content) in content_lines(text) {
        let (time, rate) = split_fields(line, content, "seconds Mbit/s")?;
        rows.push(Row::parse(line, seconds(line, time)?, rate, 1e6));
    }
    Ok(rows)
}

/// Parse a CSV file to rows of bit/s. The rate column is `column`, or the first one whose name
/// contains a unit of rate. A column named time or seconds contains the times; without one, rows
/// are a second apart.
pub(super) fn parse_csv(text: &str, column: Option<&str>) -> Result<Vec<Row>, BadLink> {
    let mut records = Records::new(text);
    let (_, header) = records.next().unwrap_or_default();
    let names: Vec<&str> = header.iter().collect();
    let (rate_index, factor) = rate_column(&names, column)?;
    let time = names
        .iter()
        .enumerate()
        .find_map(|(i, name)| time_unit(name).map(|unit| (i, unit)));
    let mut rows = Vec::new();
    for (line, record) in records {
        let field = |i: usize| {
            record.get(i).ok_or_else(|| {
                BadLink::new(format!("trace line {line}: column {} is missing", i + 1))
            })
        };
        let seconds = match time {
            Some((i, unit)) => seconds(line, field(i)?)? * unit,
            None => rows.len() as f64,
        };
        rows.push(Row::parse(line, seconds, field(rate_index)?, factor));
    }
    Ok(rows)
}

/// The records of a CSV file with their line numbers, without blank lines and comments.
struct Records<'a> {
    text: &'a str,
    reader: csv::Reader<&'a [u8]>,
    /// Bytes read so far, and line feeds in them.
    read: (usize, usize),
}

impl<'a> Records<'a> {
    fn new(text: &'a str) -> Records<'a> {
        let header = content_lines(text).next().map_or("", |(_, line)| line);
        let separator = if header.contains(';') { b';' } else { b',' };
        let reader = csv::ReaderBuilder::new()
            .delimiter(separator)
            .has_headers(false)
            .flexible(true)
            .trim(csv::Trim::All)
            .comment(Some(b'#'))
            .from_reader(text.as_bytes());
        Records {
            text,
            reader,
            read: (0, 0),
        }
    }

    /// The line of the record that was just read. The reader's own number is that of a blank line
    /// or comment before the record.
    fn line(&mut self) -> usize {
        let (start, feeds) = self.read;
        let end = self.reader.position().byte() as usize;
        let new = self.text.as_bytes()[start..end].iter();
        self.read = (end, feeds + new.filter(|&&byte| byte == b'\n').count());
        let ended = self.text[..end].ends_with('\n');
        self.read.1 + usize::from(!ended)
    }
}

impl Iterator for Records<'_> {
    type Item = (usize, csv::StringRecord);

    fn next(&mut self) -> Option<Self::Item> {
        let mut record = csv::StringRecord::new();
        while self.reader.read_record(&mut record).unwrap_or(false) {
            let line = self.line();
            let blank = record.len() == 1 && record[0].is_empty();
            if !blank && !record[0].starts_with('#') {
                return Some((line, record));
            }
        }
        None
    }
}

fn rate_column(names: &[&str], wanted: Option<&str>) -> Result<(usize, f64), BadLink> {
    let unit = |name: &str| {
        let name = name.to_lowercase();
        RATE_UNITS
            .iter()
            .filter(|(unit, _)| name.contains(unit))
            .max_by_key(|(unit, _)| unit.len())
            .map(|&(_, f)| f)
    };
    let listed = || {
        names
            .iter()
            .map(|n| excerpt(n))
            .collect::<Vec<_>>()
            .join(", ")
    };
    if let Some(wanted) = wanted {
        let index = names
            .iter()
            .position(|name| name.eq_ignore_ascii_case(wanted))
            .ok_or_else(|| {
                BadLink::new(format!(
                    "trace has no column '{}'; it has: {}",
                    excerpt(wanted),
                    listed()
                ))
            })?;
        // A selected column without a unit is read as Mbit/s, as in the two-column format.
        return Ok((index, unit(wanted).unwrap_or(1e6)));
    }
    names
        .iter()
        .enumerate()
        .find_map(|(i, name)| unit(name).map(|factor| (i, factor)))
        .ok_or_else(|| {
            BadLink::new(format!(
                "trace has no column with a rate unit in its name, such as rate_mbps; it has: {}",
                listed()
            ))
        })
}

fn time_unit(name: &str) -> Option<f64> {
    match name.to_lowercase().as_str() {
        "time" | "t" | "seconds" | "second" | "time_s" | "timestamp_s" | "sec" => Some(1.0),
        "time_ms" | "timestamp_ms" | "ms" => Some(1e-3),
        _ => None,
    }
}

/// Convert rows of bit/s to a trace.
pub(super) fn to_trace(rows: &[Row]) -> Result<Trace, BadLink> {
    if let Some(row) = rows.iter().find(|row| row.value > MAX_BPS) {
        return Err(BadLink::new(format!(
            "trace line {}: a rate above 1 Tbit/s; check the unit",
            row.line
        )));
    }
    let pieces = row_durations(rows)?;
    Trace::from_pieces(pieces.into_iter().map(|(ns, bps)| (ns, bps.round() as u64)))
}

#[cfg(test)]
mod tests {
    use crate::trace::{Format, parse};

    #[test]
    fn a_rate_holds_until_the_next_time() {
        let (format, trace) = parse(b"10.0\t2\n11.0\t4\n12.0\t0\n", None).expect("a good trace");
        assert_eq!(format, Format::SecondsMbit);
        assert_eq!(trace.per_second(), vec![2e6, 4e6, 0.0]);
    }

    #[test]
    fn a_csv_column_is_found_by_its_unit_or_chosen_by_name() {
        let file = b"time,signal,UL_kbps,DL_kbps\n0,-80,100,900\n1,-81,200,800\n";
        let (format, trace) = parse(file, None).expect("a good trace");
        assert_eq!((format, trace.per_second()), (Format::Csv, vec![1e5, 2e5]));
        assert_eq!(
            parse(file, Some("dl_kbps"))
                .expect("a good trace")
                .1
                .per_second(),
            vec![9e5, 8e5]
        );
    }

    #[test]
    fn a_quoted_field_may_contain_the_separator() {
        let file = b"time,place,UL_kbps\n0,\"Lyon, France\",100\n1,\"Dijon, France\",200\n";
        let (_, trace) = parse(file, None).expect("a good trace");
        assert_eq!(trace.per_second(), vec![1e5, 2e5]);
    }

    #[test]
    fn blank_lines_and_comments_count_as_lines_of_a_csv_file() {
        for end in ["\n", "\r\n"] {
            let file = ["# a", "t;x_mbps", "", " # b", "0;1", "  ", "1;x"].join(end) + end;
            let said = parse(file.as_bytes(), None).unwrap_err().to_string();
            assert!(
                said.starts_with("trace line 7: 'x' is not a number"),
                "{said}"
            );
        }
    }

    #[test]
    fn a_csv_without_a_rate_names_the_columns_it_has() {
        let said = parse(b"a,b\n1,2\n", None).unwrap_err().to_string();
        assert_eq!(
            said,
            "trace has no column with a rate unit in its name, such as rate_mbps; it has: a, b"
        );
        let said = parse(b"a,b\n1,2\n", Some("c")).unwrap_err().to_string();
        assert_eq!(said, "trace has no column 'c'; it has: a, b");
    }

    #[test]
    fn times_that_go_back_and_rates_that_are_none_are_refused_with_their_line() {
        let said = |text: &str| parse(text.as_bytes(), None).unwrap_err().to_string();
        assert_eq!(
            said("1 2\n0.5 2\n"),
            "trace line 2: time goes back; sort it, or `import --clean order=sort`"
        );
        assert_eq!(
            said("1 2\n2 nan\n"),
            "trace line 2: 'nan' is not a number of zero or more; `import --clean bad=drop` skips such rows"
        );
        assert_eq!(
            said("1 2\n2 -1\n"),
            "trace line 2: '-1' is not a number of zero or more; `import --clean bad=drop` skips such rows"
        );
        assert_eq!(
            said("1 2\n2\n"),
            "trace line 2: '2' is not 'seconds Mbit/s'"
        );
    }

    #[test]
    fn what_is_no_trace_at_all_is_refused_in_a_sentence() {
        let said = |bytes: &[u8]| parse(bytes, None).unwrap_err().to_string();
        assert_eq!(said(b""), "trace is empty; it needs at least one rate");
        assert_eq!(
            said(b"# only a comment\n\n"),
            "trace is empty; it needs at least one rate"
        );
        assert_eq!(
            said(b"\x7fELF\x00\x01"),
            "trace is neither text nor a capture; give a mahimahi, 'seconds Mbit/s', CSV, pcap or pcapng file"
        );
        assert_eq!(
            said(&[0xff, 0xfe, 0x31]),
            "trace is neither text nor a capture; give a mahimahi, 'seconds Mbit/s', CSV, pcap or pcapng file"
        );
        assert!(said(b"0 0\n1 0\n").starts_with("trace is all zero"));
    }
}
