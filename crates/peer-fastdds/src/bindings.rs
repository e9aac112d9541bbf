//! Declarations of `shim.cpp` and its C layouts; `ffi` documents the calls.

use std::ffi::{c_char, c_void};
use std::ptr::NonNull;

use wirelab_dds::{Guid, RawListener};

/// QoS policies.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Settings {
    pub reliable: bool,
    pub transient_local: bool,
    pub multicast: bool,
    /// Whether messages pass the flow controller.
    pub controlled: bool,
    /// History depth; 0 keeps all samples.
    pub depth: i32,
    /// Maximum samples of a writer or reader that keeps all.
    pub samples: i32,
    /// 0 means forever.
    pub lifespan_ns: i64,
    pub heartbeat_ns: i64,
}

#[repr(C)]
pub struct RawDomain {
    pub own: *const c_char,
    pub port: u16,
    pub loopback: bool,
    pub packet: u32,
    pub lease_ns: i64,
    pub flow_bytes: i32,
    pub flow_period_ms: u64,
}

#[repr(C)]
pub struct RawParticipant(c_void);

#[repr(C)]
pub struct RawWriter(c_void);

unsafe extern "C" {
    pub safe fn wl_version() -> *const c_char;
    pub fn wl_reaches(own: *const c_char) -> bool;
    pub fn wl_join(domain: *const RawDomain) -> *mut RawParticipant;
    pub fn wl_leave(participant: NonNull<RawParticipant>);
    pub fn wl_writer(
        participant: NonNull<RawParticipant>,
        topic: *const c_char,
        settings: *const Settings,
    ) -> *mut RawWriter;
    pub fn wl_reader(
        participant: NonNull<RawParticipant>,
        topic: *const c_char,
        settings: *const Settings,
        listener: *const RawListener,
        port: u16,
    ) -> *mut c_void;
    pub fn wl_write(writer: NonNull<RawWriter>, bytes: *const u8, length: u32) -> u32;
    pub fn wl_guid(writer: NonNull<RawWriter>, guid: *mut Guid);
    pub fn wl_matched(writer: NonNull<RawWriter>) -> i32;
    pub fn wl_acknowledged(writer: NonNull<RawWriter>, within_ns: i64) -> u32;
}
