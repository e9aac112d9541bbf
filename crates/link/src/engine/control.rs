//! The control socket: JSON lines in, one line out for each.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::sync::mpsc::channel;

use serde::Deserialize;
use serde_json::json;

use super::orders::{Command, Orders};

/// Longest request.
const MAX_LINE: u64 = 65_536;

#[derive(Deserialize)]
#[serde(tag = "cmd", rename_all = "lowercase")]
enum Request {
    Snapshot,
    Epoch,
}

/// Serve on a Unix socket from threads of its own, until the process ends.
pub fn serve(path: &Path, orders: Orders) -> io::Result<()> {
    let listener = UnixListener::bind(path)?;
    let accept = move || {
        for stream in listener.incoming().flatten() {
            let orders = orders.clone();
            // Without a thread the client sees its connection end.
            let _ = std::thread::Builder::new()
                .name("control".into())
                .spawn(move || answer_all(stream, &orders));
        }
    };
    std::thread::Builder::new()
        .name("control".into())
        .spawn(accept)
        .map(drop)
}

fn answer_all(stream: UnixStream, orders: &Orders) {
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
        let mut answer = answer(&line, orders);
        answer.push('\n');
        if writer.write_all(answer.as_bytes()).is_err() {
            return;
        }
    }
}

fn answer(line: &[u8], orders: &Orders) -> String {
    let ended = || json!({"error": "the lab is ending"}).to_string();
    match serde_json::from_slice(line) {
        Ok(Request::Snapshot) => {
            let (reply, answer) = channel();
            orders.give(Command::Snapshot(reply));
            answer
                .recv()
                .map_or_else(|_| ended(), |snapshot| snapshot.json())
        }
        Ok(Request::Epoch) => {
            let (reply, answer) = channel();
            orders.give(Command::Epoch(reply));
            answer.recv().map_or_else(
                |_| ended(),
                |epoch_ns| json!({"epoch_ns": epoch_ns}).to_string(),
            )
        }
        Err(error) => {
            json!({"error": format!("not a request: {error}; the requests are snapshot and epoch")})
                .to_string()
        }
    }
}
