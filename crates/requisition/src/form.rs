//! Sections of a form, in order.

use crate::composer::{Composer, GAP, LABEL};
use crate::error::Error;
use crate::font::{Fonts, Weight};
use crate::format::{date, name, place, time, words};
use crate::input::{Address, Insurance, Lab, Patient, Physician, Requisition, Test};
use crate::masthead::TITLE;
use crate::page::LEFT;
use crate::panels::{Entry, Panel};
use crate::render::{self, Properties};
use crate::structure::{Role, Structure};
use crate::table::{Cell, Row, Table};
use crate::text::{one_line, paragraphs};

const REPLACED: &str =
    "\u{fffd} stands for a character that the font of this form lacks. Text that is copied has the character itself.";

/// Writes the form of an order as a PDF.
pub(crate) fn pdf(requisition: &Requisition) -> Result<Vec<u8>, Error> {
    let Composer {
        fonts,
        pages,
        structure,
        outline,
        ..
    } = compose(requisition)?;
    let id = requisition.order_id.to_string();
    let properties = Properties {
        title: format!("{TITLE} {id}"),
        id,
        created: requisition.created_at,
        outline,
    };
    render::pdf(fonts, &pages.pages, &structure, properties)
}

/// Composes the content of the pages.
pub(crate) fn compose(requisition: &Requisition) -> Result<Composer, Error> {
    let mut composer = Composer::new(Fonts::load()?);
    composer.masthead(requisition)?;
    composer.table(facts(requisition));
    composer.panels(
        vec![patient(&requisition.patient, &requisition.address)],
        others(requisition),
    );
    composer.table(tests(&requisition.tests));
    composer.table(diagnoses(requisition));
    composer.table(answers(requisition));
    composer.table(notes(requisition));
    composer.table(consents(requisition));
    composer.collection();
    if composer.replaced {
        composer.legend();
    }
    let patient = &requisition.patient;
    composer.repeat(
        requisition,
        &name(&patient.last_name, &patient.first_name),
        &date(patient.dob),
    );
    Ok(composer)
}

impl Composer {
    fn legend(&mut self) {
        self.pages.keep_together(GAP + LABEL);
        let node = self.structure.node(Structure::ROOT, Role::Paragraph);
        self.text(
            (LEFT, self.pages.y + GAP + LABEL),
            LABEL,
            Weight::Regular,
            REPLACED,
            Some(node),
        );
    }
}

fn facts(requisition: &Requisition) -> Table {
    let text = |text: &Option<String>| Cell::new(text.as_deref().map(words).unwrap_or_default());
    Table {
        title: None,
        columns: &[
            ("Ordered by", 0.28),
            ("Ordered at", 0.2),
            ("Collection", 0.2),
            ("Activate by", 0.14),
            ("Billing", 0.18),
        ],
        rows: vec![Row::Cells(vec![
            Cell::new(&requisition.ordered_by),
            Cell::new(time(requisition.created_at)),
            text(&requisition.collection_method),
            Cell::new(requisition.activate_by.map(date).unwrap_or_default()),
            text(&requisition.billing_type),
        ])],
    }
}

fn patient(patient: &Patient, address: &Address) -> Panel {
    let city = place([&address.city, &address.state, &address.zip]);
    let second = address.second_line.as_deref().unwrap_or_default();
    let lines = [&address.first_line, second, &city, &address.country];
    let entries = [
        Some(Entry::strong("Name", name(&patient.last_name, &patient.first_name))),
        Some(Entry::strong("Date of birth", date(patient.dob))),
        Some(Entry::new("Gender", words(&patient.gender))),
        Entry::optional("Phone", patient.phone_number.clone()),
        Entry::optional("Email", patient.email.clone()),
        Some(Entry::new("Address", lines.join("\n"))),
        Entry::optional("Mail to", address.receiver_name.clone()),
        Entry::optional("Access", address.access_notes.clone()),
    ];
    Panel {
        title: "Patient",
        entries: entries.into_iter().flatten().collect(),
    }
}

/// Returns the panels beside that of the patient, except empty ones.
fn others(requisition: &Requisition) -> Vec<Panel> {
    [
        requisition.lab.as_ref().map(lab),
        requisition.physician.as_ref().map(physician),
        requisition.insurance.as_ref().map(insurance),
    ]
    .into_iter()
    .flatten()
    .filter(|panel| !panel.entries.is_empty())
    .collect()
}

fn lab(lab: &Lab) -> Panel {
    let part = |part: &Option<String>| part.clone().unwrap_or_default();
    let lines = [
        part(&lab.first_line_address),
        place([&part(&lab.city), "", &part(&lab.zipcode)]),
    ]
    .join("\n");
    let address = (!lines.trim().is_empty()).then_some(lines);
    let entries = [Some(Entry::new("Name", &lab.name)), Entry::optional("Address", address)];
    Panel {
        title: "Laboratory",
        entries: entries.into_iter().flatten().collect(),
    }
}

fn physician(physician: &Physician) -> Panel {
    let entries = [
        Some(Entry::new("Name", name(&physician.last_name, &physician.first_name))),
        Some(Entry::new("NPI", &physician.npi)),
        Entry::optional("Phone", physician.phone_number.clone()),
        Entry::optional("Email", physician.email.clone()),
    ];
    Panel {
        title: "Ordering physician",
        entries: entries.into_iter().flatten().collect(),
    }
}

fn insurance(insurance: &Insurance) -> Panel {
    let entries = [
        Entry::optional("Payer", insurance.payer_name.clone()),
        Entry::optional("Payer code", insurance.payer_code.clone()),
        Entry::optional("Member id", insurance.member_id.clone()),
        Entry::optional("Group id", insurance.group_id.clone()),
        Entry::optional("Relationship", insurance.relationship.as_deref().map(words)),
        Entry::optional("Insured", insurance.insured_name.clone()),
        Entry::optional("Insured born", insurance.insured_dob.map(date)),
    ];
    Panel {
        title: "Health insurance",
        entries: entries.into_iter().flatten().collect(),
    }
}

fn tests(tests: &[Test]) -> Table {
    let mut rows = Vec::new();
    for test in tests {
        let sample = test.sample_type.as_deref().map(words);
        let fasting = test
            .fasting
            .map(|fasting| if fasting { "fasting required" } else { "no fasting" }.to_owned());
        let details: Vec<String> = sample.into_iter().chain(fasting).collect();
        let details = if details.is_empty() {
            String::new()
        } else {
            format!(" ({})", details.join(", "))
        };
        rows.push(Row::Group(format!("{}{details}", one_line(&test.name))));
        rows.extend(test.markers.iter().map(|marker| {
            let code = marker.provider_id.as_deref().unwrap_or_default();
            Row::Cells(vec![
                Cell::bold(code),
                Cell::new(&marker.name),
                Cell::new(marker.loinc.join(", ")),
            ])
        }));
    }
    Table {
        title: Some("Tests ordered"),
        columns: &[("Lab code", 0.2), ("Marker", 0.55), ("LOINC", 0.25)],
        rows,
    }
}

fn diagnoses(requisition: &Requisition) -> Table {
    let row = |(code, description): (&str, &str)| Row::Cells(vec![Cell::bold(code), Cell::new(description)]);
    let diagnoses = requisition.diagnoses.iter();
    Table {
        title: Some("Diagnoses (ICD-10-CM)"),
        columns: &[("Code", 0.2), ("Description", 0.8)],
        rows: diagnoses
            .map(|diagnosis| row((&diagnosis.code, &diagnosis.description)))
            .collect(),
    }
}

fn answers(requisition: &Requisition) -> Table {
    let answers = requisition.answers.iter();
    Table {
        title: Some("Ask at order entry"),
        columns: &[("Question", 0.6), ("Answer", 0.4)],
        rows: answers
            .map(|it| Row::Cells(vec![Cell::new(&it.question), Cell::bold(&it.answer)]))
            .collect(),
    }
}

fn notes(requisition: &Requisition) -> Table {
    let notes = requisition
        .clinical_notes
        .as_deref()
        .filter(|notes| !paragraphs(notes).is_empty());
    Table {
        title: Some("Clinical notes"),
        columns: &[],
        rows: notes
            .map(|notes| Row::Paragraph(notes.to_owned()))
            .into_iter()
            .collect(),
    }
}

fn consents(requisition: &Requisition) -> Table {
    let rows = requisition.consents.iter().map(|consent| {
        let given = consent.given_at.map(time);
        let version = consent.version.as_deref().unwrap_or_default();
        Row::Cells(vec![
            Cell::new(words(&consent.name)),
            Cell::new(version),
            Cell::new(given.unwrap_or_default()),
        ])
    });
    Table {
        title: Some("Consents"),
        columns: &[("Consent", 0.5), ("Version", 0.25), ("Given at", 0.25)],
        rows: rows.collect(),
    }
}
