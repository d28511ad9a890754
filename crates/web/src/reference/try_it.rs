//! Form that sends an operation from its page. `assets/docs.js` sends it; it is hidden without JavaScript.

use maud::{Markup, html};

use super::demo::Demo;
use super::document::{Document, Operation, Parameter};
use super::schema;
use super::site::Reference;
use super::values::{Values, example};

/// Renders the form, with the keys and ids of a demo if they may be shown.
pub(super) fn form(reference: &Reference, operation: &Operation<'_>, demo: Option<&Demo>) -> Markup {
    let values = demo.map(Demo::values).unwrap_or_default();
    let document = reference.document();
    html! {
        section.try hidden aria-labelledby="try-title" {
            h2 id="try-title" { "Try it" }
            @if operation.is_management() && !reference.management_here {
                p {
                    "This operation is answered at the management address, to which this page sends nothing. Use a sample."
                }
            } @else {
                details {
                    summary { "Send a request to this service" }
                    form id="try" method="post" action="#" data-method=(operation.method.to_uppercase()) data-path=(operation.path) {
                        (credentials(operation, demo))
                        @for parameter in operation.parameters() {
                            (field(document, &parameter, &values))
                        }
                        (body(operation))
                        @if operation.method != "get" {
                            p.quiet { "This changes data of the service." }
                        }
                        p { button type="submit" { "Send " (operation.method.to_uppercase()) } }
                    }
                    div id="result" aria-live="polite" {}
                }
            }
        }
    }
}

/// Renders a field for each credential. In a demo, those of the first alternative are filled in.
fn credentials(operation: &Operation<'_>, demo: Option<&Demo>) -> Markup {
    let alternatives = operation.credentials();
    let mut shown = Vec::new();
    html! {
        @for (number, credential) in alternatives.iter().enumerate().flat_map(|(number, all)| all.iter().map(move |one| (number, one))) {
            @if !shown.contains(&credential.scheme) {
                @let id = format!("try-{}", credential.scheme);
                @let key = demo.filter(|_| number == 0).and_then(|demo| demo.key(credential.scheme));
                ({ shown.push(credential.scheme); "" })
                p.input {
                    label for=(id) { code { (credential.header) } }
                    input id=(id) type="password" autocomplete="new-password" spellcheck="false" data-in="credential"
                        name=(credential.header) value=[key];
                }
            }
        }
    }
}

fn field(document: &Document, parameter: &Parameter<'_>, values: &Values) -> Markup {
    let id = format!("try-{}-{}", parameter.location, parameter.name);
    let example = example(parameter);
    let value = parameter.required.then(|| values.of(parameter));
    let known = schema::values(document, parameter.schema);
    let is_list = schema::kind(document, parameter.schema) == "array";
    let options = known.map(|(values, _)| values.iter().filter_map(|value| value.as_str()));
    html! {
        p.input {
            label for=(id) {
                code { (parameter.name) }
                @if parameter.required { " " span.required { "required" } }
                @if is_list { " " span.type { "separated by commas" } }
            }
            @match (known, options) {
                (Some((_, false)), Some(options)) => {
                    select id=(id) name=(parameter.name) data-in=(parameter.location) {
                        @if !parameter.required { option value="" { "\u{2013}" } }
                        @for option in options {
                            option value=(option) selected[value.as_deref() == Some(option)] { (option) }
                        }
                    }
                }
                (_, options) => {
                    @let list = options.is_some().then(|| format!("{id}-known"));
                    input id=(id) type="text" autocomplete="off" spellcheck="false" name=(parameter.name) data-in=(parameter.location)
                        data-list[is_list] list=[list.as_deref()] value=[value.as_deref()] placeholder=[(!example.is_empty()).then_some(&example)]
                        required[parameter.required];
                    @if let (Some(list), Some(options)) = (&list, options) {
                        datalist id=(list) { @for option in options { option value=(option) {} } }
                    }
                }
            }
        }
    }
}

fn body(operation: &Operation<'_>) -> Markup {
    let Some((content, _)) = operation.body() else {
        return html! {};
    };
    let example = content
        .example
        .map(|example| serde_json::to_string_pretty(example).unwrap_or_default());
    let lines = example
        .as_ref()
        .map_or(4, |example| example.lines().count().clamp(4, 16));
    html! {
        p.input {
            label for="try-body" { "Body, " code { (content.media_type) } }
            textarea id="try-body" data-in="body" data-media-type=(content.media_type) rows=(lines) spellcheck="false" autocomplete="off" {
                @if let Some(example) = &example { "\n" (example) }
            }
        }
    }
}
