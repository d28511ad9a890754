//! Subjects of messages.

use wearlab_models::Uuid;

use crate::{Message, Reason};

/// Longer subjects do not fit into the lines that servers accept by default, with what else is there.
const LONGEST: usize = 1024;
/// Stands for the user of an event about no user.
const NO_USER: &str = "none";

/// Subject with placeholders for parts of an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SubjectTemplate {
    text: String,
    parts: Vec<Part>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    Text(String),
    EventType,
    TeamId,
    UserId,
}

impl SubjectTemplate {
    /// Parses a template.
    pub(super) fn parse(text: &str) -> Result<Self, &'static str> {
        let (mut parts, mut rest) = (Vec::new(), text);
        while let Some((before, after)) = rest.split_once('{') {
            let (name, after) = after.split_once('}').ok_or("has a { without a }")?;
            parts.push(Part::Text(before.to_owned()));
            parts.push(match name {
                "event_type" => Part::EventType,
                "team_id" => Part::TeamId,
                "user_id" => Part::UserId,
                _ => return Err("has an unknown placeholder; known are {event_type}, {team_id} and {user_id}"),
            });
            rest = after;
        }
        if rest.contains('}') {
            return Err("has a } without a {");
        }
        parts.push(Part::Text(rest.to_owned()));
        let template = Self {
            text: text.to_owned(),
            parts,
        };
        check(&template.fill("a", Uuid::nil(), None))?;
        Ok(template)
    }

    /// Returns true if the subject is the same for all events of a team.
    pub(super) fn is_constant(&self) -> bool {
        let varies = |part: &Part| matches!(part, Part::EventType | Part::UserId);
        !self.parts.iter().any(varies)
    }

    /// The subject of a message.
    pub(super) fn subject(&self, message: &Message) -> Result<String, Reason> {
        let subject = self.fill(&message.event_type, message.team_id, message.user_id);
        match check(&subject) {
            Ok(()) => Ok(subject),
            Err(problem) => Err(Reason::new(format!("its subject, which has its event type, {problem}"))),
        }
    }

    fn fill(&self, event_type: &str, team: Uuid, user: Option<Uuid>) -> String {
        let parts = self.parts.iter().map(|part| match part {
            Part::Text(text) => text.clone(),
            Part::EventType => event_type.to_owned(),
            Part::TeamId => team.to_string(),
            Part::UserId => user.map_or_else(|| NO_USER.to_owned(), |user| user.to_string()),
        });
        parts.collect()
    }

    /// The template itself.
    pub fn as_str(&self) -> &str {
        &self.text
    }
}

/// Checks that a subject can be published to.
fn check(subject: &str) -> Result<(), &'static str> {
    if subject.len() > LONGEST {
        Err("is longer than 1024 bytes")
    } else if subject.chars().any(|c| c.is_whitespace() || c.is_control()) {
        Err("has a space or a control character")
    } else if subject.contains(['*', '>']) {
        Err("has a wildcard (* or >), which nobody can publish to")
    } else if subject.starts_with('$') || subject.starts_with("_INBOX.") {
        Err("begins with $ or _INBOX., which are for the server and for responses")
    } else if subject.split('.').any(str::is_empty) {
        Err("is empty, or has an empty part between dots")
    } else {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use wearlab_models::Uuid;

    use super::SubjectTemplate;
    use crate::Message;

    fn message(event_type: &str, user: Option<u128>) -> Message {
        Message {
            event_id: "evt_1".to_owned(),
            event_type: event_type.to_owned(),
            team_id: Uuid::from_u128(1),
            user_id: user.map(Uuid::from_u128),
            created_on: chrono::DateTime::UNIX_EPOCH.fixed_offset(),
            payload: Bytes::from_static(b"{}"),
        }
    }

    #[test]
    fn placeholders_stand_for_parts_of_the_event() {
        let subject = |template: &str, user| {
            let template = SubjectTemplate::parse(template).expect("a template");
            let subject = template.subject(&message("daily.data.steps.created", user));
            (template.is_constant(), subject.expect("a subject"))
        };
        let (team, user) = (Uuid::from_u128(1), Uuid::from_u128(2));
        for (template, user_id, expected) in [
            ("events", None, (true, "events".to_owned())),
            ("a.{team_id}", None, (true, format!("a.{team}"))),
            ("a.{event_type}", None, (false, "a.daily.data.steps.created".to_owned())),
            ("a.{user_id}.b", Some(2), (false, format!("a.{user}.b"))),
            ("u-{user_id}", None, (false, "u-none".to_owned())),
        ] {
            assert_eq!(subject(template, user_id), expected, "{template}");
        }
    }

    #[test]
    fn templates_and_types_that_make_no_subject_are_refused() {
        for (template, problem) in [
            ("", "is empty"),
            ("a..b", "is empty, or has an empty part"),
            (".{event_type}", "is empty, or has an empty part"),
            ("a.>", "has a wildcard"),
            ("a.*.b", "has a wildcard"),
            ("a b", "has a space"),
            ("a.{event}", "has an unknown placeholder"),
            ("a.{event_type", "has a {"),
            ("a.event_type}", "has a }"),
            ("$JS.API.STREAM.PURGE.EVENTS", "begins with $ or _INBOX."),
            ("_INBOX.{event_type}", "begins with $ or _INBOX."),
            (&"a".repeat(1025), "is longer"),
        ] {
            let error = SubjectTemplate::parse(template).expect_err(template);
            assert!(error.starts_with(problem), "{template}: {error}");
        }
        let of_type = SubjectTemplate::parse("{event_type}").expect("a template");
        assert!(of_type.subject(&message("$SYS.x", None)).is_err());
        let template = SubjectTemplate::parse("a.{event_type}").expect("a template");
        for event_type in ["daily data", "daily.*", "", "daily..data", &"x".repeat(1024)] {
            let reason = template.subject(&message(event_type, None)).expect_err(event_type);
            assert!(
                reason.as_str().starts_with("its subject, which has its event type, "),
                "{reason}"
            );
        }
    }
}
