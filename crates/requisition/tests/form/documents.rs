//! Tests of a form without a PDF reader: its pages, its standards, and its determinism.

use crate::samples::{all, common, everything, markers, minimal};
use wearlab_requisition::Requisition;

fn written(requisition: &Requisition) -> String {
    String::from_utf8_lossy(&requisition.to_pdf().expect("a form")).into_owned()
}

fn pages(requisition: &Requisition) -> usize {
    written(requisition).matches("<</Type/Page/").count()
}

#[test]
fn the_same_order_has_the_same_bytes() {
    for (name, requisition) in all() {
        assert_eq!(
            requisition.to_pdf().expect(name),
            requisition.clone().to_pdf().expect(name),
            "{name}"
        );
    }
    let mut later = common();
    later.created_at += std::time::Duration::from_secs(1);
    assert_ne!(later.to_pdf().expect("a form"), common().to_pdf().expect("a form"));
}

#[test]
fn an_order_as_most_are_has_one_page() {
    assert_eq!(pages(&minimal()), 1);
    assert_eq!(pages(&common()), 1);
    assert_eq!(pages(&everything()), 2);
    assert_eq!(pages(&markers(60)), 2);
    assert_eq!(pages(&markers(600)), 14);
}

#[test]
fn a_form_says_what_it_is() {
    let pdf = written(&common());
    for said in [
        "%PDF-1.7",
        "<pdfaid:part>2</pdfaid:part><pdfaid:conformance>A</pdfaid:conformance>",
        "<pdfuaid:part>1</pdfuaid:part>",
        "/Lang(en-US)",
        "Laboratory requisition 3fa85f64-5717-4562-b3fc-2c963f66afa6</rdf:li>",
        "<xmp:CreateDate>2026-04-01T09:30:00+00:00</xmp:CreateDate>",
        "/MediaBox[0 0 612 792]",
        "+NotoSans-Regular",
        "+NotoSans-Bold",
        "/Title(Tests ordered)",
    ] {
        assert!(pdf.contains(said), "{said}");
    }
    // Viewers and search engines show the document's properties: they contain no data of the patient.
    assert!(!pdf.contains("Rivera"));
}

#[test]
fn a_form_is_small() {
    assert!(common().to_pdf().expect("a form").len() < 60_000);
}

#[test]
fn nothing_of_a_patient_is_in_logs() {
    let order = everything();
    assert_eq!(
        format!("{order:?}"),
        "Requisition { order_id: 3fa85f64-5717-4562-b3fc-2c963f66afa6, .. }"
    );
    assert_eq!(
        format!("{:?} {:?}", order.patient, order.insurance),
        "Patient { .. } Some(Insurance { .. })"
    );
}
