//! Names of topics, by the service's rules.

use wearlab_models::CloudPubsub;

use crate::Unusable;

/// The full name of the topic that a pipeline names.
pub(super) fn topic(block: &CloudPubsub) -> Result<String, Unusable> {
    project(&block.project).map_err(|reason| Unusable::new("cloud_pubsub.project", reason))?;
    id(&block.topic).map_err(|reason| Unusable::new("cloud_pubsub.topic", reason))?;
    Ok(format!("projects/{}/topics/{}", block.project, block.topic))
}

/// Ids, numbers, and the older ids that begin with a domain, such as `example.com:project`.
fn project(project: &str) -> Result<(), &'static str> {
    let known = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "-.:".contains(c);
    if project.is_empty() {
        Err("is empty: give the id of the Google Cloud project")
    } else if project.len() > 100 || !project.chars().all(known) {
        Err(
            "is no project id: give it as Google Cloud lists it, in lowercase letters, digits and hyphens, not its name",
        )
    } else {
        Ok(())
    }
}

fn id(topic: &str) -> Result<(), &'static str> {
    let known = |c: char| c.is_ascii_alphanumeric() || "-_.~+%".contains(c);
    if topic.contains('/') {
        Err("is more than a topic's id: give what follows `/topics/`")
    } else if !(3..=255).contains(&topic.len()) {
        Err("is no topic id: it has 3 to 255 characters")
    } else if !topic.starts_with(|c: char| c.is_ascii_alphabetic()) || topic.starts_with("goog") {
        Err("is no topic id: it begins with a letter, and not with `goog`")
    } else if !topic.chars().all(known) {
        Err("is no topic id: it has letters, digits and - _ . ~ + % alone")
    } else {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::topic;
    use wearlab_models::CloudPubsub;

    fn of(project: &str, name: &str) -> Result<String, String> {
        let block = serde_json::json!({"project": project, "topic": name, "message_ordering": true});
        let block: CloudPubsub = serde_json::from_value(block).expect("a block");
        topic(&block).map_err(|unusable| unusable.field)
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
