//! VFS that wraps the system's VFS, and verifies database files.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr;
use std::sync::OnceLock;

use rusqlite::ffi::{self, sqlite3_file, sqlite3_filename, sqlite3_int64, sqlite3_vfs};

use crate::file;

pub(crate) const NAME: &CStr = c"wearlab-checksums";

/// Registers the VFS, once for the process.
pub(crate) fn register() -> rusqlite::Result<()> {
    static CODE: OnceLock<c_int> = OnceLock::new();
    match *CODE.get_or_init(register_once) {
        ffi::SQLITE_OK => Ok(()),
        code => Err(rusqlite::Error::SqliteFailure(ffi::Error::new(code), None)),
    }
}

fn register_once() -> c_int {
    // SAFETY: a null name returns the default VFS, which stays registered while the process runs.
    let base = unsafe { ffi::sqlite3_vfs_find(ptr::null()) };
    if base.is_null() {
        return ffi::SQLITE_ERROR;
    }
    // SAFETY: the pointer is valid, and nobody changes the VFS.
    let system = unsafe { &*base };
    let vfs = Box::new(sqlite3_vfs {
        iVersion: system.iVersion.min(2),
        szOsFile: file::size(system.szOsFile),
        mxPathname: system.mxPathname,
        pNext: ptr::null_mut(),
        zName: NAME.as_ptr(),
        pAppData: base.cast(),
        xOpen: Some(open),
        xDelete: Some(delete),
        xAccess: Some(access),
        xFullPathname: Some(full_pathname),
        xDlOpen: Some(dl_open),
        xDlError: Some(dl_error),
        xDlSym: Some(dl_sym),
        xDlClose: Some(dl_close),
        xRandomness: Some(randomness),
        xSleep: Some(sleep),
        xCurrentTime: Some(current_time),
        xGetLastError: Some(last_error),
        xCurrentTimeInt64: system.xCurrentTimeInt64.is_some().then_some(current_time_int64 as _),
        // These are methods of version 3, and only for tests of SQLite.
        xSetSystemCall: None,
        xGetSystemCall: None,
        xNextSystemCall: None,
    });
    // SAFETY: the VFS is never freed, as SQLite requires, and 0 does not make it the default.
    unsafe { ffi::sqlite3_vfs_register(Box::into_raw(vfs), 0) }
}

/// Opens a file. All files except databases and their logs are opened by the system's VFS alone.
unsafe extern "C" fn open(
    vfs: *mut sqlite3_vfs,
    name: sqlite3_filename,
    file: *mut sqlite3_file,
    flags: c_int,
    flags_out: *mut c_int,
) -> c_int {
    // SAFETY: SQLite passes the registered VFS, and a file of the size that the VFS requests.
    unsafe {
        let base = base(vfs);
        let Some(open) = (*base).xOpen else {
            return ffi::SQLITE_CANTOPEN;
        };
        let database = match flags & (ffi::SQLITE_OPEN_MAIN_DB | ffi::SQLITE_OPEN_WAL) {
            0 => return open(base, name, file, flags, flags_out),
            ffi::SQLITE_OPEN_WAL => ffi::sqlite3_database_file_object(name),
            _ => ptr::null_mut(),
        };
        let code = open(base, name, file::system(file), flags, flags_out);
        file::init(file, database);
        code
    }
}

/// Returns the VFS of the system.
///
/// # Safety
///
/// The VFS must be the one that was registered here.
unsafe fn base(vfs: *mut sqlite3_vfs) -> *mut sqlite3_vfs {
    // SAFETY: guaranteed by the caller.
    unsafe { (*vfs).pAppData.cast() }
}

type Symbol = Option<unsafe extern "C" fn(*mut sqlite3_vfs, *mut c_void, *const c_char)>;

/// Defines functions that forward to the system's VFS, with a default if it lacks the method.
macro_rules! forward {
    ($($name:ident = $field:ident($($argument:ident: $ty:ty),*) -> $returned:ty, or $missing:expr;)*) => {$(
        unsafe extern "C" fn $name(vfs: *mut sqlite3_vfs, $($argument: $ty),*) -> $returned {
            // SAFETY: SQLite passes the registered VFS, and arguments of the same function.
            unsafe {
                let base = base(vfs);
                match (*base).$field {
                    Some(function) => function(base, $($argument),*),
                    None => $missing,
                }
            }
        }
    )*};
}

forward! {
    delete = xDelete(name: *const c_char, sync: c_int) -> c_int, or ffi::SQLITE_IOERR_DELETE;
    access = xAccess(name: *const c_char, flags: c_int, out: *mut c_int) -> c_int, or ffi::SQLITE_IOERR_ACCESS;
    full_pathname = xFullPathname(name: *const c_char, length: c_int, out: *mut c_char) -> c_int, or ffi::SQLITE_CANTOPEN;
    dl_open = xDlOpen(name: *const c_char) -> *mut c_void, or ptr::null_mut();
    dl_error = xDlError(length: c_int, message: *mut c_char) -> (), or ();
    dl_sym = xDlSym(handle: *mut c_void, symbol: *const c_char) -> Symbol, or None;
    dl_close = xDlClose(handle: *mut c_void) -> (), or ();
    randomness = xRandomness(length: c_int, out: *mut c_char) -> c_int, or 0;
    sleep = xSleep(microseconds: c_int) -> c_int, or 0;
    current_time = xCurrentTime(out: *mut f64) -> c_int, or ffi::SQLITE_ERROR;
    last_error = xGetLastError(length: c_int, out: *mut c_char) -> c_int, or 0;
    current_time_int64 = xCurrentTimeInt64(out: *mut sqlite3_int64) -> c_int, or ffi::SQLITE_ERROR;
}
