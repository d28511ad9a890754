//! Check of the write-ahead log. The engine does not report damage of it: it recovers up to the first damaged frame,
//! and treats the rest as an interrupted write.

use std::collections::HashSet;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::mem::ManuallyDrop;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use rusqlite::Connection;

use super::error::unusable;
use crate::error::DatabaseError;

/// Length of the header of the log, and of each of its frames, in bytes. See
/// <https://www.sqlite.org/fileformat2.html#walformat>.
const HEADER: usize = 32;
const FRAME_HEADER: usize = 24;
/// Length of the index header, which is stored twice.
const INDEX_HEADER: usize = 48;
/// Minimum page size.
const MIN_PAGE_SIZE: usize = 512;
/// First word of the header. Its last bit is the byte order of the checksums: 1 is big-endian.
const MAGIC: u32 = 0x377f_0682;
const VERSION: u32 = 3_007_000;
/// Offset of the byte that the engine locks. No file has the page with it. See
/// <https://www.sqlite.org/fileformat2.html#lockbyte>.
const LOCKED: u64 = 1 << 30;
/// Number of attempts to read a log that seems damaged: another process may be writing it.
const MAX_READS: usize = 5;
const READ_INTERVAL: Duration = Duration::from_millis(20);

/// Returns the path of the log of a store's file.
pub(super) fn path(file: &Path) -> PathBuf {
    beside(file, "-wal")
}

fn beside(file: &Path, ending: &str) -> PathBuf {
    let mut path = OsString::from(file);
    path.push(ending);
    path.into()
}

/// Fails if a committed frame follows a damaged one, or if frames follow a damaged header, because recovery would lose
/// them. Call it before the engine recovers. A checkpoint leaves an empty log.
pub(super) fn check(file: &Path) -> Result<(), DatabaseError> {
    let log = path(file);
    let mut found = None;
    for read in 0..MAX_READS {
        if read > 0 {
            thread::sleep(READ_INTERVAL);
        }
        // The engine locks the file and the index, but not the log: closing the log here drops no lock.
        let scanned = match fs::metadata(&log) {
            Ok(metadata) if metadata.is_file() => File::open(&log).and_then(scan),
            Ok(_) => Ok(None),
            Err(error) => Err(error),
        }
        .or_else(|error| match error.kind() {
            io::ErrorKind::NotFound => Ok(None),
            _ => Err(unusable(&log, error)),
        })?;
        found = match scanned {
            // No frame after the intact ones was committed.
            Some((_, intact)) if intact.is_some() && indexed(file) == intact => return Ok(()),
            Some((damage, _)) => Some(damage),
            None => return Ok(()),
        };
    }
    found.map_or(Ok(()), |damage| Err(damaged(log, damage)))
}

/// Returns the frames in the index of a log, which were all committed. None if the index is missing or incomplete.
///
/// A process that is killed between the last frame of a transaction and the index leaves uncommitted frames. If another
/// process overwrites their beginning with a shorter transaction, their end looks like frames after damage.
///
/// The checksum of frames in the index is not that of the log: the VFS writes pages with their checksums, and the frames'
/// with them, after the engine has calculated it.
fn indexed(file: &Path) -> Option<Intact> {
    let mut header = [[0; INDEX_HEADER]; 2];
    let mut index = ManuallyDrop::new(File::open(beside(file, "-shm")).ok()?);
    // The index is never closed: closing it would drop all locks of this process on it.
    index.read_exact(header.as_flattened_mut()).ok()?;
    let [first, second] = header;
    let native = |at: usize| u32::from_ne_bytes(std::array::from_fn(|offset| first[at + offset]));
    let mut sum = Sum {
        big_endian: cfg!(target_endian = "big"),
        value: (0, 0),
    };
    sum.add(&first[..INDEX_HEADER - 8]);
    let is_whole = first == second && sum.value == (native(INDEX_HEADER - 8), native(INDEX_HEADER - 4));
    is_whole.then(|| Intact {
        frames: native(16).into(),
        salts: pair(&first, 32),
    })
}

fn damaged(log: PathBuf, damage: Damage) -> DatabaseError {
    let source = match damage {
        Damage::Header => "its header does not match its checksum, and frames follow, which may have been committed: \
                           restore a backup, or accept the loss of all that was written since the last checkpoint: copy \
                           the directory, remove the log in the copy, and check that copy"
            .to_owned(),
        Damage::Frame { number, start } => format!(
            "frame {number} does not match its checksum, and committed transactions follow: restore a backup, or accept \
             the loss of this frame and all later ones: copy the directory, truncate the log in the copy to {start} \
             bytes, and check that copy"
        ),
    };
    DatabaseError::Damaged {
        path: log,
        source: source.into(),
    }
}

/// The valid frames at the start of a log.
#[derive(Debug, PartialEq, Eq)]
struct Intact {
    frames: u64,
    salts: (u32, u32),
}

/// Damage of a log, with committed frames after it.
#[derive(Debug, PartialEq, Eq)]
enum Damage {
    Header,
    /// The frame, counted from 1, and the byte where it starts.
    Frame {
        number: u64,
        start: u64,
    },
}

/// Scans a log for damage. Returns also the valid frames before the damage, unless the header is damaged.
fn scan(log: impl Read) -> io::Result<Option<(Damage, Option<Intact>)>> {
    let mut log = BufReader::with_capacity(1024 * 1024, log);
    let mut header = [0; HEADER];
    if !fill(&mut log, &mut header)? {
        return Ok(None);
    }
    let mut sum = Sum {
        big_endian: word(&header, 0) & 1 == 1,
        value: (0, 0),
    };
    let page = usize::try_from(word(&header, 8)).unwrap_or_default();
    sum.add(&header[..HEADER - 8]);
    let intact = word(&header, 0) & !1 == MAGIC
        && word(&header, 4) == VERSION
        && page.is_power_of_two()
        && (MIN_PAGE_SIZE..=65_536).contains(&page)
        && sum.value == pair(&header, HEADER - 8);
    if !intact {
        // The engine syncs a header before it writes a frame, so an interrupted write never looks like this. The cause
        // of the damaged header may have damaged more, so no frame can be trusted.
        let follows = fill(&mut log, &mut vec![0; FRAME_HEADER + MIN_PAGE_SIZE])?;
        return Ok(follows.then_some((Damage::Header, None)));
    }
    let salts = pair(&header, 16);
    let mut damage = None;
    let mut frame = vec![0; FRAME_HEADER + page];
    let mut number = 0;
    while fill(&mut log, &mut frame)? {
        number += 1;
        let current = salts == pair(&frame, 8);
        if damage.is_some() {
            let commits = word(&frame, 4) != 0;
            // Frames of an earlier generation, and of transactions that were rolled back, are expected here.
            if current && commits {
                return Ok(damage);
            }
            continue;
        }
        sum.add(&frame[..8]);
        sum.add(&frame[FRAME_HEADER..]);
        if !current || sum.value != pair(&frame, 16) {
            let length = u64::try_from(frame.len()).unwrap_or(u64::MAX);
            let start = HEADER as u64 + (number - 1) * length;
            let intact = Intact {
                frames: number - 1,
                salts,
            };
            damage = Some((Damage::Frame { number, start }, Some(intact)));
        }
    }
    Ok(None)
}

/// Fills a buffer. Returns false if fewer bytes are left.
fn fill(log: &mut impl Read, buffer: &mut [u8]) -> io::Result<bool> {
    match log.read_exact(buffer) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(false),
        Err(error) => Err(error),
    }
}

fn word(bytes: &[u8], at: usize) -> u32 {
    u32::from_be_bytes(std::array::from_fn(|offset| bytes[at + offset]))
}

fn pair(bytes: &[u8], at: usize) -> (u32, u32) {
    (word(bytes, at), word(bytes, at + 4))
}

/// Cumulative checksum of a frame and all frames before it.
struct Sum {
    big_endian: bool,
    value: (u32, u32),
}

impl Sum {
    fn add(&mut self, bytes: &[u8]) {
        let (mut first, mut second) = self.value;
        let (chunks, _) = bytes.as_chunks::<8>();
        for &[a, b, c, d, e, f, g, h] in chunks {
            let (one, two) = match self.big_endian {
                true => (u32::from_be_bytes([a, b, c, d]), u32::from_be_bytes([e, f, g, h])),
                false => (u32::from_le_bytes([a, b, c, d]), u32::from_le_bytes([e, f, g, h])),
            };
            first = first.wrapping_add(one).wrapping_add(second);
            second = second.wrapping_add(two).wrapping_add(first);
        }
        self.value = (first, second);
    }
}

/// Returns the lengths of a file and its log if they contain all pages together. None if one of them is too short.
pub(super) fn whole_lengths(
    connection: &Connection,
    file: &Path,
    log: &Path,
) -> Result<Option<[u64; 2]>, DatabaseError> {
    let page: u32 = connection.pragma_query_value(None, "page_size", |row| row.get(0))?;
    let page = u64::from(page);
    // NOOP only reports. Without a log in use, the number of frames is negative.
    let frames = || -> Result<u64, DatabaseError> {
        let frames = connection.query_row("PRAGMA wal_checkpoint(NOOP)", [], |row| row.get::<_, i64>(1))?;
        Ok(u64::try_from(frames).unwrap_or(0))
    };
    let mut indexed = frames()?;
    loop {
        let least = match indexed {
            0 => 0,
            frames => HEADER as u64 + frames * (FRAME_HEADER as u64 + page),
        };
        // Read after the frames were counted: the log grows before its index, and the index is emptied before the log.
        let length = fs::metadata(log).map_or(0, |metadata| metadata.len());
        if length >= least
            && let Some(of_file) = whole_length(connection, file, log, page, indexed)?
        {
            return Ok(Some([of_file, length]));
        }
        let now = frames()?;
        if now == indexed {
            return Ok(None);
        }
        indexed = now;
    }
}

/// Returns the length of a file if it has all pages that are not in the frames of its log.
fn whole_length(
    connection: &Connection,
    file: &Path,
    log: &Path,
    page: u64,
    frames: u64,
) -> Result<Option<u64>, DatabaseError> {
    // During a read transaction, no checkpoint truncates the file, and the log is not restarted.
    let moment = connection.unchecked_transaction()?;
    let pages: i64 = moment.pragma_query_value(None, "page_count", |row| row.get(0))?;
    let length = fs::metadata(file).map_or(0, |metadata| metadata.len());
    let missing = length / page + 1..=pages.unsigned_abs();
    if missing.is_empty() {
        return Ok(Some(length));
    }
    let logged = logged(log, page, frames).map_err(|error| unusable(log, error))?;
    // The engine leaves out the page that it locks.
    let locked = LOCKED / page + 1;
    let is_whole = missing
        .into_iter()
        .all(|number| number == locked || logged.contains(&number));
    Ok(is_whole.then_some(length))
}

/// Returns the page numbers of the first frames of a log.
fn logged(log: &Path, page: u64, frames: u64) -> io::Result<HashSet<u64>> {
    // The engine does not lock the log: closing it here drops no lock.
    let mut log = File::open(log)?;
    let mut found = HashSet::new();
    for frame in 0..frames {
        let mut number = [0; 4];
        log.seek(SeekFrom::Start(HEADER as u64 + frame * (FRAME_HEADER as u64 + page)))?;
        log.read_exact(&mut number)?;
        found.insert(u32::from_be_bytes(number).into());
    }
    Ok(found)
}

#[cfg(test)]
mod tests;
