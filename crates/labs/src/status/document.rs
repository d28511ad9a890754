//! Documents of the table of steps: Markdown with a diagram for each method (`ORDER_STATUSES.md`), and `x-transitions`
//! of the OpenAPI document.

use std::fmt::Write as _;

use super::{CollectionMethod, OrderStatus, Step};

/// Writes the table as a Markdown document.
pub fn markdown() -> String {
    let mut text = HEAD.to_owned();
    for method in CollectionMethod::ALL {
        let _ = write!(text, "\n## {method}\n\n");
        text.push_str("| status | step | what may directly follow |\n|---|---|---|\n");
        for step in Step::all(method) {
            let next: Vec<_> = step.next().map(Step::name).collect();
            let next = if next.is_empty() {
                "nothing: it is final".to_owned()
            } else {
                next.join(", ")
            };
            let _ = writeln!(text, "| {} | {} | {next} |", step.status(), step.name());
        }
        let usual: Vec<_> = Step::happy_path(method).into_iter().map(Step::name).collect();
        let _ = write!(text, "\nThe usual walk: {}.\n\n", usual.join(", "));
        diagram(&mut text, method);
    }
    text
}

/// Writes the table as the value of `x-transitions`: lines of YAML, each indented by so many spaces.
pub fn yaml(indent: usize) -> String {
    let mut text = String::new();
    for method in CollectionMethod::ALL {
        let _ = writeln!(text, "{:indent$}{method}:", "");
        for step in Step::all(method) {
            let next: Vec<_> = step.next().map(Step::name).collect();
            let (name, status, next) = (step.name(), step.status(), next.join(", "));
            let _ = writeln!(text, "{:indent$}  {name}: {{ status: {status}, next: [{next}] }}", "");
        }
    }
    text
}

const HEAD: &str = "# Statuses of lab orders

<!-- Generated from src/status/table.rs: see tests/document.rs -->

A step of an order is written `{status}.{method}.{step}`, such as `received.walk_in_test.ordered`. The tables say what may
directly follow each step. Steps are reported late, or not at all: a step is accepted where the table leads to it from the
step before its time, by any number of transitions, and from it to the step behind its time. Steps of the same time are in
the order of the table. The status of an order is that of its last step.

- `completed`, `cancelled` and `failed` are final.
- A team may cancel an order while it is `received` or `collecting_sample`. A lab may report `cancelled` later, too.
- A step of a known time corrects what is known about it. The same step at another time is a new one, where the table leads
  from it to itself: an appointment that is scheduled again, more partial results.
- A kit that is not registered when it is sent is registered when the customer has it, so `testkit_registered` and
  `requisition_created` may stand before or behind its way to the customer.
- A sample that was drawn badly may be drawn again (`redraw_available`), also after partial results.

The diagrams leave out `cancelled` and `do_not_process`.
";

/// Draws a state diagram, without the ends that nearly every step has.
fn diagram(text: &mut String, method: CollectionMethod) {
    text.push_str("```mermaid\nstateDiagram-v2\n");
    let shown = |step: &Step| step.status() != OrderStatus::Cancelled;
    for status in OrderStatus::ALL {
        let steps: Vec<_> = Step::all(method)
            .filter(|step| shown(step) && step.status() == status)
            .collect();
        if steps.is_empty() {
            continue;
        }
        // A state and the one around it may not have the same name.
        let _ = writeln!(text, "    state \"{status}\" as in_{status} {{");
        for step in steps {
            let _ = writeln!(text, "        {}", step.name());
        }
        text.push_str("    }\n");
    }
    let _ = writeln!(text, "    [*] --> {}", Step::initial(method).name());
    for step in Step::all(method) {
        for next in step.next().filter(shown) {
            let _ = writeln!(text, "    {} --> {}", step.name(), next.name());
        }
    }
    text.push_str("```\n");
}
