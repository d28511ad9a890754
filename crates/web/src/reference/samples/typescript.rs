//! Samples with `fetch`, for Node.js.

use super::call::{Body, Call, Kind, LINES_FILE, pretty};

pub(super) fn write(call: &Call<'_>) -> String {
    let mut imports = Vec::new();
    let mut options = Vec::new();
    match call.method().as_str() {
        "GET" => {}
        method => options.push(format!("method: \"{method}\"")),
    }
    let mut headers: Vec<_> = call
        .credentials
        .iter()
        .map(|(header, variable)| format!("\"{header}\": process.env.{variable} ?? \"\""))
        .collect();
    match &call.body {
        None => {}
        Some(Body::Json(_)) => headers.push("\"content-type\": \"application/json\"".to_owned()),
        Some(Body::Lines(kind)) => headers.push(format!("\"content-type\": \"{kind}\"")),
    }
    options.push(match headers.len() {
        1 => format!("headers: {{ {} }}", headers.concat()),
        _ => format!("headers: {{\n    {},\n  }}", headers.join(",\n    ")),
    });
    match &call.body {
        None => {}
        Some(Body::Json(value)) => options.push(format!("body: JSON.stringify({})", pretty(value, 2))),
        Some(Body::Lines(_)) => {
            imports.push("readFile");
            options.push(format!("body: await readFile(\"{LINES_FILE}\")"));
        }
    }
    let read = match call.response {
        Kind::Nothing => "".to_owned(),
        Kind::Json => "\nconsole.log(await response.json());".to_owned(),
        Kind::Lines => "\nconsole.log(await response.text());".to_owned(),
        Kind::File => {
            imports.push("writeFile");
            format!(
                "\nawait writeFile(\"{}\", new Uint8Array(await response.arrayBuffer()));",
                call.file()
            )
        }
    };
    let imports = match imports.is_empty() {
        true => "".to_owned(),
        false => format!("import {{ {} }} from \"node:fs/promises\";\n\n", imports.join(", ")),
    };
    // Path and query are percent-encoded: they have no character that a template literal interprets.
    format!(
        "\
{imports}const response = await fetch(`${{process.env.{}}}{}`, {{
  {},
}});
if (!response.ok) throw new Error(`${{response.status}}: ${{await response.text()}}`);{read}",
        call.url_variable(),
        call.target(),
        options.join(",\n  ")
    )
}
