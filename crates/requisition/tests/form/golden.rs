//! Golden files of forms that were reviewed: their text, and their pixels.
//!
//! After an intended change, `INSTA_UPDATE=always .ci/requisition` writes both again; review the pictures.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::poppler::{File, run};
use crate::samples::all;

/// Maximum difference of a pixel, as versions of poppler smooth letters differently, and the maximum number of pixels
/// with a greater one.
const SHADES: u8 = 96;
const SHARE: f64 = 0.0005;

#[test]
#[ignore = "needs poppler-utils: .ci/requisition"]
fn the_text_is_where_it_was() {
    for (name, requisition) in all() {
        insta::with_settings!({ snapshot_path => "golden", prepend_module_to_snapshot => false, omit_expression => true }, {
            insta::assert_snapshot!(name, File::of(&requisition).text(&["-layout"]));
        });
    }
}

#[test]
#[ignore = "needs poppler-utils and netpbm: .ci/requisition"]
fn each_page_looks_as_it_did() {
    let update = std::env::var("INSTA_UPDATE").is_ok_and(|update| update == "always");
    for (name, requisition) in all() {
        let form = File::of(&requisition);
        let golden = |page: usize| golden(&format!("{name}-{}.png", page + 1));
        let pages = form.pictures(60, "pgm");
        if update {
            for (page, picture) in pages.iter().enumerate() {
                converted("pnmtopng", picture, &golden(page));
            }
        }
        assert!(!golden(pages.len()).exists(), "{name} had more pages");
        for (page, picture) in pages.iter().enumerate() {
            let (size, pixels) = grey(&std::fs::read(picture).expect("a picture"));
            let before = picture.with_extension("before");
            converted("pngtopnm", &golden(page), &before);
            let (size_before, before) = grey(&std::fs::read(&before).expect("a picture"));
            assert_eq!(size, size_before, "{name}, page {}", page + 1);
            let differ = pixels
                .iter()
                .zip(&before)
                .filter(|(now, before)| now.abs_diff(**before) > SHADES)
                .count();
            #[expect(clippy::cast_precision_loss, reason = "a page has a million pixels at most")]
            let share = differ as f64 / pixels.len() as f64;
            assert!(
                share <= SHARE,
                "{name}, page {}: {:.2} % differs",
                page + 1,
                share * 100.0
            );
        }
    }
}

fn golden(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/form/golden")
        .join(name)
}

/// Converts a picture to another format, with a program of netpbm.
fn converted(program: &str, from: &Path, to: &Path) {
    run(Command::new(program)
        .arg(from)
        .stdout(std::fs::File::create(to).expect("a file")));
}

/// Returns the size and the pixels of a picture in PGM: `P5`, width, height and the highest value, then a byte for each
/// pixel.
fn grey(pgm: &[u8]) -> (Vec<String>, Vec<u8>) {
    let mut rest = pgm;
    let mut words = Vec::new();
    while words.len() < 4 {
        let end = rest.iter().position(u8::is_ascii_whitespace).expect("a header");
        words.push(String::from_utf8_lossy(&rest[..end]).into_owned());
        rest = &rest[end + 1..];
    }
    assert_eq!(words[0], "P5");
    (words, rest.to_vec())
}
