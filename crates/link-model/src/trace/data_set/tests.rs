//! Small samples of each data set, and what is read from them.

use crate::parse_link;
use crate::trace::{Choices, Cleaning, Recording, parse, parse_with, settings};

fn read(text: &str) -> Recording {
    parse(text.as_bytes()).unwrap_or_else(|e| panic!("{e}"))
}

fn column(text: &str, name: &str) -> Vec<f64> {
    let choices = Choices {
        column: Some(name.into()),
        ..Choices::default()
    };
    let read = parse_with(text.as_bytes(), &choices, &Cleaning::default());
    read.unwrap_or_else(|e| panic!("{e}")).trace.per_second()
}

fn link(text: &str) -> String {
    let found = settings(text.as_bytes())
        .expect("readable")
        .expect("settings");
    let no_files = |_: &str| Err(crate::BadLink::new("no files"));
    parse_link(&found.link, &no_files).expect("a link text");
    let said = parse(text.as_bytes()).unwrap_err().to_string();
    assert!(
        said.starts_with(&format!(
            "{} has delays and losses, and no capacity",
            found.format
        )),
        "{said}"
    );
    found.link
}

#[test]
fn logs_of_commutes_have_bytes_over_their_interval() {
    let norway = "1285676827 1000 59.850068 10.780096 141000 1000\n1285676828 2000 59.850168 10.780196 98304 1000\n1285676829 3000 59.850268 10.780296 0 1000\n";
    let found = read(norway);
    assert_eq!(found.format.name(), "3G commute log (Riiser et al.)");
    assert_eq!(found.trace.per_second(), vec![1_128_000.0, 786_432.0, 0.0]);
    let ghent = "1453121790686 39000 51.0386528885778 3.73220785642186 2500000 1000\n1453121791686 40000 51.0386532820580 3.73222847166054 1250000 0500\n";
    let found = read(ghent);
    assert_eq!(found.format.name(), "Ghent 4G log (van der Hooft et al.)");
    assert_eq!(
        found.trace.pieces().next(),
        Some((3_000_000_000, 20_000_000))
    );
    let said = parse_with(
        norway.as_bytes(),
        &Choices {
            column: Some("2".into()),
            ..Choices::default()
        },
        &Cleaning::default(),
    );
    assert!(
        said.unwrap_err()
            .to_string()
            .contains("its only rate is of the bytes in column 5")
    );
}

#[test]
fn irish_logs_are_kbit_each_second() {
    let text = "Timestamp,Longitude,Latitude,Speed,Operatorname,CellID,NetworkMode,RSRP,RSRQ,SNR,CQI,RSSI,DL_bitrate,UL_bitrate,State,NRxRSRP,NRxRSRQ\n2018.02.12_16.14.01,-8.5,51.8,4,A,2,LTE,-119,-14,2.0,6,-94,5178,194,D,-120.0,-18.0\n2018.02.12_16.14.02,-8.5,51.8,5,A,3,LTE,-116,-13,3.0,6,-94,6990,130,D,-119.0,-18.0\n";
    let found = read(text);
    assert_eq!(found.format.name(), "Irish 4G/5G log (Raca et al.)");
    assert_eq!(found.trace.per_second(), vec![5_178_000.0, 6_990_000.0]);
    assert_eq!(column(text, "UL_bitrate"), vec![194_000.0, 130_000.0]);
    assert!(
        found
            .notes
            .contains(&"rates: column 'DL_bitrate', kbit/s, as its source says".to_string())
    );
}

#[test]
fn rows_without_times_are_a_second_apart_where_the_source_says_so() {
    let lumos = "run_num,seq_num,abstractSignalStr,latitude,longitude,movingSpeed,nrStatus,Throughput,mobility_mode\n1,1,2,44.9,-93.2,1.1,CONNECTED,612.5,walking\n1,2,2,44.9,-93.2,1.1,CONNECTED,1800,walking\n2,1,2,44.9,-93.2,1.1,CONNECTED,0,walking\n";
    let found = read(lumos);
    assert_eq!(found.format.name(), "Lumos5G");
    assert_eq!(found.trace.per_second(), vec![612.5e6, 1.8e9, 0.0]);
    assert!(
        found
            .notes
            .contains(&"times: one row a second, 2 runs one after the other".to_string())
    );
    let gophers = "protocol,num_tcp_conn,seq_num,anonymized_mCid,radio_type,throughput_mbps,nrStatus,primitive_handoff_type\nTCP,8,1,3,4G,92.1,NOT_RESTRICTED,\nTCP,8,2,3,5G,227,CONNECTED,P2\n";
    let found = read(gophers);
    assert_eq!(found.format.name(), "5Gophers");
    assert_eq!(found.trace.per_second(), vec![92.1e6, 227e6]);
}

#[test]
fn wetlinks_are_bit_per_second_of_tests_minutes_apart() {
    let text = "timestamp_start,timestamp_end,download,upload\n2023-09-01T00:00:15+00:00,2023-09-01T00:00:30+00:00,173209433.2,14520011.9\n2023-09-01T00:03:15+00:00,2023-09-01T00:03:30+00:00,201177240.1,15102233.0\n";
    let found = read(text);
    assert_eq!(found.format.name(), "WetLinks");
    assert_eq!(
        found.trace.pieces().next(),
        Some((180_000_000_000, 173_209_433))
    );
    assert_eq!(column(text, "upload")[200], 15_102_233.0);
}

#[test]
fn reports_of_iperf_are_their_intervals() {
    let report = r#"{"start":{"test_start":{"reverse":1,"bidir":1}},"intervals":[{"streams":[],"sum":{"start":0,"end":0.5,"bits_per_second":1e6,"omitted":true},"sum_bidir_reverse":{"start":0,"end":0.5,"bits_per_second":1}},{"sum":{"start":0,"end":1,"bits_per_second":2e6,"omitted":false},"sum_bidir_reverse":{"start":0.5,"end":1,"bits_per_second":5}},{"sum":{"start":1,"end":2,"bits_per_second":4e6}}],"end":{}}"#;
    let found = read(report);
    assert_eq!(found.format.name(), "iperf3 JSON");
    assert_eq!(found.trace.per_second(), vec![2e6, 4e6]);
    assert!(found.notes.iter().any(|note| note.contains("--reverse")));
    let stream = "{\"event\":\"start\",\"data\":{\"test_start\":{\"reverse\":0}}}\n{\"event\":\"interval\",\"data\":{\"sum\":{\"start\":0,\"end\":1,\"bits_per_second\":3e6}}}\n{\"event\":\"end\",\"data\":{}}\n";
    assert_eq!(read(stream).trace.per_second(), vec![3e6]);
    let failed =
        parse(b"{\"start\":{},\"intervals\":[],\"end\":{},\"error\":\"unable to connect\"}")
            .unwrap_err();
    assert_eq!(
        failed.to_string(),
        "iperf3 JSON: iperf3 measured nothing: unable to connect"
    );
    let printed = "Connecting to host 10.0.0.1, port 5201\n[ ID] Interval           Transfer     Bitrate         Retr  Cwnd\n[  5]   0.00-1.00   sec  11.2 MBytes  94.1 Mbits/sec    0    153 KBytes\n[  5]   1.00-2.00   sec  1.12 MBytes  900 Kbits/sec    3    153 KBytes\n- - - -\n[  5]   0.00-2.00   sec  12.3 MBytes  47.5 Mbits/sec    3             sender\n";
    let found = read(printed);
    assert_eq!(
        (found.format.name(), found.trace.per_second()),
        ("iperf output", vec![94.1e6, 9e5])
    );
    let sums = "[  4] 0.0- 1.0 sec  1 MBytes  8 Mbits/sec\n[  3] 0.0- 1.0 sec  2 MBytes  16 Mbits/sec\n[SUM] 0.0- 1.0 sec  3 MBytes  24 Mbits/sec\n";
    assert_eq!(read(sums).trace.per_second(), vec![24e6]);
}

#[test]
fn iperf_2_writes_csv_without_a_header() {
    let text = "20220307184649,10.0.0.1,5001,10.0.0.2,5001,3,0.0-1.0,11796480,94371840\n20220307184650,10.0.0.1,5001,10.0.0.2,5001,3,1.0-2.0,11250000,90000000\n20220307184650,10.0.0.1,5001,10.0.0.2,5001,3,0.0-2.0,23046480,92185920\n";
    let found = read(text);
    assert_eq!(
        (found.format.name(), found.trace.per_second()),
        ("iperf CSV", vec![94_371_840.0, 9e7])
    );
}

#[test]
fn probes_are_a_delay_and_a_loss() {
    let irtt = r#"{"version":{"irtt":"0.9.1"},"stats":{},"round_trips":[{"seqno":0,"lost":"false","delay":{"receive":1,"rtt":20000000,"send":1}},{"seqno":1,"lost":"true_up"},{"seqno":2,"lost":"false","delay":{"rtt":24000000}},{"seqno":3,"lost":"true_down"}]}"#;
    assert_eq!(link(irtt), "rtt=22ms,rtt-sd=2ms,up.loss=25%,down.loss=25%");
    let lens = "timestamp,rtt,uplink,downlink\n1705744800616897349,0,0,-1\n1705744800626565141,120,72,48\n1705744800636737402,110,62,48\n1705744800646307744,-1,0,0\n";
    // Half of four are lost; each direction loses 29.3 %.
    assert_eq!(link(lens), "rtt=115ms,rtt-sd=5ms,loss=29.2893%");
    let ping = "PING 10.0.0.1 (10.0.0.1) 56(84) bytes of data.\n[1700182800.410606] 64 bytes from 10.0.0.1: icmp_seq=1 ttl=63 time=60.5 ms\n64 bytes from 10.0.0.1: icmp_seq=2 ttl=63 time=59.5 ms\n";
    assert_eq!(link(ping), "rtt=60ms,rtt-sd=0.5ms");
    let trains = "0 20 0 1 1 2\n200 24 0 0 3 4\n400 22 0 2 2 9\n";
    assert_eq!(link(trains), "delay=22ms,jitter=1.633ms");
}

#[test]
fn pings_of_every_system_are_read() {
    let busybox = "PING google.com (142.250.1.2): 56 data bytes\n64 bytes from 142.250.1.2: seq=0 ttl=42 time=1.5 ms\n64 bytes from 142.250.1.2: seq=1 ttl=42 time=2.5 ms\n\n--- google.com ping statistics ---\n4 packets transmitted, 2 packets received, 50% packet loss\nround-trip min/avg/max = 1.5/2.0/2.5 ms\n";
    // Half of the round trips are lost, also behind the last answer; each direction loses 29.3 %.
    assert_eq!(link(busybox), "rtt=2ms,rtt-sd=0.5ms,loss=29.2893%");
    let windows = "\nPinging x [10.0.0.1] with 32 bytes of data:\nReply from 10.0.0.1: bytes=32 time=14ms TTL=117\nRequest timed out.\nReply from 10.0.0.1: bytes=32 time<1ms TTL=117\n\nPing statistics for 10.0.0.1:\n    Packets: Sent = 3, Received = 2, Lost = 1 (33% loss),\n";
    assert_eq!(link(windows), "rtt=7.25ms,rtt-sd=6.75ms,loss=18.3503%");
    let french = "Réponse de 10.0.0.1 : octets=32 temps=14 ms TTL=117\r\nRéponse de 10.0.0.1 : octets=32 temps=16 ms TTL=117\r\n    Paquets : envoyés = 2, reçus = 2, perdus = 0 (perte 0%),\r\n";
    assert_eq!(link(french), "rtt=15ms,rtt-sd=1ms");
    let quiet = "PING 1.1.1.1 (1.1.1.1) 56(84) bytes of data.\n\n--- 1.1.1.1 ping statistics ---\n100 packets transmitted, 81 received, 19% packet loss, time 99142ms\nrtt min/avg/max/mdev = 10.1/12.4/34.5/3.2 ms\n";
    assert_eq!(link(quiet), "rtt=12.4ms,rtt-sd=3.2ms,loss=10%");
    let hping = "len=44 ip=8.8.8.8 ttl=57 id=0 sport=53 flags=SA seq=0 win=65535 rtt=12.0 ms\nlen=44 ip=8.8.8.8 ttl=57 id=0 sport=53 flags=SA seq=1 win=65535 rtt=14.0 ms\n";
    assert_eq!(link(hping), "rtt=13ms,rtt-sd=1ms");
}

#[test]
fn duplicates_of_pings_are_no_answers() {
    let text = "64 bytes from 10.0.0.1: icmp_seq=1 ttl=64 time=2 ms\n64 bytes from 10.0.0.9: icmp_seq=1 ttl=64 time=900 ms (DUP!)\n\n1 packets transmitted, 1 received, +1 duplicates, 0% packet loss\n";
    assert_eq!(link(text), "rtt=2ms");
    let notes = settings(text.as_bytes()).unwrap().unwrap().notes;
    assert_eq!(notes[0], "1 probes, 1 answered");
    assert_eq!(notes[1], "1 duplicates are left out; duplicate= makes them");
    let silent = "PING 10.0.0.9 (10.0.0.9) 56(84) bytes of data.\n3 packets transmitted, 0 received, 100% packet loss\n";
    let said = parse(silent.as_bytes()).unwrap_err().to_string();
    assert_eq!(
        said,
        "ping output: no probe was answered, so no delay is known"
    );
}

#[test]
fn figures_that_make_no_link_are_refused() {
    let text = "64 bytes from 10.0.0.1: icmp_seq=1 ttl=64 time=99999999999999999 ms\n";
    let said = settings(text.as_bytes()).unwrap_err().to_string();
    assert!(
        said.starts_with("ping output: its figures make no link: rtt "),
        "{said}"
    );
}

#[test]
fn the_last_hop_of_mtr_is_the_link() {
    let text = "Start: 2024-05-01T10:00:00+0200\nHOST: laptop            Loss%   Snt   Last   Avg  Best  Wrst StDev\n  1.|-- 192.168.1.1      0.0%    10    1.2   1.5   1.0   3.2   0.7\n  2.|-- 1.1.1.1         19.0%   100   12.1  13.0  11.8  20.4   2.6\n";
    assert_eq!(link(text), "rtt=13ms,rtt-sd=2.6ms,loss=10%");
    let json = r#"{"report":{"mtr":{"tests":100},"hubs":[{"count":1,"Loss%":0.0,"Snt":100,"Avg":1.5,"StDev":0.7},{"count":2,"Loss%":19.0,"Snt":100,"Avg":13.0,"StDev":2.6}]}}"#;
    assert_eq!(link(json), "rtt=13ms,rtt-sd=2.6ms,loss=10%");
}

#[test]
fn titles_and_time_stamps_of_iperf_are_passed_over() {
    for front in ["run1:  ", "Wed Dec  1 10:00:01 2021 ", "[10:00:01] "] {
        let text = format!(
            "{front}[ ID] Interval           Transfer     Bitrate         Retr  Cwnd\n{front}[  5]   0.00-1.00   sec  1.25 MBytes  10.5 Mbits/sec    0    100 KBytes\n{front}[  5]   1.00-2.00   sec  2.50 MBytes  21.0 Mbits/sec    0    100 KBytes\n"
        );
        assert_eq!(
            read(&text).trace.per_second(),
            vec![10.5e6, 21e6],
            "{front}"
        );
    }
}

#[test]
fn rates_of_a_udp_sender_are_said_to_be_what_it_sent() {
    let text = "[ ID] Interval           Transfer     Bitrate         Total Datagrams\n[  5]   0.00-1.00   sec  1.25 MBytes  10.5 Mbits/sec  905\n[ ID] Interval           Transfer     Bitrate         Jitter    Lost/Total Datagrams\n[  5]   0.00-1.00   sec  1.25 MBytes  10.5 Mbits/sec  0.000 ms  0/905 (0%)  sender\n[  5]   0.00-1.04   sec  1.10 MBytes  8.63 Mbits/sec  0.052 ms  127/905 (14%)  receiver\n";
    let note =
        "rates: what a UDP sender sent; 14% of it was lost; the server's output has what arrived"
            .to_string();
    assert!(read(text).notes.contains(&note));
    let json = r#"{"start":{"test_start":{"protocol":"UDP","reverse":0}},"intervals":[{"sum":{"start":0,"end":1,"bits_per_second":1e6}}],"end":{"sum":{"lost_percent":14}}}"#;
    assert!(read(json).notes.contains(&note));
    assert!(
        !read(&json.replace("\"reverse\":0", "\"reverse\":1"))
            .notes
            .contains(&note)
    );
}

#[test]
fn pings_of_ripe_atlas_are_a_delay_and_a_loss() {
    let atlas = r#"[{"type":"ping","msm_id":1001,"sent":3,"rcvd":3,"result":[{"rtt":12},{"rtt":14},{"rtt":13}]},{"type":"ping","msm_id":1001,"result":[{"rtt":13},{"x":"*"}]},{"type":"traceroute","msm_id":2,"result":[{"rtt":99}]}]"#;
    // A fifth of the round trips is lost; each direction loses 10.6 %.
    assert_eq!(link(atlas), "rtt=13ms,rtt-sd=0.7071ms,loss=10.5573%");
}

#[test]
fn a_speed_test_is_a_link() {
    let cli =
        r#"{"download": 93456789.12, "upload": 18234567.1, "ping": 21.4, "server": {"id": "1"}}"#;
    assert_eq!(
        link(cli),
        "up.rate=18234567bit/s,down.rate=93456789bit/s,rtt=21.4ms"
    );
    let ookla = r#"{"type":"result","ping":{"latency":10.5},"download":{"bandwidth":11682098},"upload":{"bandwidth":2279320},"packetLoss":19}"#;
    assert_eq!(
        link(ookla),
        "up.rate=18234560bit/s,down.rate=93456784bit/s,rtt=10.5ms,loss=10%"
    );
    let ndt = r#"{"Download":{"Throughput":{"Value":94.2,"Unit":"Mbit/s"},"Latency":{"Value":12.1,"Unit":"ms"}},"Upload":{"Throughput":{"Value":20.5,"Unit":"Mbit/s"}}}"#;
    assert_eq!(
        link(ndt),
        "up.rate=20500000bit/s,down.rate=94200000bit/s,rtt=12.1ms"
    );
    let older = r#"{"Download":{"Value":94.2,"Unit":"Mbit/s"},"Upload":{"Value":0,"Unit":"Mbit/s"},"MinRTT":{"Value":9,"Unit":"ms"}}"#;
    assert_eq!(link(older), "down.rate=94200000bit/s,rtt=9ms");
}

#[test]
fn what_a_speed_test_prints_is_a_link() {
    let simple = "Ping: 12.345 ms\nDownload: 93.21 Mbit/s\nUpload: 10.12 Mbit/s\n";
    assert_eq!(
        link(simple),
        "up.rate=10120000bit/s,down.rate=93210000bit/s,rtt=12.345ms"
    );
    let ookla = "\n   Speedtest by Ookla\n\n      Server: X (id: 1)\nIdle Latency:     4.57 ms   (jitter: 0.40ms)\n    Download:   930.74 Mbps (data used: 839.1 MB)\n                 10.20 ms   (jitter: 1.20ms)\n      Upload:   938.32 Mbps (data used: 850.1 MB)\n Packet Loss:    19.0%\n";
    assert_eq!(
        link(ookla),
        "up.rate=938320000bit/s,down.rate=930740000bit/s,rtt=4.57ms,loss=10%"
    );
}

#[test]
fn a_csv_of_speed_tests_is_bit_per_second_of_each_until_the_next() {
    let text = "Server ID,Sponsor,Server Name,Timestamp,Distance,Ping,Download,Upload,Share,IP Address\n1,\"X, Inc.\",London,2025-06-30T10:00:00.290577Z,2.1,33.0,164000000.4,26000000.8,,1.2.3.4\n1,\"X, Inc.\",London,2025-06-30T11:00:00.290577Z,2.1,30.0,104000000.4,20000000.8,,1.2.3.4\n";
    let found = read(text);
    assert_eq!(found.format.name(), "speedtest-cli CSV");
    assert_eq!(
        found.trace.pieces().next(),
        Some((3_600_000_000_000, 164_000_000))
    );
    assert_eq!(column(text, "Upload")[3600], 20_000_001.0);
}

#[test]
fn logs_of_g_nettrack_are_kbit_per_second() {
    let text = "Timestamp\tLongitude\tLatitude\tOperatorname\tNetworkTech\tDL_bitrate\tUL_bitrate\n2020.02.13_13.57.29\t-8.5\t51.8\tOp\t4G\t234\t12\n2020.02.13_13.57.30\t-8.5\t51.8\tOp\t4G\t1234\t22\n";
    let found = read(text);
    assert_eq!(found.format.name(), "G-NetTrack log");
    assert_eq!(found.trace.per_second(), vec![234e3, 1234e3]);
}

#[test]
fn steps_of_alpha_rtc_are_ms_and_kbit_per_second() {
    let text = r#"{"type":"video","downlink":{"trace_pattern":[{"duration":500,"capacity":50}]},"uplink":{"trace_pattern":[{"duration":6000,"capacity":300,"loss":0.1},{"duration":3000,"capacity":900,"loss":0}]}}"#;
    let found = read(text);
    assert_eq!(found.format.name(), "AlphaRTC trace");
    assert_eq!(
        found.trace.pieces().collect::<Vec<_>>(),
        [(6_000_000_000, 300_000), (3_000_000_000, 900_000)]
    );
    assert!(
        found
            .notes
            .iter()
            .any(|note| note.starts_with("not in a trace: loss"))
    );
    assert_eq!(column(text, "downlink"), vec![50e3]);
    let broken = r#"{"uplink":{"trace_pattern":[{"duration":6000}]}}"#;
    let said = parse(broken.as_bytes()).unwrap_err().to_string();
    assert!(
        said.contains("a step of uplink has no capacity of zero or more"),
        "{said}"
    );
}

#[test]
fn models_of_netem_trace_are_written_out() {
    let repeated = r#"{"RepeatedBwPatternConfig":{"pattern":[{"StaticBwConfig":{"bw":"12Mbps","duration":"1s"}},{"StaticBwConfig":{"bw":{"gbps":0,"bps":24000000},"duration":{"secs":1,"nanos":0}}}],"count":2}}"#;
    let found = read(repeated);
    assert_eq!(
        (found.format.name(), found.trace.per_second()),
        ("netem-trace model", vec![12e6, 24e6])
    );
    assert_eq!(found.notes, ["the pattern repeats for ever, not 2 times"]);
    let steps = r#"{"TraceBwConfig":{"pattern":[["1s",["10Mbps","20Mbps"]]]}}"#;
    assert_eq!(read(steps).trace.per_second(), vec![1e7, 2e7]);
    assert_eq!(
        read(r#"{"TraceBwConfig":[[500,[2,4]]]}"#)
            .trace
            .per_second(),
        vec![3e6]
    );
    let saw = r#"{"SawtoothBwConfig":{"bottom":"12Mbps","top":"16Mbps","interval":"500ms","duty_ratio":0.8,"duration":"500ms","step":"100ms"}}"#;
    let rates: Vec<u64> = read(saw)
        .trace
        .pieces()
        .map(|(_, bps)| bps / 1_000_000)
        .collect();
    assert_eq!(rates, [12, 13, 14, 15, 16]);
    let said = |text: &str| parse(text.as_bytes()).unwrap_err().to_string();
    assert!(
        said(r#"{"NormalizedBwConfig":{"mean":"12Mbps","std_dev":"1Mbps"}}"#)
            .contains("draws at random")
    );
    assert!(
        said(r#"{"StaticDelayConfig":{"delay":"1ms"}}"#)
            .contains("is not a known model of bandwidth")
    );
    assert!(said(r#"{"StaticBwConfig":{"bw":"fast","duration":"1s"}}"#).contains("is not a rate"));
}
