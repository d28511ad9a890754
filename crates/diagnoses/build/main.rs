//! Reads the list of codes, and writes it with where its words stand as tables, which are part of the program.
//!
//! So nothing is read, unpacked or kept when the program runs: what a search looks at is paged in.

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
    let folder = env::var_os("OUT_DIR").ok_or_else(|| Error::other("cargo says where to write, in OUT_DIR"))?;
    let text = list::unpack(DATA)?;
    let list = List::read(&text);
    let tables = Tables::new(PathBuf::from(folder));
    list.write(&tables)?;
    Index::new(&list).write(&list, &tables)
}
