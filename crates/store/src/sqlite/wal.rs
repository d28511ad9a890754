//! Checks the write-ahead log, on which the engine is silent: it recovers up to the first frame that is damaged, and
//! takes what follows for the rest of a write that was cut short.

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
use crate::StoreError;

/// The header of the log, and of each of its frames, in bytes. See <https://www.sqlite.org/fileformat2.html#walformat>.
const HEADER: usize = 32;
const FRAME_HEADER: usize = 24;
/// The header of the index, which stands there twice.
const INDEX_HEADER: usize = 48;
/// The smallest size of a page.
const SMALLEST_PAGE: usize = 512;
/// The first word of the header. In its last bit stands the byte order of the checksums: 1 is big-endian.
const MAGIC: u32 = 0x377f_0682;
const VERSION: u32 = 3_007_000;
/// The byte that the engine locks, whose page no file has. See <https://www.sqlite.org/fileformat2.html#lockbyte>.
const LOCKED: u64 = 1 << 30;
/// How often a log that seems damaged is read, since another process may be writing it.
const READS: usize = 5;
const BETWEEN_READS: Duration = Duration::from_millis(20);

/// The path of the log of a store's file.
pub(super) fn path(file: &Path) -> PathBuf {
    beside(file, "-wal")
}

fn beside(file: &Path, ending: &str) -> PathBuf {
    let mut path = OsString::from(file);
    path.push(ending);
    path.into()
}

/// Fails where a frame that was committed lies behind one that is damaged, or frames lie behind a damaged header, so that
/// recovery would lose them. To be called before the engine recovers. An empty log is what a checkpoint leaves.
pub(super) fn check(file: &Path) -> Result<(), StoreError> {
    let log = path(file);
    let mut found = None;
    for read in 0..READS {
        if read > 0 {
            thread::sleep(BETWEEN_READS);
        }
        // The engine locks the file and the index, but not the log: to open and close it here drops no lock.
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
            // Nothing was committed behind the frames that are intact.
            Some((_, intact)) if intact.is_some() && indexed(file) == intact => return Ok(()),
            Some((damage, _)) => Some(damage),
            None => return Ok(()),
        };
    }
    found.map_or(Ok(()), |damage| Err(damaged(log, damage)))
}

/// The frames that the index of a log has, all of which were committed; none where there is no index, or it is not whole.
///
/// A process that is killed between the last frame of a transaction and the index leaves frames that nobody has. A shorter
/// transaction that another process writes over their beginning leaves their end, which looks like frames behind damage.
fn indexed(file: &Path) -> Option<Intact> {
    let mut header = [[0; INDEX_HEADER]; 2];
    let mut index = ManuallyDrop::new(File::open(beside(file, "-shm")).ok()?);
    // It stays open: the engine locks the index, and to close it here would drop the locks of all of this process.
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
        sum: (native(24), native(28)),
        salts: pair(&first, 32),
    })
}

fn damaged(log: PathBuf, damage: Damage) -> StoreError {
    let source = match damage {
        Damage::Header => "its header does not match its checksum, and frames follow, which may have been committed: \
                           restore a backup, or accept the loss of all that was written since the last checkpoint: copy \
                           the directory, remove the log in the copy, and run `wearlab check` there"
            .to_owned(),
        Damage::Frame { number, start } => format!(
            "frame {number} does not match its checksum, and committed transactions follow: restore a backup, or accept \
             the loss of this frame and all later ones: copy the directory, truncate the log in the copy to {start} \
             bytes, and run `wearlab check` there"
        ),
    };
    StoreError::Damaged {
        path: log,
        source: source.into(),
    }
}

/// The frames of a log from the first one on that follow from each other.
#[derive(Debug, PartialEq, Eq)]
struct Intact {
    frames: u64,
    /// The checksum of the last one.
    sum: (u32, u32),
    salts: (u32, u32),
}

/// What of a log is damaged, with committed frames behind it.
#[derive(Debug, PartialEq, Eq)]
enum Damage {
    Header,
    /// A frame, counted from 1, and the byte where it starts.
    Frame {
        number: u64,
        start: u64,
    },
}

/// What is damaged, and the frames before it where the header is not.
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
        && (SMALLEST_PAGE..=65_536).contains(&page)
        && sum.value == pair(&header, HEADER - 8);
    if !intact {
        // The engine syncs a header before it writes a frame. So no write that was cut short looks like this; and whatever
        // overwrote the header may have overwritten more, so that no frame says anything about another one.
        let follows = fill(&mut log, &mut vec![0; FRAME_HEADER + SMALLEST_PAGE])?;
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
            // Frames of an earlier generation, and those of a transaction that was rolled back, lie there rightly.
            if current && commits {
                return Ok(damage);
            }
            continue;
        }
        let before = sum.value;
        sum.add(&frame[..8]);
        sum.add(&frame[FRAME_HEADER..]);
        if !current || sum.value != pair(&frame, 16) {
            let length = u64::try_from(frame.len()).unwrap_or(u64::MAX);
            let start = HEADER as u64 + (number - 1) * length;
            let intact = Intact {
                frames: number - 1,
                sum: before,
                salts,
            };
            damage = Some((Damage::Frame { number, start }, Some(intact)));
        }
    }
    Ok(None)
}

/// Fills a buffer; false where less is left.
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

/// The checksum that each frame has of itself and all before it.
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

/// The lengths of a file and of its log that together hold all pages; nothing where one of them is too short.
pub(super) fn whole_lengths(connection: &Connection, file: &Path, log: &Path) -> Result<Option<[u64; 2]>, StoreError> {
    let page: u32 = connection.pragma_query_value(None, "page_size", |row| row.get(0))?;
    let page = u64::from(page);
    // It does nothing but tell. Without a log in use, the number of frames is negative.
    let frames = || -> Result<u64, StoreError> {
        let frames = connection.query_row("PRAGMA wal_checkpoint(NOOP)", [], |row| row.get::<_, i64>(1))?;
        Ok(u64::try_from(frames).unwrap_or(0))
    };
    let mut indexed = frames()?;
    loop {
        let least = match indexed {
            0 => 0,
            frames => HEADER as u64 + frames * (FRAME_HEADER as u64 + page),
        };
        // After the frames were counted: the log grows first, and its index is emptied before it is.
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

/// The length of a file that holds all pages which the frames of its log do not have.
fn whole_length(
    connection: &Connection,
    file: &Path,
    log: &Path,
    page: u64,
    frames: u64,
) -> Result<Option<u64>, StoreError> {
    // While somebody reads, no checkpoint makes the file shorter, nor is the log begun anew.
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

/// The numbers of the pages that the first frames of a log have.
fn logged(log: &Path, page: u64, frames: u64) -> io::Result<HashSet<u64>> {
    // The engine locks no log: to close it here drops no lock.
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
