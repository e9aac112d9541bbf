//! The control socket: JSON lines in, one line out for each.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};

use serde::{Deserialize, Serialize};
use serde_json::json;

use super::orders::{Command, Orders};

/// Longest request.
const MAX_LINE: u64 = 65_536;

#[derive(Deserialize)]
#[serde(tag = "cmd", rename_all = "lowercase")]
enum Request {
    Snapshot,
    Epoch,
    Skip { ns: u64 },
    Join(Join),
}

/// A link that shall begin behind a host's.
#[derive(Deserialize, Serialize)]
pub struct Join {
    /// That host.
    pub behind: String,
    /// The link.
    pub link: String,
    /// The folder in which the trace files it names are.
    pub folder: PathBuf,
    /// Of its draws.
    pub seed: u64,
}

/// What makes the host of a link that comes later, and gives its name.
pub type Joiner = dyn Fn(&Join) -> Result<String, String> + Send + Sync;

/// Serve on a Unix socket from threads of its own, until the process ends.
pub fn serve(path: &Path, orders: Orders, joiner: Arc<Joiner>) -> io::Result<()> {
    let listener = UnixListener::bind(path)?;
    let accept = move || {
        for stream in listener.incoming().flatten() {
            let (orders, joiner) = (orders.clone(), joiner.clone());
            // Without a thread the client sees its connection end.
            let _ = std::thread::Builder::new()
                .name("control".into())
                .spawn(move || answer_all(stream, &orders, &*joiner));
        }
    };
    std::thread::Builder::new()
        .name("control".into())
        .spawn(accept)
        .map(drop)
}

fn answer_all(stream: UnixStream, orders: &Orders, joiner: &Joiner) {
    let Ok(mut writer) = stream.try_clone() else {
        return;
    };
    let mut reader = BufReader::new(stream);
    loop {
        let mut line = Vec::new();
        match reader.by_ref().take(MAX_LINE).read_until(b'\n', &mut line) {
            Ok(0) | Err(_) => return,
            Ok(_) => {}
        }
        let mut answer = answer(&line, orders, joiner);
        answer.push('\n');
        if writer.write_all(answer.as_bytes()).is_err() {
            return;
        }
    }
}

/// What the engine replies to a command, as a line.
fn told<T>(
    orders: &Orders,
    command: impl FnOnce(Sender<T>) -> Command,
    line: impl FnOnce(T) -> String,
) -> String {
    let (reply, answer) = channel();
    orders.give(command(reply));
    answer
        .recv()
        .map_or_else(|_| json!({"error": "the lab is ending"}).to_string(), line)
}

fn answer(line: &[u8], orders: &Orders, joiner: &Joiner) -> String {
    match serde_json::from_slice(line) {
        Ok(Request::Snapshot) => told(orders, Command::Snapshot, |snapshot| snapshot.json()),
        Ok(Request::Epoch) => told(orders, Command::Epoch, |epoch_ns| {
            json!({"epoch_ns": epoch_ns}).to_string()
        }),
        Ok(Request::Skip { ns }) => told(
            orders,
            |reply| Command::Skip(ns, reply),
            |skipped| json!({"skipped": skipped}).to_string(),
        ),
        Ok(Request::Join(join)) => match joiner(&join) {
            Ok(host) => json!({"host": host}).to_string(),
            Err(error) => json!({"error": error}).to_string(),
        },
        Err(error) => {
            json!({"error": format!("not a request: {error}; the requests are snapshot, epoch, skip and join")})
                .to_string()
        }
    }
}
