//! Names of a generated workspace.

use anyhow::{Result, bail};

/// Maximum length of a derived name in characters.
const MAX_NAME_LENGTH: usize = 40;

/// Names of a service.
pub(crate) struct Names {
    /// Name in prose: the title of its document.
    title: String,
    /// Name in crates: `train-travel`.
    kebab: String,
}

impl Names {
    /// Creates the names of a service from the title of its document, or from `name`.
    pub(crate) fn new(title: &str, name: Option<&str>) -> Result<Self> {
        let kebab = match name {
            Some(name) if name.is_empty() || kebab(name) != name || name.len() > MAX_NAME_LENGTH => {
                bail!(
                    "--name is up to {MAX_NAME_LENGTH} lowercase letters, digits and single hyphens, and begins with a letter"
                );
            }
            Some(name) => name.to_owned(),
            None => derived(title),
        };
        // The title is put into comments and manifests.
        let prose = |c: char| c.is_alphanumeric() || " -.,'&+()".contains(c);
        let title: String = title.chars().filter(|c| prose(*c)).collect();
        let title = match title.trim() {
            "" => kebab.clone(),
            title => title.to_owned(),
        };
        Ok(Self { title, kebab })
    }

    /// Returns the prefix of environment variables.
    pub(crate) fn prefix(&self) -> String {
        self.kebab.replace('-', "_").to_ascii_uppercase()
    }

    /// Returns the name of one of the crates.
    pub(crate) fn package(&self, part: &str) -> String {
        format!("{}-{part}", self.kebab)
    }

    /// Returns the name in prose.
    pub(crate) fn title(&self) -> &str {
        &self.title
    }

    /// Fills in the name of the service for `NAME`, in names of crates and of their modules.
    pub(crate) fn apply(&self, text: &str) -> String {
        text.replace("NAME_", &format!("{}_", self.kebab.replace('-', "_")))
            .replace("NAME", &self.kebab)
    }
}

/// Derives a name from a title: as many of its words as fit, without an `api` at the end.
fn derived(title: &str) -> String {
    let whole = kebab(title);
    let mut name = String::new();
    for word in whole.split('-') {
        if name.len() + word.len() + 1 > MAX_NAME_LENGTH {
            break;
        }
        name.push_str(if name.is_empty() { "" } else { "-" });
        name.push_str(word);
    }
    match name.strip_suffix("-api").unwrap_or(&name) {
        "" => "service".to_owned(),
        name => name.to_owned(),
    }
}

/// Returns the ASCII letters and digits of a text in lowercase, separated by hyphens.
fn kebab(text: &str) -> String {
    let text = text.to_ascii_lowercase();
    let words = text.split(|c: char| !c.is_ascii_alphanumeric());
    let words = words.filter(|word| !word.is_empty());
    // The name of a crate must begin with a letter.
    let words = words.skip_while(|word| word.starts_with(|c: char| c.is_ascii_digit()));
    words.collect::<Vec<_>>().join("-")
}

#[cfg(test)]
mod tests {
    use super::Names;

    #[test]
    fn names_come_from_the_title() {
        for (title, package, prefix) in [
            ("Petstore", "petstore-models", "PETSTORE"),
            ("Train Travel API", "train-travel-models", "TRAIN_TRAVEL"),
            ("GitHub v3 REST API", "github-v3-rest-models", "GITHUB_V3_REST"),
            ("2 Zoom: \"Meeting\" API", "zoom-meeting-models", "ZOOM_MEETING"),
            ("Öre", "re-models", "RE"),
            ("…", "service-models", "SERVICE"),
        ] {
            let names = Names::new(title, None).expect("a name");
            assert_eq!(
                (names.package("models").as_str(), names.prefix().as_str()),
                (package, prefix)
            );
        }
        let long = Names::new("The interface of a service whose title is far too long", None).expect("a name");
        assert_eq!(long.package("cli"), "the-interface-of-a-service-whose-title-cli");
    }

    #[test]
    fn a_given_name_is_one_of_crates() {
        let names = Names::new("Anything \"at\" all\\", Some("pets-2")).expect("a name");
        assert_eq!(names.apply("NAME_client and NAME-cli"), "pets_2_client and pets-2-cli");
        assert_eq!((names.prefix().as_str(), names.title()), ("PETS_2", "Anything at all"));
        for wrong in ["", "Pets", "2pets", "a_b", "a--b", "-a", "a b", "ü", &"a".repeat(41)] {
            assert!(Names::new("Pets", Some(wrong)).is_err(), "{wrong:?}");
        }
    }
}
