//! The lines of text formats.

use std::borrow::Cow;

use crate::error::BadLink;

/// A file as text, without a byte order mark. UTF-16 is read if it has one.
///
/// Errors for other bytes than UTF-8, or a NUL.
pub(super) fn decode_text(bytes: &[u8]) -> Result<Cow<'_, str>, BadLink> {
    let wide = |bytes_of: fn([u8; 2]) -> u16| {
        let units = bytes[2..].chunks(2).map(|pair| match pair {
            &[a, b] => bytes_of([a, b]),
            // Half a unit: no text.
            _ => 0,
        });
        String::from_utf16(&units.collect::<Vec<_>>())
            .ok()
            .map(Cow::Owned)
    };
    let text = match bytes {
        [0xff, 0xfe, ..] => wide(u16::from_le_bytes),
        [0xfe, 0xff, ..] => wide(u16::from_be_bytes),
        _ => std::str::from_utf8(bytes)
            .ok()
            .map(|text| Cow::Borrowed(text.strip_prefix('\u{feff}').unwrap_or(text))),
    };
    text.filter(|text| !text.contains('\0')).ok_or_else(|| {
        BadLink::new(
            "trace is neither text nor a capture; give a mahimahi, 'seconds Mbit/s', CSV, pcap or pcapng file",
        )
    })
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
