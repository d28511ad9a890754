//! Open database file or write-ahead log: a file of the system's VFS whose pages are verified against their checksums.

use std::ffi::{c_int, c_void};
use std::{ptr, slice};

use rusqlite::ffi::{self, sqlite3_file, sqlite3_int64, sqlite3_io_methods};

use crate::frame;
use crate::page::{self, HEADER, RESERVED};

/// Opcode of `sqlite3_file_control` that returns the [`Format`]. SQLite reserves the opcodes below 100.
pub(crate) const FORMAT: c_int = 0x7763_6b73;

/// Header before the file of the system, in the memory that SQLite allocates for a file.
#[repr(C)]
struct File {
    base: sqlite3_file,
    /// Database file of a log, which stays open as long as the log. Null in a database file.
    database: *mut sqlite3_file,
    /// True if pages have checksums. This never changes back.
    has_checksums: bool,
}

/// Format of a database file, according to its header.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Format {
    /// There is no header yet, or only zeros because later pages were written first. The file will get checksums.
    Empty,
    WithChecksums,
    Plain,
}

impl Format {
    fn of(header: &[u8]) -> Self {
        match page::reserved_bytes(header) {
            Some(reserved) if usize::from(reserved) == RESERVED => Self::WithChecksums,
            None if header.iter().all(|byte| *byte == 0) => Self::Empty,
            _ => Self::Plain,
        }
    }
}

/// Size of a file in bytes, including the file of the system.
pub(crate) fn size(system: c_int) -> c_int {
    size_of::<File>() as c_int + system
}

/// Returns the file of the system within a file.
///
/// # Safety
///
/// The file must have the memory of [`size`].
pub(crate) unsafe fn system(file: *mut sqlite3_file) -> *mut sqlite3_file {
    // SAFETY: guaranteed by the caller. The size is a multiple of the alignment.
    unsafe { file.cast::<File>().add(1).cast() }
}

/// Initializes a file after the system opened its own file, or failed to.
///
/// # Safety
///
/// The file must have the memory of [`size`], and the file of the system must be set.
pub(crate) unsafe fn init(file: *mut sqlite3_file, database: *mut sqlite3_file) {
    // SAFETY: guaranteed by the caller.
    unsafe {
        let is_open = !(*system(file)).pMethods.is_null();
        let methods: *const sqlite3_io_methods = if is_open { &METHODS } else { ptr::null() };
        file.cast::<File>().write(File {
            base: sqlite3_file { pMethods: methods },
            database,
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

/// Reads, and fails with `SQLITE_IOERR_DATA` if a page does not match its checksum.
unsafe extern "C" fn read(file: *mut sqlite3_file, buffer: *mut c_void, length: c_int, offset: sqlite3_int64) -> c_int {
    // SAFETY: SQLite passes an open file and a buffer of the length. A database file is open as long as its log.
    unsafe {
        let code = system_read(file, buffer, length, offset);
        if code != ffi::SQLITE_OK {
            return code;
        }
        let bytes = slice::from_raw_parts(buffer.cast::<u8>(), length.unsigned_abs() as usize);
        let at = offset.unsigned_abs();
        let database = (*file.cast::<File>()).database;
        let (number, format) = match database.is_null() {
            true => (page::number(bytes.len(), at), format(file)),
            false => match frame_header(file, bytes.len(), at) {
                Ok(header) => (header.map(|(_, header)| frame::page_number(&header)), format(database)),
                Err(code) => return code,
            },
        };
        match number {
            Some(number) if format == Format::WithChecksums && !page::is_intact(bytes, number) => {
                ffi::SQLITE_IOERR_DATA
            }
            _ => code,
        }
    }
}

/// Writes, and adds the checksum to a page.
unsafe extern "C" fn write(
    file: *mut sqlite3_file,
    buffer: *const c_void,
    length: c_int,
    offset: sqlite3_int64,
) -> c_int {
    // SAFETY: SQLite passes an open file and a buffer of the length. A VFS writes a page of the cache or a copy of one.
    // The reserved bytes at its end belong to the VFS, and nobody else has the page meanwhile.
    unsafe {
        let bytes = length.unsigned_abs() as usize;
        match (*file.cast::<File>()).database.is_null() {
            true if page::number(bytes, offset.unsigned_abs()).is_some() => {
                seal_page(
                    file,
                    slice::from_raw_parts_mut(buffer.cast_mut().cast(), bytes),
                    offset.unsigned_abs(),
                );
                system_write(file, buffer, length, offset)
            }
            false if page::is_size(bytes) => {
                let page = slice::from_raw_parts_mut(buffer.cast_mut().cast(), bytes);
                write_frame_page(file, page, offset)
            }
            _ => system_write(file, buffer, length, offset),
        }
    }
}

/// Adds the checksum to a page of a database file, if the file has checksums.
///
/// # Safety
///
/// The file must be open.
unsafe fn seal_page(file: *mut sqlite3_file, page: &mut [u8], offset: u64) {
    // SAFETY: guaranteed by the caller.
    let has_checksums = unsafe {
        match offset {
            0 => {
                let has_checksums = Format::of(page) == Format::WithChecksums;
                (*file.cast::<File>()).has_checksums |= has_checksums;
                has_checksums
            }
            _ => format(file) != Format::Plain,
        }
    };
    if let Some(number) = page::number(page.len(), offset).filter(|_| has_checksums) {
        page::seal(page, number);
    }
}

/// Writes the page of a frame with its checksum. SQLite has already written the frame's header, with a checksum of the
/// unchanged frame: this is replaced by the checksum of the changed frame.
///
/// # Safety
///
/// The log and its database file must be open.
unsafe fn write_frame_page(file: *mut sqlite3_file, page: &mut [u8], offset: sqlite3_int64) -> c_int {
    let length = page.len() as c_int;
    // SAFETY: guaranteed by the caller, and the buffers have their lengths.
    unsafe {
        let header = match format((*file.cast::<File>()).database) {
            Format::WithChecksums => frame_header(file, page.len(), offset.unsigned_abs()),
            _ => Ok(None),
        };
        let (at, header) = match header {
            Ok(Some(found)) => found,
            Ok(None) => return system_write(file, page.as_ptr().cast(), length, offset),
            Err(code) => return code,
        };
        page::seal(page, frame::page_number(&header));
        let mut log = [0; 4];
        let mut previous = [0; frame::CHECKSUM];
        let previous_at = frame::previous_checksum(at, page.len()).cast_signed();
        for code in [
            system_read(file, log.as_mut_ptr().cast(), log.len() as c_int, 0),
            system_read(file, previous.as_mut_ptr().cast(), previous.len() as c_int, previous_at),
            system_write(file, page.as_ptr().cast(), length, offset),
        ] {
            if code != ffi::SQLITE_OK {
                return code;
            }
        }
        let checksum = frame::checksum(log, previous, &header, page);
        let checksum_at = frame::own_checksum(at).cast_signed();
        system_write(file, checksum.as_ptr().cast(), checksum.len() as c_int, checksum_at)
    }
}

/// Returns the header and the offset of the frame to which a part of a log belongs, if the part is a page, or the code of a read
/// that failed.
///
/// # Safety
///
/// The log must be open.
unsafe fn frame_header(
    file: *mut sqlite3_file,
    length: usize,
    offset: u64,
) -> Result<Option<(u64, [u8; frame::HEADER])>, c_int> {
    let Some(at) = frame::header_offset(length, offset) else {
        return Ok(None);
    };
    let mut header = [0; frame::HEADER];
    // SAFETY: guaranteed by the caller, and the buffer has the length.
    let code = unsafe {
        system_read(
            file,
            header.as_mut_ptr().cast(),
            header.len() as c_int,
            at.cast_signed(),
        )
    };
    match code {
        ffi::SQLITE_OK => Ok(Some((at, header))),
        code => Err(code),
    }
}

/// Returns the format of an open file. It is read again until the file has checksums: another connection may add them.
///
/// # Safety
///
/// The file must be open.
unsafe fn format(file: *mut sqlite3_file) -> Format {
    // SAFETY: guaranteed by the caller, and the buffer has the length.
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
    // SAFETY: guaranteed by the caller.
    unsafe {
        let system = system(file);
        match (*(*system).pMethods).xRead {
            Some(read) => read(system, buffer, length, offset),
            None => ffi::SQLITE_IOERR_READ,
        }
    }
}

/// # Safety
///
/// The file must be open, and the buffer must have the length.
unsafe fn system_write(file: *mut sqlite3_file, buffer: *const c_void, length: c_int, offset: sqlite3_int64) -> c_int {
    // SAFETY: guaranteed by the caller.
    unsafe {
        let system = system(file);
        match (*(*system).pMethods).xWrite {
            Some(write) => write(system, buffer, length, offset),
            None => ffi::SQLITE_IOERR_WRITE,
        }
    }
}

unsafe extern "C" fn file_control(file: *mut sqlite3_file, operation: c_int, argument: *mut c_void) -> c_int {
    // SAFETY: SQLite passes an open file, and `FORMAT` is only sent with a pointer to an int.
    unsafe {
        if operation == FORMAT {
            *argument.cast::<c_int>() = format(file) as c_int;
            return ffi::SQLITE_OK;
        }
        let system = system(file);
        match (*(*system).pMethods).xFileControl {
            Some(control) => control(system, operation, argument),
            None => ffi::SQLITE_NOTFOUND,
        }
    }
}

/// Returns the properties of the system's file, without reads of parts of pages, which could not be verified, and with the property
/// by which SQLite writes a page of a log in one piece, as it does by default.
unsafe extern "C" fn device_characteristics(file: *mut sqlite3_file) -> c_int {
    // SAFETY: SQLite passes an open file.
    let of_system = unsafe {
        let system = system(file);
        (*(*system).pMethods)
            .xDeviceCharacteristics
            .map_or(0, |characteristics| characteristics(system))
    };
    (of_system & !ffi::SQLITE_IOCAP_SUBPAGE_READ) | ffi::SQLITE_IOCAP_POWERSAFE_OVERWRITE
}

/// Disables memory mapping: mapped pages would not be verified.
unsafe extern "C" fn fetch(_: *mut sqlite3_file, _: sqlite3_int64, _: c_int, page: *mut *mut c_void) -> c_int {
    // SAFETY: SQLite passes a valid location for the pointer.
    unsafe { *page = ptr::null_mut() };
    ffi::SQLITE_OK
}

unsafe extern "C" fn unfetch(_: *mut sqlite3_file, _: sqlite3_int64, _: *mut c_void) -> c_int {
    ffi::SQLITE_OK
}

/// Defines functions that forward to the system's file, with a default if it lacks the method.
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
