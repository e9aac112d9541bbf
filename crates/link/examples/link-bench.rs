//! How exact and how fast the emulator is on this machine: `cargo run --release -p wirelab-link --example link-bench`.
//!
//! Prints the machine's state, every command it runs, and a table. Wants an idle machine and root (for real-time scheduling).

use std::fs;
use std::net::UdpSocket;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};

const ROUNDS: u64 = 5;
const FLOOD: Duration = Duration::from_secs(3);

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

fn main() -> Outcome<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["flood", address] => return flood(address),
        ["sink"] => return sink(),
        _ => {}
    }
    let bench = Bench::new()?;
    machine();
    bench.delay()?;
    bench.rates()?;
    bench.losses()?;
    bench.throughput()?;
    bench.many()?;
    Ok(())
}

/// What else ran, and how the processor was set.
fn machine() {
    let read = |path: &str| {
        fs::read_to_string(path)
            .unwrap_or_default()
            .trim()
            .to_string()
    };
    let model = read("/proc/cpuinfo")
        .lines()
        .find(|l| l.starts_with("model name"))
        .unwrap_or_default()
        .to_string();
    println!(
        "kernel {}; load {}",
        read("/proc/sys/kernel/osrelease"),
        read("/proc/loadavg")
    );
    println!(
        "{model}; governor '{}'",
        read("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")
    );
}

struct Bench {
    link: PathBuf,
    own: PathBuf,
    folder: PathBuf,
}

impl Bench {
    /// The emulator lies beside the folder of examples.
    fn new() -> Outcome<Bench> {
        let own = std::env::current_exe()?;
        let link = own
            .parent()
            .and_then(Path::parent)
            .ok_or("no target folder")?
            .join("wirelab-link");
        if !link.is_file() {
            return Err(format!(
                "{} is missing: cargo build --release -p wirelab-link",
                link.display()
            )
            .into());
        }
        let folder = std::env::temp_dir().join(format!("link-bench-{}", std::process::id()));
        fs::create_dir_all(&folder)?;
        Ok(Bench { link, own, folder })
    }

    fn check(&self, text: &str, seed: u64) -> Outcome<Value> {
        let done = Command::new(&self.link)
            .args(["check", text, "--json", "--seed", &seed.to_string()])
            .output()?;
        serde_json::from_slice(&done.stdout).map_err(|e| {
            format!(
                "check {text}: {e}: {}",
                String::from_utf8_lossy(&done.stderr)
            )
            .into()
        })
    }

    fn delay(&self) -> Outcome<()> {
        for text in ["delay=35ms", "ideal"] {
            println!(
                "\nwirelab-link check {text} --seed 1..{ROUNDS}   (medians of rounds; target at 35 ms: p50 <= 10 us, p99 <= 35 us, p99.9 <= 200 us)"
            );
            let reports = (1..=ROUNDS)
                .map(|seed| self.check(text, seed))
                .collect::<Outcome<Vec<_>>>()?;
            println!("  real-time scheduling: {}", reports[0]["realtime"]);
            for side in ["up", "down"] {
                let at = |q: &str| {
                    median(
                        reports
                            .iter()
                            .map(|r| measured(r, &format!("{side} delay error {q}"))),
                    ) / 1e3
                };
                println!(
                    "  {side:<4} |error| p50 {:>6.1} us  p99 {:>6.1} us  p99.9 {:>6.1} us",
                    at("p50"),
                    at("p99"),
                    at("p99.9")
                );
            }
        }
        Ok(())
    }

    fn rates(&self) -> Outcome<()> {
        println!("\nwirelab-link check rate=R,queue=none   (target: within 0.1 %)");
        for text in [
            "rate=1Mbit/s",
            "rate=10Mbit/s",
            "rate=100Mbit/s",
            "lte-drive",
        ] {
            let text = if text.contains('=') {
                format!("{text},queue=none")
            } else {
                text.to_string()
            };
            let reports = (1..=ROUNDS)
                .map(|seed| self.check(&text, seed))
                .collect::<Outcome<Vec<_>>>()?;
            let error = |r: &Value| {
                row(r, "up rate").map_or(f64::NAN, |w| {
                    number(w, "measured") / number(w, "asked") - 1.0
                })
            };
            println!(
                "  {text:<28} error {:+.4} %",
                median(reports.iter().map(error)) * 100.0
            );
        }
        Ok(())
    }

    fn losses(&self) -> Outcome<()> {
        println!(
            "\nwirelab-link check LINK   (loss within its interval; no packet whose fate is not the drawn one)"
        );
        for text in ["loss=1%", "loss=10%", "loss=ge(p=1%,r=25%)"] {
            for seed in 1..=ROUNDS {
                let report = self.check(text, seed)?;
                let loss = row(&report, "up loss").ok_or("no loss row")?;
                println!(
                    "  {text:<22} seed {seed}: {:.4} in [{:.4}, {:.4}] {}  not as drawn: {}",
                    number(loss, "measured"),
                    number(loss, "low"),
                    number(loss, "high"),
                    loss["ok"],
                    measured(&report, "up fates not as drawn")
                );
            }
        }
        Ok(())
    }

    /// Run a command in a lab of so many hosts and give its counters.
    fn lab(&self, hosts: usize, script: &str) -> Outcome<Value> {
        let (spec, counters) = (self.folder.join("lab.json"), self.folder.join("link.json"));
        let hosts: Vec<Value> = (0..hosts)
            .map(|i| json!({"name": format!("h{i}")}))
            .collect();
        fs::write(
            &spec,
            json!({"seed": 1, "hosts": hosts, "accounting": counters}).to_string(),
        )?;
        println!(
            "  wirelab-link lab {} hosts -- sh -c '{script}'",
            hosts.len()
        );
        let status = Command::new(&self.link)
            .arg("lab")
            .arg(&spec)
            .args(["--", "sh", "-c", script])
            .env("LINK", &self.link)
            .env("OWN", &self.own)
            .env("OUT", self.folder.join("out"))
            .status()?;
        if !status.success() {
            return Err(format!("the lab ended with {status}").into());
        }
        Ok(serde_json::from_slice(&fs::read(&counters)?)?)
    }

    fn throughput(&self) -> Outcome<()> {
        println!(
            "\n200-B UDP as fast as one sender can through two ideal links   (target: >= 170 kpps, <= 2.6 us CPU per packet)"
        );
        let counters = self.lab(
            2,
            "$LINK exec h1 -- $OWN sink & sleep 0.2; $LINK exec h0 -- $OWN flood 10.77.0.2:7001",
        )?;
        let packets = number(&counters["hosts"]["h1"]["down"], "delivered");
        println!(
            "  {:.0} kpps; {:.2} us CPU per packet; own drops {}; late p99 {:.0} us; real-time at the end: {}",
            packets / FLOOD.as_secs_f64() / 1e3,
            number(&counters, "cpu_ns") / packets / 1e3,
            counters["own_drops"],
            number(&counters["lateness"], "p99_ns") / 1e3,
            counters["realtime"]
        );
        Ok(())
    }

    fn many(&self) -> Outcome<()> {
        println!(
            "\n100 hosts   (target: set up in <= 2 s, <= 100 MB resident, idle <= 0.01 % of a core)"
        );
        let since_1970 = || {
            SystemTime::now()
                .duration_since(UNIX_EPOCH)
                .map(|t| t.as_secs_f64())
        };
        let started = since_1970()?;
        self.lab(100, "date +%s.%N > $OUT")?;
        let ended = since_1970()?;
        let up: f64 = fs::read_to_string(self.folder.join("out"))?
            .trim()
            .parse()?;
        println!(
            "  set up in {:.2} s, torn down in {:.2} s",
            up - started,
            ended - up
        );
        let idle = self.lab(100, "grep VmRSS /proc/1/status; sleep 5")?;
        let (cpu, wall) = (
            number(&idle, "cpu_ns"),
            number(&idle, "now_ns") - number(&idle, "epoch_ns"),
        );
        println!("  idle: {:.4} % of a core", cpu / wall * 100.0);
        fs::remove_dir_all(&self.folder)?;
        Ok(())
    }
}

fn row<'a>(report: &'a Value, what: &str) -> Option<&'a Value> {
    report["checks"]
        .as_array()?
        .iter()
        .find(|row| row["what"] == what)
}

fn number(value: &Value, key: &str) -> f64 {
    value[key].as_f64().unwrap_or(f64::NAN)
}

fn measured(report: &Value, what: &str) -> f64 {
    row(report, what).map_or(f64::NAN, |row| number(row, "measured"))
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// 172 bytes of payload: 200 at layer 3.
fn flood(address: &str) -> Outcome<()> {
    let socket = UdpSocket::bind("0.0.0.0:0")?;
    socket.connect(address)?;
    let until = Instant::now() + FLOOD;
    while Instant::now() < until {
        for _ in 0..32 {
            // A full buffer is no reason to stop a flood.
            let _ = socket.send(&[0; 172]);
        }
    }
    Ok(())
}

fn sink() -> Outcome<()> {
    let socket = UdpSocket::bind("0.0.0.0:7001")?;
    let mut buffer = [0; 2048];
    // Ends with the lab.
    loop {
        socket.recv(&mut buffer)?;
    }
}
