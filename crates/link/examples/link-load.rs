//! Traffic for the benchmark of the emulator (bench/link.py), run inside labs.
//!
//! `flood ADDRESS SECONDS` sends packets of 200 B as fast as possible. `sink SECONDS` counts them
//! until none arrives for that time. `pulse SECONDS` makes every host of the lab send one datagram
//! per second to the next host.

use std::fs::{self, File};
use std::net::{SocketAddr, UdpSocket};
use std::os::fd::AsFd;
use std::thread::sleep;
use std::time::{Duration, Instant};

use nix::sched::{CloneFlags, setns};

/// 200 B at layer 3.
const PAYLOAD: [u8; 172] = [0; 172];
const PORT: u16 = 7001;

type Outcome = Result<(), Box<dyn std::error::Error>>;

fn main() -> Outcome {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments[..] {
        ["flood", address, seconds] => flood(address, Duration::from_secs_f64(seconds.parse()?)),
        ["sink", seconds] => sink(Duration::from_secs_f64(seconds.parse()?)),
        ["pulse", seconds] => pulse(seconds.parse()?),
        _ => Err("flood ADDRESS SECONDS, sink SECONDS or pulse SECONDS".into()),
    }
}

fn flood(address: &str, time: Duration) -> Outcome {
    let socket = UdpSocket::bind("0.0.0.0:0")?;
    socket.connect((address, PORT))?;
    let until = Instant::now() + time;
    while Instant::now() < until {
        for _ in 0..32 {
            // A full buffer does not stop the flood.
            let _ = socket.send(&PAYLOAD);
        }
    }
    Ok(())
}

fn sink(patience: Duration) -> Outcome {
    let socket = UdpSocket::bind(("0.0.0.0", PORT))?;
    let mut buffer = [0; 2048];
    let mut count = 0u64;
    while socket.recv(&mut buffer).is_ok() {
        count += 1;
        if count == 1 {
            socket.set_read_timeout(Some(patience))?;
        }
    }
    println!("{count}");
    Ok(())
}

/// Spread evenly over each second.
fn pulse(seconds: u32) -> Outcome {
    let lab: serde_json::Value =
        serde_json::from_str(&fs::read_to_string("/run/wirelab/lab.json")?)?;
    let hosts = lab["hosts"].as_object().ok_or("no hosts")?;
    let mut sockets = Vec::new();
    for (name, host) in hosts {
        let namespace = File::open(format!("/run/wirelab/ns/{name}"))?;
        setns(namespace.as_fd(), CloneFlags::CLONE_NEWNET)?;
        let address = host["address"].as_str().ok_or("no address")?.parse()?;
        // Bound, so that arriving packets cause no error. Packets that are not read are dropped.
        sockets.push((
            UdpSocket::bind(("0.0.0.0", PORT))?,
            SocketAddr::new(address, PORT),
        ));
    }
    let gap = Duration::from_secs(1) / sockets.len() as u32;
    let began = Instant::now();
    for turn in 0..seconds * sockets.len() as u32 {
        sleep((began + gap * turn).saturating_duration_since(Instant::now()));
        let at = turn as usize % sockets.len();
        let next = sockets[(at + 1) % sockets.len()].1;
        let _ = sockets[at].0.send_to(&PAYLOAD, next);
    }
    sleep(Duration::from_millis(200));
    Ok(())
}
