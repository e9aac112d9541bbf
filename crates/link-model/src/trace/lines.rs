//! The lines of text formats.

use crate::error::BadLink;

/// A file as text. Errors if it is not valid UTF-8 or contains a NUL.
pub(super) fn decode_text(bytes: &[u8]) -> Result<&str, BadLink> {
    match std::str::from_utf8(bytes) {
        Ok(text) if !text.contains('\0') => Ok(text),
        _ => Err(BadLink::new(
            "trace is neither text nor a capture; give a mahimahi, 'seconds Mbit/s', CSV, pcap or pcapng file",
        )),
    }
}

/// Numbered lines that are neither blank nor a comment.
pub(super) fn content_lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.lines()
        .enumerate()
        .map(|(i, line)| (i + 1, line.trim()))
        .filter(|(_, line)| !line.is_empty() && !line.starts_with('#'))
}

/// The start of a line, escaped for an error message.
pub(super) fn excerpt(line: &str) -> String {
    line.chars()
        .take(24)
        .collect::<String>()
        .escape_debug()
        .to_string()
}
