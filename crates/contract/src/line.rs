//! Lines of bounded length, so that a writer cannot exhaust the reader's memory.

use std::io::{self, BufRead};

/// Maximum length of a line in bytes, without its newline.
pub const MAX_LINE: usize = 1 << 20;

/// The result of reading one line.
#[derive(Debug, PartialEq, Eq)]
pub enum Line {
    /// A complete line without its newline.
    Text(String),
    /// A line longer than [`MAX_LINE`], which was skipped.
    TooLong,
    /// A line that is not valid UTF-8.
    NotText,
    /// End of file.
    End,
}

/// Reads up to the next newline or end of file. An unterminated last line counts as a line.
///
/// # Errors
/// Those of the reader.
pub fn read_line(input: &mut impl BufRead) -> io::Result<Line> {
    let mut line = Vec::new();
    let (mut any, mut too_long) = (false, false);
    loop {
        let buffer = input.fill_buf()?;
        if buffer.is_empty() {
            if !any {
                return Ok(Line::End);
            }
            break;
        }
        any = true;
        let end = buffer.iter().position(|&byte| byte == b'\n');
        let taken = end.unwrap_or(buffer.len());
        too_long |= line.len() + taken > MAX_LINE;
        if !too_long {
            line.extend_from_slice(&buffer[..taken]);
        }
        input.consume(end.map_or(taken, |end| end + 1));
        if end.is_some() {
            break;
        }
    }
    if too_long {
        return Ok(Line::TooLong);
    }
    Ok(String::from_utf8(line).map_or(Line::NotText, Line::Text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_ends_at_its_newline_and_the_last_may_lack_one() {
        let mut input = "one\ntwo".as_bytes();
        assert_eq!(read_line(&mut input).unwrap(), Line::Text("one".into()));
        assert_eq!(read_line(&mut input).unwrap(), Line::Text("two".into()));
        assert_eq!(read_line(&mut input).unwrap(), Line::End);
    }

    #[test]
    fn a_line_beyond_the_limit_is_skipped_and_the_next_is_read() {
        let mut text = vec![b'x'; MAX_LINE + 1];
        text.extend_from_slice(b"\nnext\n");
        let mut input = io::BufReader::new(&text[..]);
        assert_eq!(read_line(&mut input).unwrap(), Line::TooLong);
        assert_eq!(read_line(&mut input).unwrap(), Line::Text("next".into()));
    }

    #[test]
    fn bytes_that_are_not_utf8_are_named_as_such() {
        assert_eq!(read_line(&mut &b"\xff\xfe\n"[..]).unwrap(), Line::NotText);
    }
}
