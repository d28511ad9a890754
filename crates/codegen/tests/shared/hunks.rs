//! Changes of a document, written like a diff without line numbers.
//!
//! Crates that apply patches use line numbers, which every other edit of the document would move, or accept lines that
//! are merely similar.

/// Applies an edit: hunks of kept (` `), removed (`-`) and added (`+`) lines, with a line `@@` between two hunks.
///
/// The document must contain the lines that stay and go exactly once.
pub(crate) fn apply(document: &str, edit: &str) -> Result<String, String> {
    let mut text = format!("\n{document}");
    for hunk in edit.trim_end_matches('\n').split("\n@@\n") {
        let (old, new) = sides(hunk)?;
        // Two matches may share a line break, which `matches` would not find.
        match text
            .char_indices()
            .filter(|(at, _)| text[*at..].starts_with(&old))
            .count()
        {
            1 => text = text.replacen(&old, &new, 1),
            count => return Err(format!("the document contains these lines {count} times:{old}")),
        }
    }
    Ok(text.split_off(1))
}

/// The lines before and after, each with its line breaks around.
fn sides(hunk: &str) -> Result<(String, String), String> {
    let (mut old, mut new) = ("\n".to_owned(), "\n".to_owned());
    for line in hunk.lines() {
        let add = |side: &mut String| {
            side.push_str(line.get(1..).unwrap_or_default());
            side.push('\n');
        };
        match line.chars().next() {
            Some(' ') => {
                add(&mut old);
                add(&mut new);
            }
            Some('-') => add(&mut old),
            Some('+') => add(&mut new),
            _ => return Err(format!("a line begins with none of ` `, `-`, `+`: {line:?}")),
        }
    }
    match old == new || old == "\n" {
        true => Err(format!("a hunk without changes, or without lines to find: {hunk:?}")),
        false => Ok((old, new)),
    }
}

#[test]
fn an_edit_stands_in_one_place_and_changes_something() {
    let document = "a: 1\nb: 2\nc: 2\n";
    assert_eq!(
        apply(document, "-a: 1\n+a: 3\n@@\n c: 2\n+d: 4\n").as_deref(),
        Ok("a: 3\nb: 2\nc: 2\nd: 4\n")
    );
    for wrong in ["-a\n+b\n", " a: 1\n", "+a: 1\n", "x\n", ""] {
        assert!(apply(document, wrong).is_err(), "{wrong:?}");
    }
    assert!(apply("a: 1\na: 1\n", "-a: 1\n").is_err());
    let twice = apply("\na: 1\na: 1\nb: 2\na: 1\n", " a: 1\n+b: 1\n").expect_err("is rejected");
    assert!(twice.contains("3 times"), "{twice}");
}
