//! Tests of forms with third-party readers: copied text, scanned barcodes, and reports of checkers.

use std::process::Command;

use crate::poppler::{File, run};
use crate::samples::{ORDER, all, everything, scripts};

#[test]
#[ignore = "needs poppler-utils: .ci/requisition"]
fn names_and_codes_can_be_copied() {
    let order = everything();
    let text = File::of(&order).text(&["-raw"]);
    let diagnoses = order
        .diagnoses
        .iter()
        .flat_map(|diagnosis| [&diagnosis.code, &diagnosis.description]);
    let markers = order.tests.iter().flat_map(|test| &test.markers);
    let markers = markers.flat_map(|marker| [Some(&marker.name), marker.provider_id.as_ref(), marker.loinc.first()]);
    for copied in diagnoses.chain(markers.flatten()) {
        assert!(text.contains(copied.as_str()), "{copied}");
    }
    for copied in [
        ORDER,
        "Rivera, María José",
        "1234567893",
        "XJ-4471-0093",
        "potassium ≥ 5.5 mmol/L",
        "PRIORITY",
    ] {
        assert!(text.contains(copied), "{copied}");
    }
    assert!(text.contains("Page 1 of 2") && text.contains("Page 2 of 2"), "{text}");
}

#[test]
#[ignore = "needs poppler-utils: .ci/requisition"]
fn characters_that_the_font_lacks_can_be_copied() {
    let text = File::of(&scripts()).text(&["-raw"]);
    for copied in [
        "王小明, Zoë Nguyễn",
        "Hôpital Ćwikła & Søn 🏥",
        "Αθήνα, Київ 94107",
        "النيل",
        "הרצל",
        "right to left \u{fffd} zerowidth",
    ] {
        assert!(text.contains(copied), "{copied}: {text}");
    }
}

#[test]
#[ignore = "needs poppler-utils and zbar-tools: .ci/requisition"]
fn a_scanner_reads_the_order_id() {
    let form = File::of(&everything());
    // The resolution of a printer, and of a fax or a poor camera.
    for resolution in [300, 150] {
        let first = form.pictures(resolution, "png").remove(0);
        let read = run(Command::new("zbarimg").args(["--quiet", "--nodbus"]).arg(first));
        assert_eq!(read, format!("CODE-128:{ORDER}\n"), "at {resolution}");
    }
}

#[test]
#[ignore = "needs qpdf and PyPI pdfua: .ci/requisition"]
fn checkers_find_nothing() {
    let pdfua = std::env::var("PDFUA").unwrap_or_else(|_| "pdfua".to_owned());
    for (_, requisition) in all() {
        let form = File::of(&requisition);
        run(Command::new("qpdf").arg("--check").arg(form.path()));
        run(Command::new(&pdfua).arg("check").arg(form.path()));
    }
}
