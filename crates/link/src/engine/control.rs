//! The control socket: JSON lines as requests, one line as answer to each.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};

use serde::{Deserialize, Serialize};
use serde_json::json;

use super::commands::{Command, CommandSender};

/// Longest request, bytes.
const MAX_LINE: u64 = 65_536;

#[derive(Deserialize)]
#[serde(tag = "cmd", rename_all = "lowercase")]
enum Request {
    Snapshot,
    Epoch,
    Skip { ns: u64 },
    Join(JoinRequest),
}

/// A request for a new host with a nested link.
#[derive(Deserialize, Serialize)]
pub struct JoinRequest {
    /// The host behind whose link it begins.
    pub behind: String,
    /// The link text.
    pub link: String,
    /// The directory of the trace files in the link text.
    pub folder: PathBuf,
    /// Seed of its random draws.
    pub seed: u64,
}

/// Creates the host of a [`JoinRequest`] and returns its name.
pub type JoinHandler = dyn Fn(&JoinRequest) -> Result<String, String> + Send + Sync;

/// Serve a Unix socket from separate threads until the process ends.
pub fn serve(
    path: &Path,
    commands: CommandSender,
    join_handler: Arc<JoinHandler>,
) -> io::Result<()> {
    let listener = UnixListener::bind(path)?;
    let accept = move || {
        for stream in listener.incoming().flatten() {
            let (commands, join_handler) = (commands.clone(), join_handler.clone());
            // If no thread can be started, the client's connection is closed.
            let _ = std::thread::Builder::new()
                .name("control".into())
                .spawn(move || serve_client(stream, &commands, &*join_handler));
        }
    };
    std::thread::Builder::new()
        .name("control".into())
        .spawn(accept)
        .map(drop)
}

fn serve_client(stream: UnixStream, commands: &CommandSender, join_handler: &JoinHandler) {
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
        let mut answer = answer(&line, commands, join_handler);
        answer.push('\n');
        if writer.write_all(answer.as_bytes()).is_err() {
            return;
        }
    }
}

/// Send a command to the engine and format its result as a line.
fn request<T>(
    commands: &CommandSender,
    command: impl FnOnce(Sender<T>) -> Command,
    to_json: impl FnOnce(T) -> String,
) -> String {
    let (reply, answer) = channel();
    commands.send(command(reply));
    answer.recv().map_or_else(
        |_| json!({"error": "the lab has ended"}).to_string(),
        to_json,
    )
}

fn answer(line: &[u8], commands: &CommandSender, join_handler: &JoinHandler) -> String {
    match serde_json::from_slice(line) {
        Ok(Request::Snapshot) => request(commands, Command::Snapshot, |snapshot| snapshot.to_json()),
        Ok(Request::Epoch) => request(commands, Command::Epoch, |epoch_ns| {
            json!({"epoch_ns": epoch_ns}).to_string()
        }),
        Ok(Request::Skip { ns }) => request(
            commands,
            |reply| Command::Skip(ns, reply),
            |skipped| json!({"skipped": skipped}).to_string(),
        ),
        Ok(Request::Join(join)) => match join_handler(&join) {
            Ok(host) => json!({"host": host}).to_string(),
            Err(error) => json!({"error": error}).to_string(),
        },
        Err(error) => {
            json!({"error": format!("invalid request: {error}; valid commands are snapshot, epoch, skip and join")})
                .to_string()
        }
    }
}
