//! Memory that the system refuses (`ulimit -v`, RLIMIT_DATA, strict overcommit): an error, not the end of the process.
//!
//! Rust has no stable way to go on after a failed allocation: its collections abort, and an allocator must not unwind.
//! So the allocator sets address space aside while memory is limited: twice what large blocks take, which is enough for
//! all of them to grow at once. If the system refuses a block, or the space to set aside for it, the allocator gives up
//! that space, notes that memory is short, and goes on. Loops of the kernel `check()`, and unwind from there.
//!
//! A thread watches while a limit is in force: Python 3.11 can wait for ever for the few bytes that an exception handler
//! takes. When no address is left, the thread gives up what was set aside, so that Python gets to its own error.
//!
//! Nothing is set aside while no limit is in force: it costs a comparison for each block of a megabyte or more.
//! A block that is refused even so ends the process with the last words, see `prepare`; what may be as large as a whole
//! input asks for `room` first.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::collections::TryReserveError;
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::OnceLock;
use std::thread;
use std::time::Duration;

/// The allocator of the kernel.
pub struct Careful;

#[global_allocator]
static ALLOCATOR: Careful = Careful;

/// Blocks of this size are counted. Smaller ones fit into what is always set aside.
const LARGE: usize = 1 << 20;
/// What is set aside at least. More than any threshold up to which the system's allocator keeps freed blocks.
const LEAST: usize = 40 << 20;
/// What is set aside for each large byte: a hash table that grows needs its double while the old one is there.
const FOR_EACH: usize = 2;
/// The space set aside grows and shrinks by multiples of this.
const STEP: usize = 16 << 20;

/// What must be there when the thread looks: less than a block of Python's own allocator.
const LEAST_LEFT: usize = 256 << 10;
/// How long the thread waits between two looks.
const BETWEEN_LOOKS: Duration = Duration::from_millis(20);
/// Its stack.
const WATCH_STACK: usize = 64 << 10;

/// Bytes in large blocks.
static LARGE_BYTES: AtomicUsize = AtomicUsize::new(0);
/// Whether memory was refused and has not come back.
static IS_SHORT: AtomicBool = AtomicBool::new(false);
/// Whether there was a limit when it was last looked for.
static IS_LIMITED: AtomicBool = AtomicBool::new(false);

/// Whether the thread watches.
static IS_WATCHED: AtomicBool = AtomicBool::new(false);

thread_local! {
    /// Whether this thread can be refused memory: it asked for `room`.
    static IS_ASKING: Cell<bool> = const { Cell::new(false) };
}

/// What the process says and how it ends if there is no other way.
static LAST_WORDS: OnceLock<(Vec<u8>, i32)> = OnceLock::new();

/// A panic of ours: memory was refused.
pub struct Refused;

/// Go on only if memory was not refused. For loops whose results grow.
#[inline(always)]
pub fn check() {
    if IS_SHORT.load(Ordering::Relaxed) {
        check_again();
    }
}

/// Whether there is memory: false after a refusal, until what was given up can be set aside again.
pub fn is_enough() -> bool {
    if !IS_SHORT.load(Ordering::Relaxed) {
        return true;
    }
    let mut aside = Aside::locked();
    let is_back = aside.fit(wanted());
    if !is_back {
        // Unwinding, and the error that Python makes of it, need room.
        aside.give_up();
    }
    IS_SHORT.store(!is_back, Ordering::Relaxed);
    is_back
}

#[cold]
fn check_again() {
    if !is_enough() {
        // Not `panic!`: that would print a message.
        std::panic::resume_unwind(Box::new(Refused));
    }
}

/// Unwind unless that many bytes can be had at once. Before a step that takes much more than is held so far.
pub fn room(bytes: usize) {
    if bytes >= LARGE && attempt(bytes).is_err() {
        std::panic::resume_unwind(Box::new(Refused));
    }
    check();
}

fn attempt(bytes: usize) -> Result<(), TryReserveError> {
    IS_ASKING.set(true);
    let outcome = Vec::<u8>::new().try_reserve_exact(bytes);
    IS_ASKING.set(false);
    outcome
}

/// Set the first space aside, and say how the process ends if nothing else helps.
pub fn prepare(message: Vec<u8>, exit_code: i32) {
    let _ = LAST_WORDS.set((message, exit_code));
    provide();
}

/// Watch from here on, if there is a limit. Not for the allocator: a thread takes memory.
#[inline]
pub fn watch() {
    if IS_LIMITED.load(Ordering::Relaxed) && !IS_WATCHED.swap(true, Ordering::Relaxed) {
        let begun = thread::Builder::new().name("xylem-memory".into()).stack_size(WATCH_STACK).spawn(look);
        IS_WATCHED.store(begun.is_ok(), Ordering::Relaxed);
    }
}

/// Look until there is no limit.
fn look() {
    while limits::are_set() {
        match limits::map(LEAST_LEFT) {
            Some(start) => limits::unmap(start, LEAST_LEFT),
            None => {
                Aside::locked().give_up();
                IS_SHORT.store(true, Ordering::Relaxed);
            }
        }
        thread::sleep(BETWEEN_LOOKS);
    }
    IS_WATCHED.store(false, Ordering::Relaxed);
}

fn wanted() -> usize {
    let wanted = LARGE_BYTES.load(Ordering::Relaxed).saturating_mul(FOR_EACH).saturating_add(LEAST);
    wanted.div_ceil(STEP).saturating_mul(STEP)
}

/// Set aside what belongs to the blocks there are.
fn provide() {
    let is_limited = limits::are_set();
    IS_LIMITED.store(is_limited, Ordering::Relaxed);
    let mut aside = Aside::locked();
    if !is_limited {
        aside.give_up();
        IS_SHORT.store(false, Ordering::Relaxed);
    } else if !IS_SHORT.load(Ordering::Relaxed) && !aside.fit(wanted()) {
        IS_SHORT.store(true, Ordering::Relaxed);
    }
}

fn grew(by: usize) {
    LARGE_BYTES.fetch_add(by, Ordering::Relaxed);
    provide();
}

fn shrank(by: usize) {
    LARGE_BYTES.fetch_sub(by, Ordering::Relaxed);
    if IS_LIMITED.load(Ordering::Relaxed) {
        provide();
    }
}

/// A block was refused: once more, with what was set aside.
#[cold]
fn once_more(size: usize, attempt: impl Fn() -> *mut u8) -> *mut u8 {
    if IS_ASKING.get() {
        return ptr::null_mut();
    }
    Aside::locked().give_up();
    IS_SHORT.store(true, Ordering::Relaxed);
    IS_LIMITED.store(true, Ordering::Relaxed);
    let found = attempt();
    if found.is_null() {
        end();
    }
    if size >= LARGE {
        LARGE_BYTES.fetch_add(size, Ordering::Relaxed);
    }
    found
}

/// Without any memory, nothing is left but to say so.
fn end() -> ! {
    match LAST_WORDS.get() {
        Some((message, exit_code)) => limits::exit(message, *exit_code),
        None => std::process::abort(),
    }
}

// SAFETY: every block comes from the system's allocator with the layout given, and goes back to it with the same one;
// nothing here unwinds, and nothing but `System` is asked for memory.
unsafe impl GlobalAlloc for Careful {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promises are those that `System` asks for.
        let attempt = || unsafe { System.alloc(layout) };
        let found = attempt();
        if found.is_null() {
            return once_more(layout.size(), attempt);
        }
        if layout.size() >= LARGE {
            grew(layout.size());
        }
        found
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promises are those that `System` asks for.
        let attempt = || unsafe { System.alloc_zeroed(layout) };
        let found = attempt();
        if found.is_null() {
            return once_more(layout.size(), attempt);
        }
        if layout.size() >= LARGE {
            grew(layout.size());
        }
        found
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: the block came from `System` with this layout.
        unsafe { System.dealloc(block, layout) };
        if layout.size() >= LARGE {
            shrank(layout.size());
        }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        // SAFETY: the block came from `System` with this layout; a refusal leaves it as it is.
        let attempt = || unsafe { System.realloc(block, layout, new_size) };
        let mut found = attempt();
        let is_late = found.is_null();
        if is_late {
            found = once_more(new_size, attempt);
            if found.is_null() {
                return found;
            }
        }
        if layout.size() >= LARGE {
            LARGE_BYTES.fetch_sub(layout.size(), Ordering::Relaxed);
        }
        if !is_late {
            if new_size >= LARGE {
                grew(new_size);
            } else if layout.size() >= LARGE {
                shrank(0);
            }
        }
        found
    }
}

/// The space set aside, behind a lock that takes no memory.
struct Aside;

static IS_LOCKED: AtomicBool = AtomicBool::new(false);
static START: AtomicUsize = AtomicUsize::new(0);
static BYTES: AtomicUsize = AtomicUsize::new(0);

impl Aside {
    fn locked() -> Aside {
        while IS_LOCKED.compare_exchange_weak(false, true, Ordering::Acquire, Ordering::Relaxed).is_err() {
            thread::yield_now();
        }
        Aside
    }

    /// Set that many bytes aside; false if they cannot be had, and what there was stays.
    fn fit(&mut self, wanted: usize) -> bool {
        let now = BYTES.load(Ordering::Relaxed);
        if now >= wanted && now - wanted < LEAST {
            return true;
        }
        self.give_up();
        if self.take(wanted) {
            return true;
        }
        if now < wanted {
            self.take(now);
        }
        false
    }

    fn take(&mut self, bytes: usize) -> bool {
        let Some(start) = limits::map(bytes) else { return false };
        START.store(start, Ordering::Relaxed);
        BYTES.store(bytes, Ordering::Relaxed);
        true
    }

    fn give_up(&mut self) {
        let bytes = BYTES.swap(0, Ordering::Relaxed);
        if bytes > 0 {
            limits::unmap(START.swap(0, Ordering::Relaxed), bytes);
        }
    }
}

impl Drop for Aside {
    fn drop(&mut self) {
        IS_LOCKED.store(false, Ordering::Release);
    }
}

#[cfg(target_os = "linux")]
mod limits {
    //! What Linux limits, and its address space.

    use std::sync::OnceLock;

    /// Whether the system may refuse memory: by a limit of the process, or because it never promises more than it has.
    pub fn are_set() -> bool {
        is_set(libc::RLIMIT_AS) || is_set(libc::RLIMIT_DATA) || is_strict()
    }

    fn is_set(resource: libc::__rlimit_resource_t) -> bool {
        let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
        // SAFETY: the structure is there, and the call writes nothing else.
        let outcome = unsafe { libc::getrlimit(resource, &mut limit) };
        outcome == 0 && limit.rlim_cur != libc::RLIM_INFINITY
    }

    fn is_strict() -> bool {
        static IS_STRICT: OnceLock<bool> = OnceLock::new();
        *IS_STRICT.get_or_init(|| {
            let mut word = [0u8; 1];
            // SAFETY: the path ends with a zero byte, the buffer has room for the byte, and the descriptor is ours.
            unsafe {
                let file = libc::open(c"/proc/sys/vm/overcommit_memory".as_ptr(), libc::O_RDONLY | libc::O_CLOEXEC);
                if file >= 0 {
                    libc::read(file, word.as_mut_ptr().cast(), 1);
                    libc::close(file);
                }
            }
            word[0] == b'2'
        })
    }

    /// Address space that counts as memory of the process and takes none.
    pub fn map(bytes: usize) -> Option<usize> {
        let (access, kind) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
        // SAFETY: a new mapping at a place the system chooses touches no other.
        let start = unsafe { libc::mmap(std::ptr::null_mut(), bytes, access, kind, -1, 0) };
        (start != libc::MAP_FAILED).then_some(start as usize)
    }

    /// Return what `map` gave.
    pub fn unmap(start: usize, bytes: usize) {
        // SAFETY: it is a mapping of `map` that nothing refers to.
        unsafe { libc::munmap(start as *mut libc::c_void, bytes) };
    }

    /// End the process, without anything that might take memory.
    pub fn exit(message: &[u8], code: i32) -> ! {
        // SAFETY: the buffer is there; `_exit` runs nothing of ours.
        unsafe {
            libc::write(2, message.as_ptr().cast(), message.len());
            libc::_exit(code)
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod limits {
    //! Other systems do not limit address space, or do not tell.

    pub fn are_set() -> bool {
        false
    }

    pub fn map(_bytes: usize) -> Option<usize> {
        None
    }

    pub fn unmap(_start: usize, _bytes: usize) {}

    pub fn exit(message: &[u8], code: i32) -> ! {
        use std::io::Write;
        let _ = std::io::stderr().write_all(message);
        std::process::exit(code)
    }
}
