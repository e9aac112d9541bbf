//! Tables of rates: what is taken from them, and what is refused.

use super::{Choices, Cleaning, Format, Recording, Unit, parse, parse_with};

fn read(text: &str) -> Recording {
    parse(text.as_bytes()).unwrap_or_else(|e| panic!("{e}"))
}

fn rates(text: &str, choices: Choices) -> Vec<f64> {
    let read = parse_with(text.as_bytes(), &choices, &Cleaning::default());
    read.unwrap_or_else(|e| panic!("{e}")).trace.per_second()
}

fn said(text: &str) -> String {
    parse(text.as_bytes()).unwrap_err().to_string()
}

fn column(name: &str) -> Choices {
    Choices {
        column: Some(name.into()),
        ..Choices::default()
    }
}

fn unit(text: &str) -> Choices {
    Choices {
        unit: Some(Unit::parse(text).expect("a unit")),
        ..Choices::default()
    }
}

#[test]
fn a_rate_holds_until_the_next_time() {
    let read = read("10.0\t2\n11.0\t4\n12.0\t0\n");
    assert_eq!(read.format, Format::SecondsMbit);
    assert_eq!(read.trace.per_second(), vec![2e6, 4e6, 0.0]);
}

#[test]
fn a_csv_column_is_found_by_its_unit_or_chosen_by_name() {
    let file = "time,signal,UL_kbps,DL_kbps\n0,-80,100,900\n1,-81,200,800\n";
    let found = read(file);
    assert_eq!(
        (found.format, found.trace.per_second()),
        (Format::Csv, vec![1e5, 2e5])
    );
    assert_eq!(
        found.notes,
        [
            "times: column 'time', s, without a unit",
            "rates: column 'UL_kbps', kbit/s as its name says",
            "other rates, by --column: DL_kbps"
        ]
    );
    assert_eq!(rates(file, column("dl_kbps")), vec![9e5, 8e5]);
    assert_eq!(rates(file, column("4")), vec![9e5, 8e5]);
}

#[test]
fn a_unit_in_parentheses_counts_and_dates_are_times() {
    let file = "Timestamp,Bitrate (Mbps),Packets/sec\n2024-05-06T10:00:00.000,93.4,8012\n2024-05-06T10:00:00.500,94.1,8101\n2024-05-06T10:00:01.000,12.2,1044\n2024-05-06T10:00:01.500,90.0,7780\n";
    let trace = read(file).trace;
    assert_eq!(
        (trace.period_ns(), trace.mean_bps()),
        (2_000_000_000, 72_425_000.0)
    );
}

#[test]
fn dates_with_a_named_zone_and_a_gap_are_times() {
    let file = "Time,Sent Bytes,RATE(MBit/s)\nMon Mar 07 18:46:49 UTC 2022,1301220,41.2\nMon Mar 07 18:46:52 UTC 2022,1288020,39.9\nMon Mar 07 18:46:58 UTC 2022,1301220,41.0\n";
    assert_eq!(
        rates(file, Choices::default())[..10],
        [
            41.2e6, 41.2e6, 41.2e6, 39.9e6, 39.9e6, 39.9e6, 39.9e6, 39.9e6, 39.9e6, 41e6
        ]
    );
}

#[test]
fn files_of_spreadsheets_are_read_in_their_encodings() {
    let rows = "time,dl_kbps\r\n0,2000\r\n0.5,4000\r\n1,3000\r\n";
    let marked = format!("\u{feff}{rows}");
    let wide: Vec<u8> = marked.encode_utf16().flat_map(u16::to_le_bytes).collect();
    for bytes in [marked.as_bytes(), &wide] {
        let trace = parse(bytes).expect("a trace").trace;
        assert_eq!((trace.period_ns(), trace.mean_bps()), (1_500_000_000, 3e6));
    }
    assert_eq!(
        rates(
            "sep=;\r\ntime;x_mbps\r\n0,0;1,5\r\n1,0;2,5\r\n",
            Choices::default()
        ),
        vec![1.5e6, 2.5e6]
    );
}

#[test]
fn a_comment_may_be_the_header_or_name_the_unit() {
    for header in [
        "# time(s) rate(kbps)",
        "# from a phone, kbit/s",
        "#time (s), rate [kbit/s]",
    ] {
        let read = read(&format!("{header}\n0.0e+00 3.5e+03\n1.0e+00 2.2e+03\n"));
        assert_eq!(read.trace.per_second(), vec![3.5e6, 2.2e6], "{header}");
    }
    let rising: String = (0..20)
        .map(|s| format!("{s} {}\n", 1000 * (s + 1)))
        .collect();
    assert_eq!(
        read(&format!("# seconds Mbit/s\n{rising}"))
            .trace
            .per_second()[19],
        20e9
    );
}

#[test]
fn amounts_of_data_are_divided_by_the_time_since_the_row_before() {
    let file = "time,bytes\n1,1000000\n2,500000\n4,1000000\n5,500000\n";
    assert_eq!(rates(file, Choices::default())[..4], [8e6, 4e6, 4e6, 4e6]);
    let counter = "time,rx_bytes\n1,1000\n2,2000\n4,6000\n5,6000\n";
    assert_eq!(rates(counter, unit("total bytes"))[..3], [8e3, 16e3, 16e3]);
    let long: String = (0..3).map(|s| format!("{s},{}\n", s * s)).collect();
    let refused = said(&format!("time,bytes\n{long}"));
    assert!(
        refused.starts_with("the amounts only grow, like a counter"),
        "{refused}"
    );
}

#[test]
fn a_date_and_a_time_of_day_may_be_two_columns() {
    let file = "Date,Time,Rate (kbit/s)\n2024-05-06,23:59:58,100\n2024-05-07,00:00:03,300\n2024-05-08,00:00:03,200\n";
    let read = read(file);
    let pieces: Vec<(u64, u64)> = read.trace.pieces().collect();
    assert_eq!(
        pieces[..2],
        [(5_000_000_000, 100_000), (86_400_000_000_000, 300_000)]
    );
    assert_eq!(read.notes[0], "times: column 'Date' and 'Time', dates");
}

#[test]
fn a_row_of_units_below_the_header_counts() {
    let file = "time,Throughput,Signal\n[s],[kbit/s],\n0,100,-80\n1,300,-81\n";
    assert_eq!(rates(file, Choices::default()), vec![1e5, 3e5]);
}

#[test]
fn rates_of_one_column_need_their_unit_and_distance() {
    let choices = Choices {
        step: Some(1.0),
        ..unit("Mbit/s")
    };
    assert_eq!(rates("5.5\n3\n7\n", choices), vec![5.5e6, 3e6, 7e6]);
    for text in ["5.5\n3\n7\n", "5\n3\n7\n"] {
        let said = said(text);
        assert!(
            said.ends_with("rates of one column need `import --unit` and --step"),
            "{said}"
        );
    }
}

#[test]
fn a_file_of_a_million_rows_or_columns_is_refused_in_a_sentence() {
    let said = |text: &str| {
        let said = parse(text.as_bytes()).unwrap_err().to_string();
        assert!(said.len() < 1000);
        said
    };
    assert!(said(&"1 2\n".repeat(1_000_002)).starts_with("trace has more than a million rows"));
    let wide = "a,".repeat(100_000) + "b\n" + &"1,".repeat(100_000) + "2\n";
    assert!(said(&wide).ends_with("and 99977 more"));
}

#[test]
fn fields_may_have_their_unit() {
    let file = "time,throughput\n0,93.4 Mbits/sec\n1,800 Kbits/sec\n";
    assert_eq!(rates(file, Choices::default()), vec![93.4e6, 8e5]);
}

#[test]
fn what_the_file_does_not_say_can_be_given() {
    let columns = "1285676827 1000 59.8 10.7 125000\n1285676828 2000 59.8 10.7 250000\n";
    let choices = Choices {
        column: Some("5".into()),
        time_column: Some("1".into()),
        ..unit("bytes")
    };
    assert_eq!(rates(columns, choices), vec![1e6, 2e6]);
    let download = "timestamp_start,download,upload\n2023-09-01T00:00:15+00:00,173209433.2,1\n2023-09-01T00:00:16+00:00,201177240.1,2\n";
    let choices = Choices {
        column: Some("download".into()),
        ..unit("bit/s")
    };
    assert_eq!(rates(download, choices), vec![173_209_433.0, 201_177_240.0]);
    let untimed = Choices {
        step: Some(2.0),
        ..Choices::default()
    };
    assert_eq!(
        rates("place,x_mbps\na,1\nb,2\n", untimed),
        vec![1e6, 1e6, 2e6, 2e6]
    );
    let ms = Choices {
        time_unit: Some(1e-3),
        ..Choices::default()
    };
    assert_eq!(rates("0 1\n1000 2\n", ms), vec![1e6, 2e6]);
    assert_eq!(
        rates("time,rate\n0,1\n1,2\n", unit("MB/s")),
        vec![8e6, 16e6]
    );
}

#[test]
fn a_unit_that_would_be_a_guess_is_refused_with_the_option_that_states_it() {
    for (text, why) in [
        ("0 3500\n1 2200\n", "but 3500 Mbit/s is more than 1 Gbit/s"),
        ("time,MBPS\n0,1\n1,2\n", "may be bits or bytes per second"),
        (
            "time,rate\n0,1\n1,2\n",
            "column 'rate' has no unit; state it by `import --unit`",
        ),
        ("0,5.2\n1,3.1\n", "column '2' has no unit"),
        (
            "time,download,upload\n0,1,2\n",
            "may be rates, but no unit in their names: download, upload",
        ),
        (
            "0 1\n1000 2\n2000 1\n",
            "times without a unit, 100 or more apart",
        ),
    ] {
        let said = said(text);
        assert!(said.contains(why), "{text}: {said}");
    }
    let rising: String = (0..10).map(|s| format!("{s} {}\n", s + 1)).collect();
    assert!(said(&rising).contains("the second column only grows, like a counter"));
}

#[test]
fn times_that_would_be_a_guess_are_refused_with_the_options_that_state_them() {
    assert_eq!(
        said("place,x_mbps\na,1\nb,2\n"),
        "trace has no column that is known as time; name it by `import --time-column`, or give the distance of rows, as --step 1s; it has: place, x_mbps"
    );
    assert!(said("1 2 3\n2 3 4\n").starts_with("trace has 3 columns and no header"));
    assert!(said("time,x_mbps\nnoon,1\n").contains("times like 'noon', in no form that is known"));
}

#[test]
fn a_quoted_field_may_contain_the_separator() {
    let trace = read("time,place,UL_kbps\n0,\"Lyon, France\",100\n1,\"Dijon, France\",200\n").trace;
    assert_eq!(trace.per_second(), vec![1e5, 2e5]);
}

#[test]
fn blank_lines_and_comments_count_as_lines_of_a_csv_file() {
    for end in ["\n", "\r\n"] {
        let file = ["# a", "t;x_mbps", "", " # b", "0;1", "  ", "1;x"].join(end) + end;
        let said = said(&file);
        assert!(
            said.starts_with("trace line 7: 'x' is not a number"),
            "{said}"
        );
    }
}

#[test]
fn a_csv_without_a_rate_names_the_columns_it_has() {
    assert_eq!(
        said("time,a,b\n0,1,2\n"),
        "trace has no column with a rate unit in its name, such as rate_mbps; choose by `import --column NAME --unit Mbit/s`; it has: time, a, b"
    );
    let wrong = parse_with(b"time,b\n1,2\n", &column("c"), &Cleaning::default());
    assert_eq!(
        wrong.unwrap_err().to_string(),
        "trace has no column 'c'; it has: time, b"
    );
}

#[test]
fn times_that_go_back_and_rates_that_are_none_are_refused_with_their_line() {
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
    assert_eq!(said("1 2\n2\n"), "trace line 2: column 2 is missing");
}

#[test]
fn what_is_no_trace_at_all_is_refused_in_a_sentence() {
    let said = |bytes: &[u8]| parse(bytes).unwrap_err().to_string();
    assert_eq!(said(b""), "trace is empty; it needs at least one rate");
    assert_eq!(
        said(b"# only a comment\n\n"),
        "trace is empty; it needs at least one rate"
    );
    let neither = "trace is neither text nor a capture; give a mahimahi, 'seconds Mbit/s', CSV, pcap or pcapng file";
    assert_eq!(said(b"\x7fELF\x00\x01"), neither);
    assert_eq!(said(&[0xff, 0xfe, 0x31]), neither);
    assert!(said(b"0 0\n1 0\n").starts_with("trace is all zero"));
    assert!(said(b"<?xml version=\"1.0\"?>\n<a/>").starts_with("trace is XML or HTML"));
    assert!(said(b"{\"a\": 1}\n").starts_with("trace is JSON of no known kind"));
}

#[test]
fn chances_at_0_ms_are_named() {
    let read = read("0\n1\n2\n3\n4");
    assert_eq!(read.trace.mean_bps(), 15e6);
    assert_eq!(
        read.notes,
        ["1 opportunities at 0 ms count at the end of each repetition, as in mahimahi"]
    );
}

#[test]
fn rows_of_several_series_are_refused_with_what_tells_them_apart() {
    let text = "# hostname;interval;timestamp;IFACE;rxkB/s;txkB/s\nh;1;2021-12-05 10:00:02 UTC;lo;0.20;0.20\nh;1;2021-12-05 10:00:02 UTC;eth0;1100.21;40.11\nh;1;2021-12-05 10:00:03 UTC;lo;0.00;0.00\nh;1;2021-12-05 10:00:03 UTC;eth0;1240.00;46.00\n";
    assert_eq!(
        said(text),
        "trace has several rows of each time, which column 'IFACE' tells apart (eth0, lo); give the header and the rows of one"
    );
    let numbered = "time,link,mbps\n0,1,10\n0,2,50\n1,1,11\n1,2,52\n";
    assert!(said(numbered).contains("column 'link' tells apart (1, 2)"));
    // Rows that were only written twice are cleaned, not refused.
    let twice = "time,signal,mbps\n0,-80,10\n0,-80,12\n1,-81,11\n1,-81,13\n";
    assert_eq!(read(twice).trace.per_second(), vec![12e6, 13e6]);
}

#[test]
fn the_last_row_ends_where_its_end_says() {
    let found = read("start,end,mbps\n3,8,10\n8,9,20\n9,19,30\n");
    assert_eq!(found.trace.period_ns(), 16_000_000_000);
    assert_eq!(found.trace.mean_bps(), (50e6 + 20e6 + 300e6) / 16.0);
    assert!(
        found
            .notes
            .contains(&"each row lasts until the next one, the last until its 'end'".to_string())
    );
    let wrong = read("start,end,mbps\n0,0,10\n5,1,20\n");
    assert_eq!(wrong.trace.period_ns(), 10_000_000_000);
}

#[test]
fn durations_are_times() {
    let table = "duration_ms,bandwidth_kbps\n5000,1000\n1000,4000\n";
    let json = r#"[{"duration_ms": 5000, "bandwidth_kbps": 1000, "latency_ms": 20}, {"duration_ms": 1000, "bandwidth_kbps": 4000, "latency_ms": 20}]"#;
    for text in [table, json] {
        let found = read(text);
        assert_eq!(found.trace.period_ns(), 6_000_000_000, "{text}");
        assert_eq!(found.trace.mean_bps(), 1.5e6, "{text}");
        assert_eq!(
            found.notes[0],
            "times: column 'duration_ms', how long each row lasts"
        );
    }
    assert_eq!(read(json).format, Format::DataSet("JSON rows"));
    assert!(
        said("duration_ms,bandwidth_kbps\n5000,1000\n0,4000\n")
            .contains("trace line 3: '0' is not a duration above zero")
    );
}

#[test]
fn json_lines_are_rows() {
    let text = "{\"time\": 0, \"mbps\": 1, \"cell\": {\"id\": 5}}\n{\"time\": 1, \"mbps\": 3, \"cell\": {\"id\": 6}}\n";
    assert_eq!(read(text).trace.per_second(), vec![1e6, 3e6]);
    assert!(said("{\"time\": 0, \"mbps\": 1}\n").contains("JSON of no known kind"));
}

#[test]
fn losses_and_delays_beside_the_rates_are_named() {
    let found = read("time,loss_pct,delay_ms,bw_kbps\n0,0.1,20,1000\n1,0.5,30,2000\n");
    assert!(
        found.notes.contains(
            &"not in a trace: loss_pct, delay_ms; a link has loss=, rtt=, jitter=".to_string()
        ),
        "{:?}",
        found.notes
    );
}

#[test]
fn dates_of_spreadsheets_have_halves_of_a_day() {
    for file in [
        "Date,x (Mbps)\n1/15/2021 11:59 AM,1\n1/15/2021 12:00 PM,2\n",
        "Date,x (Mbps)\n\"1/15/2021, 11:59 AM\",1\n\"1/15/2021, 12:00 PM\",2\n",
        "Date,x (Mbps)\n\"15.01.2021, 11:59:00\",1\n\"15.01.2021, 12:00:00\",2\n",
    ] {
        assert_eq!(read(file).trace.period_ns(), 120_000_000_000, "{file}");
    }
}

#[test]
fn a_column_of_units_is_not_one_of_rates() {
    let text = "0.57,Mbits/sec\n1.06,Mbits/sec\n0.9,Mbits/sec\n";
    assert!(
        said(text).contains("column 2 has the unit of another column and no rates; give --column, --unit Mbits/sec and --step")
    );
    let chosen = Choices {
        column: Some("1".into()),
        step: Some(1.0),
        ..unit("Mbits/sec")
    };
    assert_eq!(rates(text, chosen), vec![0.57e6, 1.06e6, 0.9e6]);
}
