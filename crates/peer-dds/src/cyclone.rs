//! Binding to Cyclone DDS: domains with one participant, writers and readers.

use std::ffi::{CStr, CString, c_char, c_void};
use std::time::Duration;

use wirelab_dds::{Guid, RawListener, ReaderListener};
use wirelab_peer::Fault;

/// An entity handle, or a negative error code.
type Entity = i32;

/// Cyclone's default domain. Trials are separated by ports and networks.
const DOMAIN: u32 = 0;
const TIMEOUT: i32 = -10;

/// QoS policies in the C layout of `shim.c`.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Settings {
    pub reliable: bool,
    pub transient_local: bool,
    /// History depth; 0 keeps all samples.
    pub depth: i32,
    /// 0 means forever.
    pub lifespan_ns: i64,
}

unsafe extern "C" {
    safe fn wl_version() -> *const c_char;
    fn wl_topic(participant: Entity, name: *const c_char) -> Entity;
    fn wl_writer(participant: Entity, topic: Entity, settings: *const Settings) -> Entity;
    fn wl_reader(
        participant: Entity,
        topic: Entity,
        settings: *const Settings,
        listener: *mut RawListener,
    ) -> Entity;
    fn wl_write(writer: Entity, bytes: *const u8, length: u32) -> i32;
    fn dds_create_domain(domain: u32, configuration: *const c_char) -> Entity;
    fn dds_create_participant(domain: u32, qos: *const c_void, listener: *const c_void) -> Entity;
    safe fn dds_delete(entity: Entity) -> i32;
    safe fn dds_write_flush(writer: Entity) -> i32;
    fn dds_get_guid(entity: Entity, guid: *mut Guid) -> i32;
    fn dds_get_matched_subscriptions(writer: Entity, readers: *mut u64, most: usize) -> i32;
    safe fn dds_wait_for_acks(writer: Entity, timeout: i64) -> i32;
    safe fn dds_strretcode(code: i32) -> *const c_char;
}

/// The version of the library at compile time.
pub fn version() -> String {
    text(wl_version())
}

/// A participant in a domain with its own configuration. Dropping it deletes all its writers and
/// readers.
pub struct Participant {
    domain: Entity,
    participant: Entity,
}

impl Participant {
    /// Joins with Cyclone's XML configuration.
    ///
    /// # Errors
    /// A fatal fault; Cyclone writes the details to standard error.
    pub fn join(configuration: &str) -> Result<Self, Fault> {
        let configuration = c_string("configuration", configuration)?;
        // SAFETY: the string outlives the call, which copies it.
        let domain = check("configure", unsafe {
            dds_create_domain(DOMAIN, configuration.as_ptr())
        })?;
        // SAFETY: null selects the default QoS and no listener.
        let participant = check("join the domain", unsafe {
            dds_create_participant(DOMAIN, std::ptr::null(), std::ptr::null())
        });
        match participant {
            Ok(participant) => Ok(Self {
                domain,
                participant,
            }),
            Err(fault) => {
                dds_delete(domain);
                Err(fault)
            }
        }
    }

    /// A writer on a topic.
    ///
    /// # Errors
    /// A fatal fault that names the topic.
    pub fn writer(&self, topic: &str, settings: &Settings) -> Result<Writer, Fault> {
        let handle = self.topic(topic)?;
        // SAFETY: `settings` outlives the call, which copies it.
        let writer = unsafe { wl_writer(self.participant, handle, settings) };
        check(&format!("write to {topic}"), writer).map(Writer)
    }

    /// A reader on a topic.
    ///
    /// # Errors
    /// A fatal fault that names the topic.
    pub fn reader<H: ReaderListener>(
        &self,
        topic: &str,
        settings: &Settings,
        listener: H,
    ) -> Result<Reader, Fault> {
        let handle = self.topic(topic)?;
        // Never freed: the listener keeps it.
        let raw = Box::into_raw(Box::new(RawListener::new(listener)));
        // SAFETY: `settings` outlives the call, which copies it; the listener is never freed.
        let reader = unsafe { wl_reader(self.participant, handle, settings, raw) };
        check(&format!("read from {topic}"), reader).map(Reader)
    }

    fn topic(&self, name: &str) -> Result<Entity, Fault> {
        let c_name = c_string("topic", name)?;
        // SAFETY: the string outlives the call, which copies it.
        let topic = unsafe { wl_topic(self.participant, c_name.as_ptr()) };
        check(&format!("topic {name}"), topic)
    }
}

impl Drop for Participant {
    fn drop(&mut self) {
        dds_delete(self.participant);
        dds_delete(self.domain);
    }
}

/// A writer; it is deleted with its participant.
#[derive(Clone, Copy)]
pub struct Writer(Entity);

impl Writer {
    /// Hands a message to Cyclone; blocks while a reliable reader is too far behind.
    ///
    /// # Errors
    /// A fatal fault.
    pub fn write(self, message: &[u8]) -> Result<(), Fault> {
        let length = u32::try_from(message.len())
            .map_err(|_| Fault::fatal("write", "message too large: the limit is 4 GiB"))?;
        // SAFETY: `message` is `length` bytes that outlive the call, which serializes them.
        check("write", unsafe {
            wl_write(self.0, message.as_ptr(), length)
        })
        .map(drop)
    }

    /// Sends the pending batch.
    ///
    /// # Errors
    /// A fatal fault.
    pub fn flush(self) -> Result<(), Fault> {
        check("flush", dds_write_flush(self.0)).map(drop)
    }

    /// The GUID of the writer.
    ///
    /// # Errors
    /// A fatal fault.
    pub fn guid(self) -> Result<Guid, Fault> {
        let mut guid = Guid::default();
        // SAFETY: the call writes 16 bytes, the size of Cyclone's structure.
        let code = unsafe { dds_get_guid(self.0, &raw mut guid) };
        check("name the writer", code).map(|_| guid)
    }

    /// Number of matched readers.
    ///
    /// # Errors
    /// A fatal fault.
    pub fn matched(self) -> Result<usize, Fault> {
        // SAFETY: the call returns only the number of handles.
        let known = unsafe { dds_get_matched_subscriptions(self.0, std::ptr::null_mut(), 0) };
        check("look for readers", known).map(|known| known as usize)
    }

    /// Waits at most `within`. Returns whether all reliable readers have acknowledged everything.
    ///
    /// # Errors
    /// A fatal fault.
    pub fn acknowledged(self, within: Duration) -> Result<bool, Fault> {
        match dds_wait_for_acks(self.0, within.as_nanos() as i64) {
            TIMEOUT => Ok(false),
            code => check("wait for acknowledgements", code).map(|_| true),
        }
    }
}

/// A reader; it is deleted with its participant.
pub struct Reader(#[expect(dead_code, reason = "the handle is the reader")] Entity);

fn check(what: &str, code: i32) -> Result<Entity, Fault> {
    match code {
        0.. => Ok(code),
        _ => Err(Fault::fatal(what, text(dds_strretcode(code)))),
    }
}

fn text(c: *const c_char) -> String {
    // SAFETY: both functions return constants of the library.
    unsafe { CStr::from_ptr(c) }.to_string_lossy().into_owned()
}

fn c_string(what: &str, value: &str) -> Result<CString, Fault> {
    CString::new(value).map_err(|error| Fault::fatal(what, error))
}
