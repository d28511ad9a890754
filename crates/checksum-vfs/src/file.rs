//! An open database file: that of the system, whose pages are compared with their checksums.

use std::ffi::{c_int, c_void};
use std::{ptr, slice};

use rusqlite::ffi::{self, sqlite3_file, sqlite3_int64, sqlite3_io_methods};

use crate::page::{self, HEADER, RESERVED};

/// The operation of `sqlite3_file_control` that returns whether pages have checksums. Those below 100 are SQLite's.
pub(crate) const HAS_CHECKSUMS: c_int = 0x7763_6b73;

/// Precedes the file of the system in the memory that SQLite allocates for a file.
#[repr(C)]
struct File {
    base: sqlite3_file,
    /// Whether pages have checksums. Once they have, they keep them.
    has_checksums: bool,
}

/// What the header of a file says of its pages.
enum Format {
    /// There is no header yet: it becomes a file with checksums.
    Empty,
    WithChecksums,
    Plain,
}

impl Format {
    fn of(header: &[u8]) -> Self {
        match page::reserved_bytes(header) {
            Some(reserved) if usize::from(reserved) == RESERVED => Self::WithChecksums,
            _ => Self::Plain,
        }
    }
}

/// Bytes of a file, with those of the system's.
pub(crate) fn size(system: c_int) -> c_int {
    size_of::<File>() as c_int + system
}

/// The file of the system within a file.
///
/// # Safety
///
/// The file must have the memory of [`size`].
pub(crate) unsafe fn system(file: *mut sqlite3_file) -> *mut sqlite3_file {
    // SAFETY: by the caller. The size is a multiple of the alignment.
    unsafe { file.cast::<File>().add(1).cast() }
}

/// Begins a file, whose file of the system was opened or failed to.
///
/// # Safety
///
/// The file must have the memory of [`size`], and the file of the system must be set.
pub(crate) unsafe fn init(file: *mut sqlite3_file) {
    // SAFETY: by the caller.
    unsafe {
        let is_open = !(*system(file)).pMethods.is_null();
        let methods: *const sqlite3_io_methods = if is_open { &METHODS } else { ptr::null() };
        file.cast::<File>().write(File {
            base: sqlite3_file { pMethods: methods },
            has_checksums: false,
        });
    }
}

static METHODS: sqlite3_io_methods = sqlite3_io_methods {
    iVersion: 3,
    xClose: Some(close),
    xRead: Some(read),
    xWrite: Some(write),
    xTruncate: Some(truncate),
    xSync: Some(sync),
    xFileSize: Some(file_size),
    xLock: Some(lock),
    xUnlock: Some(unlock),
    xCheckReservedLock: Some(check_reserved_lock),
    xFileControl: Some(file_control),
    xSectorSize: Some(sector_size),
    xDeviceCharacteristics: Some(device_characteristics),
    xShmMap: Some(shm_map),
    xShmLock: Some(shm_lock),
    xShmBarrier: Some(shm_barrier),
    xShmUnmap: Some(shm_unmap),
    xFetch: Some(fetch),
    xUnfetch: Some(unfetch),
};

/// Reads, and fails with `SQLITE_IOERR_DATA` where a page does not match its checksum.
unsafe extern "C" fn read(file: *mut sqlite3_file, buffer: *mut c_void, length: c_int, offset: sqlite3_int64) -> c_int {
    // SAFETY: SQLite passes an open file and a buffer of the length.
    let (code, bytes) = unsafe {
        let code = system_read(file, buffer, length, offset);
        (
            code,
            slice::from_raw_parts(buffer.cast::<u8>(), length.unsigned_abs() as usize),
        )
    };
    let offset = offset.unsigned_abs();
    if code != ffi::SQLITE_OK || !page::is_page(bytes.len(), offset) {
        return code;
    }
    // SAFETY: it is open.
    match unsafe { format(file) } {
        Format::WithChecksums if !page::is_intact(bytes, offset) => ffi::SQLITE_IOERR_DATA,
        _ => code,
    }
}

/// Writes, a page with its checksum.
unsafe extern "C" fn write(
    file: *mut sqlite3_file,
    buffer: *const c_void,
    length: c_int,
    offset: sqlite3_int64,
) -> c_int {
    let (bytes, at) = (length.unsigned_abs() as usize, offset.unsigned_abs());
    // SAFETY: SQLite passes an open file and a buffer of the length. What it lets a VFS write is a page of its cache or a copy
    // of one; the reserved bytes at the end are the VFS's, and nobody else has the page meanwhile.
    unsafe {
        if page::is_page(bytes, at) {
            let page = slice::from_raw_parts_mut(buffer.cast_mut().cast::<u8>(), bytes);
            let has_checksums = match at {
                0 => {
                    let has_checksums = matches!(Format::of(page), Format::WithChecksums);
                    (*file.cast::<File>()).has_checksums |= has_checksums;
                    has_checksums
                }
                _ => matches!(format(file), Format::WithChecksums | Format::Empty),
            };
            if has_checksums {
                page::seal(page, at);
            }
        }
        let system = system(file);
        match (*(*system).pMethods).xWrite {
            Some(write) => write(system, buffer, length, offset),
            None => ffi::SQLITE_IOERR_WRITE,
        }
    }
}

/// What an open file is. Read again until it has checksums: another connection may give it some.
///
/// # Safety
///
/// The file must be open.
unsafe fn format(file: *mut sqlite3_file) -> Format {
    // SAFETY: by the caller, and the buffer has the length.
    unsafe {
        let own = file.cast::<File>();
        if (*own).has_checksums {
            return Format::WithChecksums;
        }
        let mut header = [0u8; HEADER];
        let format = match system_read(file, header.as_mut_ptr().cast(), HEADER as c_int, 0) {
            ffi::SQLITE_OK => Format::of(&header),
            ffi::SQLITE_IOERR_SHORT_READ => Format::Empty,
            _ => Format::Plain,
        };
        (*own).has_checksums = matches!(format, Format::WithChecksums);
        format
    }
}

/// # Safety
///
/// The file must be open, and the buffer must have the length.
unsafe fn system_read(file: *mut sqlite3_file, buffer: *mut c_void, length: c_int, offset: sqlite3_int64) -> c_int {
    // SAFETY: by the caller.
    unsafe {
        let system = system(file);
        match (*(*system).pMethods).xRead {
            Some(read) => read(system, buffer, length, offset),
            None => ffi::SQLITE_IOERR_READ,
        }
    }
}

unsafe extern "C" fn file_control(file: *mut sqlite3_file, operation: c_int, argument: *mut c_void) -> c_int {
    // SAFETY: SQLite passes an open file, and our operation is only sent with a pointer to an int.
    unsafe {
        if operation == HAS_CHECKSUMS {
            *argument.cast::<c_int>() = matches!(format(file), Format::WithChecksums).into();
            return ffi::SQLITE_OK;
        }
        let system = system(file);
        match (*(*system).pMethods).xFileControl {
            Some(control) => control(system, operation, argument),
            None => ffi::SQLITE_NOTFOUND,
        }
    }
}

/// Without reads of parts of pages, which could not be compared.
unsafe extern "C" fn device_characteristics(file: *mut sqlite3_file) -> c_int {
    // SAFETY: SQLite passes an open file.
    let of_system = unsafe {
        let system = system(file);
        (*(*system).pMethods)
            .xDeviceCharacteristics
            .map_or(0, |characteristics| characteristics(system))
    };
    of_system & !ffi::SQLITE_IOCAP_SUBPAGE_READ
}

/// Maps nothing: what is mapped would not be compared.
unsafe extern "C" fn fetch(_: *mut sqlite3_file, _: sqlite3_int64, _: c_int, page: *mut *mut c_void) -> c_int {
    // SAFETY: SQLite passes a place for the pointer.
    unsafe { *page = ptr::null_mut() };
    ffi::SQLITE_OK
}

unsafe extern "C" fn unfetch(_: *mut sqlite3_file, _: sqlite3_int64, _: *mut c_void) -> c_int {
    ffi::SQLITE_OK
}

/// Functions that call the same one of the system's file, and return a value where it has none.
macro_rules! forward {
    ($($name:ident = $field:ident($($argument:ident: $ty:ty),*) -> $returned:ty, or $missing:expr;)*) => {$(
        unsafe extern "C" fn $name(file: *mut sqlite3_file, $($argument: $ty),*) -> $returned {
            // SAFETY: SQLite passes an open file, and arguments of the same function.
            unsafe {
                let system = system(file);
                match (*(*system).pMethods).$field {
                    Some(function) => function(system, $($argument),*),
                    None => $missing,
                }
            }
        }
    )*};
}

forward! {
    close = xClose() -> c_int, or ffi::SQLITE_OK;
    truncate = xTruncate(size: sqlite3_int64) -> c_int, or ffi::SQLITE_IOERR_TRUNCATE;
    sync = xSync(flags: c_int) -> c_int, or ffi::SQLITE_IOERR_FSYNC;
    file_size = xFileSize(size: *mut sqlite3_int64) -> c_int, or ffi::SQLITE_IOERR_FSTAT;
    lock = xLock(level: c_int) -> c_int, or ffi::SQLITE_IOERR_LOCK;
    unlock = xUnlock(level: c_int) -> c_int, or ffi::SQLITE_IOERR_UNLOCK;
    check_reserved_lock = xCheckReservedLock(out: *mut c_int) -> c_int, or ffi::SQLITE_IOERR_CHECKRESERVEDLOCK;
    sector_size = xSectorSize() -> c_int, or 0;
    shm_map = xShmMap(page: c_int, size: c_int, extend: c_int, out: *mut *mut c_void) -> c_int, or ffi::SQLITE_IOERR_SHMMAP;
    shm_lock = xShmLock(offset: c_int, count: c_int, flags: c_int) -> c_int, or ffi::SQLITE_IOERR_SHMLOCK;
    shm_barrier = xShmBarrier() -> (), or ();
    shm_unmap = xShmUnmap(delete: c_int) -> c_int, or ffi::SQLITE_OK;
}
