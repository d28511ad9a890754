//! Reads the list of codes, and writes it with its inverted index as tables, which are part of the binary.
//!
//! The tables are read in place at run time: the parts that a search reads are paged in.

mod index;
mod list;
mod roles;
mod tables;
#[path = "../src/words.rs"]
mod words;

use std::env;
use std::io::{self, Error, Write, stdout};
use std::path::PathBuf;

use self::index::Index;
use self::list::List;
use self::tables::Tables;

const DATA: &str = "data/icd10cm.gz";

fn main() -> io::Result<()> {
    for read in [DATA, "build", "src/words.rs"] {
        writeln!(stdout(), "cargo::rerun-if-changed={read}")?;
    }
    let directory = env::var_os("OUT_DIR").ok_or_else(|| Error::other("cargo sets OUT_DIR"))?;
    let text = list::unpack(DATA)?;
    let list = List::read(&text);
    let tables = Tables::new(PathBuf::from(directory));
    list.write(&tables)?;
    Index::new(&list).write(&list, &tables)
}
