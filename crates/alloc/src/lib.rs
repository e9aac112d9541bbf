//! Counts the memory allocations of a process. Preloaded with LD_PRELOAD, it replaces the C
//! library's malloc for Rust and C++.
//!
//! Programs find [`wl_alloc_counters`] with dlsym. Preloading keeps the counters out of processes
//! whose time is measured. Memory that bypasses malloc (mmap) is not counted. The glibc functions
//! called here exist for such libraries.

use std::ffi::{c_int, c_void};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

unsafe extern "C" {
    fn __libc_malloc(size: usize) -> *mut c_void;
    fn __libc_calloc(count: usize, size: usize) -> *mut c_void;
    fn __libc_realloc(old: *mut c_void, size: usize) -> *mut c_void;
    fn __libc_memalign(align: usize, size: usize) -> *mut c_void;
    fn __libc_free(block: *mut c_void);
    fn malloc_usable_size(block: *mut c_void) -> usize;
}

static ALLOCATIONS: AtomicU64 = AtomicU64::new(0);
static BYTES: AtomicU64 = AtomicU64::new(0);
static LIVE: AtomicU64 = AtomicU64::new(0);
static PEAK: AtomicU64 = AtomicU64::new(0);

/// Counters since the start of the process. The peak is since the last call with `restart`.
#[repr(C)]
pub struct Counters {
    /// Calls of malloc, calloc and memalign, and of realloc that allocated or grew a block.
    pub allocations: u64,
    /// Bytes requested; a realloc counts its whole new size.
    pub bytes: u64,
    /// Bytes of blocks not yet freed, as rounded by the allocator.
    pub live: u64,
    /// Maximum of `live`.
    pub peak: u64,
}

/// Writes the counters to `out`. `restart` resets the peak to the live bytes.
///
/// # Safety
/// `out` must be writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wl_alloc_counters(out: *mut Counters, restart: c_int) {
    let live = LIVE.load(Relaxed);
    let counters = Counters {
        allocations: ALLOCATIONS.load(Relaxed),
        bytes: BYTES.load(Relaxed),
        live,
        peak: PEAK.load(Relaxed).max(live),
    };
    // SAFETY: the caller provides valid memory.
    unsafe { out.write(counters) };
    if restart != 0 {
        PEAK.store(live, Relaxed);
    }
}

fn count(block: *mut c_void, asked: usize) -> *mut c_void {
    if !block.is_null() {
        ALLOCATIONS.fetch_add(1, Relaxed);
        BYTES.fetch_add(asked as u64, Relaxed);
        // SAFETY: the allocator has just returned this block.
        let size = unsafe { malloc_usable_size(block) } as u64;
        let live = LIVE.fetch_add(size, Relaxed) + size;
        PEAK.fetch_max(live, Relaxed);
    }
    block
}

fn forget(size: usize) {
    LIVE.fetch_sub(size as u64, Relaxed);
}

/// The C library's malloc, counted.
///
/// # Safety
/// As malloc(3).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn malloc(size: usize) -> *mut c_void {
    // SAFETY: same contract as the caller's.
    count(unsafe { __libc_malloc(size) }, size)
}

/// The C library's calloc, counted.
///
/// # Safety
/// As calloc(3).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn calloc(items: usize, size: usize) -> *mut c_void {
    // SAFETY: same contract as the caller's.
    count(
        unsafe { __libc_calloc(items, size) },
        items.saturating_mul(size),
    )
}

/// The C library's realloc, counted.
///
/// # Safety
/// As realloc(3).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn realloc(old: *mut c_void, size: usize) -> *mut c_void {
    // SAFETY: same contract as the caller's; the size of a null block is 0.
    let (before, fresh) = unsafe { (malloc_usable_size(old), __libc_realloc(old, size)) };
    if !fresh.is_null() || size == 0 {
        forget(before);
    }
    if size > before {
        return count(fresh, size);
    }
    if !fresh.is_null() {
        // SAFETY: the allocator has just returned this block.
        let kept = unsafe { malloc_usable_size(fresh) } as u64;
        LIVE.fetch_add(kept, Relaxed);
    }
    fresh
}

/// The C library's memalign, counted.
///
/// # Safety
/// As memalign(3).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn memalign(align: usize, size: usize) -> *mut c_void {
    // SAFETY: same contract as the caller's.
    count(unsafe { __libc_memalign(align, size) }, size)
}

/// The C library's aligned_alloc, counted.
///
/// # Safety
/// As aligned_alloc(3).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aligned_alloc(align: usize, size: usize) -> *mut c_void {
    // SAFETY: same contract as the caller's.
    unsafe { memalign(align, size) }
}

/// The C library's posix_memalign, counted.
///
/// # Safety
/// As posix_memalign(3).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn posix_memalign(out: *mut *mut c_void, align: usize, size: usize) -> c_int {
    if !align.is_power_of_two() || align < size_of::<usize>() {
        return libc::EINVAL;
    }
    // SAFETY: same contract as the caller's.
    let block = unsafe { memalign(align, size) };
    if block.is_null() {
        return libc::ENOMEM;
    }
    // SAFETY: the caller provides valid memory.
    unsafe { out.write(block) };
    0
}

/// The C library's free, counted.
///
/// # Safety
/// As free(3).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn free(block: *mut c_void) {
    // SAFETY: same contract as the caller's; the size of a null block is 0.
    unsafe {
        forget(malloc_usable_size(block));
        __libc_free(block);
    }
}
