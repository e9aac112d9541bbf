//! Binding to Fast DDS: a participant, its writers and readers.

use std::ffi::{CStr, CString};
use std::ptr::NonNull;
use std::thread;
use std::time::{Duration, Instant};

use wirelab_dds::{Guid, RawListener, ReaderListener};
use wirelab_peer::Fault;

use crate::bindings::{self, RawDomain, RawParticipant, RawWriter, Settings};

/// Return codes of the standard (DDS 1.4, 2.2.1.1).
const OK: u32 = 0;
const ERROR: u32 = 1;
const TIMEOUT: u32 = 10;
/// The shim stores the length of a message with its CDR header in 32 bits.
const LARGEST: u32 = u32::MAX - 8;
const POLL_INTERVAL: Duration = Duration::from_millis(5);

/// The configuration of a participant.
pub struct Domain {
    /// IPv4 address to bind to.
    pub own: CString,
    /// Base port of RTPS.
    pub port: u16,
    /// Whether there is no multicast, so that participants are discovered by address.
    pub loopback: bool,
    /// Maximum UDP payload in bytes.
    pub packet: u32,
    pub lease: Duration,
    /// Bytes per period of the flow controller; 0 for none.
    pub flow_bytes: i32,
    pub flow_period: Duration,
}

/// The version of the library at compile time.
pub fn version() -> String {
    // SAFETY: a constant of the library.
    unsafe { CStr::from_ptr(bindings::wl_version()) }
        .to_string_lossy()
        .into_owned()
}

/// Waits at most `within` until Fast DDS accepts the interface with this address.
pub fn wait_for_interface(own: &CStr, within: Duration) -> bool {
    let until = Instant::now() + within;
    // SAFETY: the string outlives the call.
    while !unsafe { bindings::wl_reaches(own.as_ptr()) } {
        if Instant::now() > until {
            return false;
        }
        thread::sleep(POLL_INTERVAL);
    }
    true
}

/// A participant. Dropping it deletes all its writers and readers.
pub struct Participant {
    raw: NonNull<RawParticipant>,
    /// Multicast port for data (DDSI-RTPS 2.3, 9.6.1.1: PB + d2).
    data_port: u16,
}

// SAFETY: Fast DDS's entities are thread-safe.
unsafe impl Send for Participant {}

impl Participant {
    /// Joins.
    ///
    /// # Errors
    /// A fatal fault; Fast DDS writes the details to standard error.
    pub fn join(domain: &Domain) -> Result<Self, Fault> {
        let raw = RawDomain {
            own: domain.own.as_ptr(),
            port: domain.port,
            loopback: domain.loopback,
            packet: domain.packet,
            lease_ns: domain.lease.as_nanos() as i64,
            flow_bytes: domain.flow_bytes,
            flow_period_ms: domain.flow_period.as_millis() as u64,
        };
        // SAFETY: `raw` and its string outlive the call, which copies them.
        let participant = unsafe { bindings::wl_join(&raw) };
        Ok(Self {
            raw: made("join the domain", participant)?,
            data_port: domain.port.wrapping_add(1),
        })
    }

    /// A writer on a topic.
    ///
    /// # Errors
    /// A fatal fault that names the topic.
    pub fn writer(&self, topic: &str, settings: &Settings) -> Result<Writer, Fault> {
        let name = c_string(topic)?;
        // SAFETY: both outlive the call, which copies them.
        let writer = unsafe { bindings::wl_writer(self.raw, name.as_ptr(), settings) };
        made(&format!("write to {topic}"), writer).map(Writer)
    }

    /// A reader on a topic; it is deleted with the participant.
    ///
    /// # Errors
    /// A fatal fault that names the topic.
    pub fn reader<H: ReaderListener>(
        &self,
        topic: &str,
        settings: &Settings,
        listener: H,
    ) -> Result<(), Fault> {
        let name = c_string(topic)?;
        let raw = RawListener::new(listener);
        // SAFETY: all outlive the call, which copies them; the listener is never freed.
        let reader =
            unsafe { bindings::wl_reader(self.raw, name.as_ptr(), settings, &raw, self.data_port) };
        made(&format!("read from {topic}"), reader).map(drop)
    }
}

impl Drop for Participant {
    fn drop(&mut self) {
        // SAFETY: neither the participant nor its writers are in use any more: their owners drop
        // those first.
        unsafe { bindings::wl_leave(self.raw) }
    }
}

/// A writer; its owner keeps the participant alive.
#[derive(Clone, Copy)]
pub struct Writer(NonNull<RawWriter>);

// SAFETY: Fast DDS's entities are thread-safe.
unsafe impl Send for Writer {}

impl Writer {
    /// Hands a message to Fast DDS; blocks while a reliable reader is too far behind.
    ///
    /// # Errors
    /// A fatal fault.
    pub fn write(self, message: &[u8]) -> Result<(), Fault> {
        let length = u32::try_from(message.len())
            .ok()
            .filter(|length| *length <= LARGEST)
            .ok_or_else(|| Fault::fatal("write", "message too large: the limit is 4 GiB"))?;
        // SAFETY: `message` is `length` bytes that outlive the call, which serializes them.
        let write = || unsafe { bindings::wl_write(self.0, message.as_ptr(), length) };
        // In 2.9.1, a writer that waits with a full history returns a timeout if everything is
        // acknowledged at once. A retry then succeeds.
        let code = match write() {
            TIMEOUT => write(),
            code => code,
        };
        match code {
            OK => Ok(()),
            code => Err(failed("write", code)),
        }
    }

    /// The GUID of the writer.
    pub fn guid(self) -> Guid {
        let mut guid = Guid::default();
        // SAFETY: the writer is alive, and the call writes 16 bytes.
        unsafe { bindings::wl_guid(self.0, &raw mut guid) };
        guid
    }

    /// Number of matched readers.
    pub fn matched(self) -> usize {
        // SAFETY: the writer is alive.
        let known = unsafe { bindings::wl_matched(self.0) };
        usize::try_from(known).unwrap_or(0)
    }

    /// Waits at most `within`. Returns whether all reliable readers have acknowledged everything.
    ///
    /// # Errors
    /// A fatal fault.
    pub fn acknowledged(self, within: Duration) -> Result<bool, Fault> {
        // SAFETY: the writer is alive.
        match unsafe { bindings::wl_acknowledged(self.0, within.as_nanos() as i64) } {
            OK => Ok(true),
            // The standard has a separate code for a timeout.
            ERROR => Ok(false),
            code => Err(failed("wait for acknowledgements", code)),
        }
    }
}

fn made<T>(what: &str, raw: *mut T) -> Result<NonNull<T>, Fault> {
    NonNull::new(raw)
        .ok_or_else(|| Fault::fatal(what, "refused by Fast DDS; the reason is on standard error"))
}

fn failed(what: &str, code: u32) -> Fault {
    Fault::fatal(what, format!("Fast DDS returned code {code}"))
}

fn c_string(topic: &str) -> Result<CString, Fault> {
    CString::new(topic).map_err(|error| Fault::fatal(format!("topic {topic}"), error))
}
