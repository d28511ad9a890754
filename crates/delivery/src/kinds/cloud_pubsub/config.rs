//! The `cloud_pubsub` block: the name of a topic, by the service's rules.

use wearlab_models::CloudPubsub;

use crate::ConfigError;

/// A topic.
#[derive(Clone, Debug)]
pub struct TopicConfig {
    /// The full name: `projects/PROJECT/topics/TOPIC`.
    pub name: String,
    /// The project.
    pub project: String,
    /// True if messages have the user's id as ordering key.
    pub ordered: bool,
}

impl TopicConfig {
    /// Parses the block of a pipeline.
    ///
    /// # Errors
    ///
    /// For a name that the service cannot have.
    pub fn parse(block: &CloudPubsub) -> Result<Self, ConfigError> {
        project(&block.project).map_err(|reason| ConfigError::new("cloud_pubsub.project", reason))?;
        id(&block.topic).map_err(|reason| ConfigError::new("cloud_pubsub.topic", reason))?;
        Ok(Self {
            name: format!("projects/{}/topics/{}", block.project, block.topic),
            project: block.project.clone(),
            ordered: block.message_ordering,
        })
    }
}

/// Ids, numbers, and the older ids that begin with a domain, such as `example.com:project`.
fn project(project: &str) -> Result<(), &'static str> {
    let known = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "-.:".contains(c);
    if project.trim().is_empty() {
        Err("is empty")
    } else if project.len() > 100 || !project.chars().all(known) {
        Err("is not a project id (lowercase letters, digits and hyphens); give the id, not the name")
    } else {
        Ok(())
    }
}

fn id(topic: &str) -> Result<(), &'static str> {
    let known = |c: char| c.is_ascii_alphanumeric() || "-_.~+%".contains(c);
    if topic.trim().is_empty() {
        Err("is empty")
    } else if topic.contains('/') {
        Err("is not a topic id; give only what follows `/topics/`")
    } else if !(3..=255).contains(&topic.len()) {
        Err("is not a topic id; it has 3 to 255 characters")
    } else if !topic.starts_with(|c: char| c.is_ascii_alphabetic()) || topic.starts_with("goog") {
        Err("is not a topic id; it starts with a letter, and not with `goog`")
    } else if !topic.chars().all(known) {
        Err("is not a topic id; it has only letters, digits and - _ . ~ + %")
    } else {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use wearlab_models::CloudPubsub;

    use super::TopicConfig;

    fn of(project: &str, name: &str) -> Result<String, String> {
        let block = serde_json::json!({"project": project, "topic": name, "message_ordering": true});
        let block: CloudPubsub = serde_json::from_value(block).expect("a block");
        TopicConfig::parse(&block)
            .map(|topic| topic.name)
            .map_err(|error| error.field)
    }

    #[test]
    fn names_follow_the_rules_of_the_service() {
        assert_eq!(
            of("my-project-1", "events").as_deref(),
            Ok("projects/my-project-1/topics/events")
        );
        for project in ["123456789", "example.com:my-project", "p"] {
            assert!(of(project, "events").is_ok(), "{project}");
        }
        for project in ["", "My Project", "p/q", "pröject", "a\nb", &"p".repeat(101)] {
            assert_eq!(
                of(project, "events"),
                Err("cloud_pubsub.project".to_owned()),
                "{project}"
            );
        }
        for name in ["abc", "a-b_c.d~e+f%20", &"a".repeat(255)] {
            assert!(of("p", name).is_ok(), "{name}");
        }
        for name in [
            "",
            "ab",
            "1abc",
            "goog-abc",
            "projects/p/topics/abc",
            "ab c",
            "abcé",
            &"a".repeat(256),
        ] {
            assert_eq!(of("p", name), Err("cloud_pubsub.topic".to_owned()), "{name}");
        }
    }
}
