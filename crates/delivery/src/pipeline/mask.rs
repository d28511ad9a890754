//! Restores masked secrets: a client may send back a pipeline as it was read, with masks in place of its secrets.

use serde_json::Value;
use wearlab_models::{Masked, PathSegment, Pipeline, Secret, SecretPath, Secrets};

use crate::ConfigError;
use crate::kinds::host_fields;

const DIFFERS: &str = "has a masked secret and differs from the stored value in other parts; give the secret itself";
const OTHER_HOST: &str = "has a masked secret and is for another host than the stored one; give the secret itself";
const SEVERAL: &str = "has a masked secret, and several are stored for this container; give the secret itself";
const NONE: &str = "has a masked secret, and none is stored; give the secret itself";

/// Restores the secrets of a stored pipeline in place of their masks in a given one. In lists, the entry with the same
/// shown members is used, or else the only one with the same mask and the same other members.
///
/// A pipeline that was exported without secrets, and is imported again, keeps them.
///
/// # Errors
///
/// For a mask that would replace a secret: it is not the mask of the stored one.
pub fn unmask(given: &mut Pipeline, stored: &Pipeline) -> Result<(), ConfigError> {
    let before = value(stored)?;
    let stored = Stored::new(stored.clone())?;
    let shown = value(&*given)?;
    let (mut failed, mut restored) = (None, Vec::new());
    visit(given, |path, secret| {
        if failed.is_none() {
            match stored.secret_of(path, secret, &shown) {
                Ok(Some(stored)) => {
                    *secret = stored;
                    restored.push(path.to_string());
                }
                Ok(None) => {}
                Err(reason) => failed = Some(ConfigError::new(path.to_string(), reason)),
            }
        }
    });
    failed.map_or(Ok(()), Err)?;
    check_hosts(&restored, &before, &value(&*given)?)
}

/// Refuses restored secrets whose host is another one now.
fn check_hosts(restored: &[String], before: &Value, after: &Value) -> Result<(), ConfigError> {
    for (block, secret, host) in host_fields() {
        let field = format!("{block}.{secret}");
        if restored.contains(&field) && before[block][host] != after[block][host] {
            return Err(ConfigError::new(field, OTHER_HOST));
        }
    }
    Ok(())
}

/// Fails if a mask remains, such as after [`unmask`] without a stored pipeline.
///
/// # Errors
///
/// For the first mask.
pub fn check_unmasked(pipeline: &Pipeline) -> Result<(), ConfigError> {
    let mut masked = None;
    visit(&mut pipeline.clone(), |path, secret| {
        if secret.is_masked() {
            masked.get_or_insert_with(|| path.to_string());
        }
    });
    match masked {
        Some(field) => Err(ConfigError::new(field, NONE)),
        None => Ok(()),
    }
}

fn visit(pipeline: &mut Pipeline, mut each: impl FnMut(&SecretPath, &mut Secret)) {
    pipeline.visit_secrets(&mut SecretPath::default(), &mut each);
}

fn value(pipeline: &Pipeline) -> Result<Value, ConfigError> {
    serde_json::to_value(pipeline).map_err(|_| ConfigError::new("pipeline", "cannot be written as JSON"))
}

/// Stored pipeline.
struct Stored {
    secrets: Vec<(SecretPath, Secret)>,
    /// The pipeline as shown by reads.
    shown: Value,
}

impl Stored {
    fn new(mut pipeline: Pipeline) -> Result<Self, ConfigError> {
        let mut secrets = Vec::new();
        visit(&mut pipeline, |path, secret| {
            secrets.push((path.clone(), secret.clone()))
        });
        let shown = value(&Masked::new(pipeline))?;
        Ok(Self { secrets, shown })
    }

    /// The secret of a given mask. None if it is not a mask, or was never stored.
    fn secret_of(&self, path: &SecretPath, given: &Secret, shown: &Value) -> Result<Option<Secret>, &'static str> {
        let segments = path.segments();
        match segments
            .iter()
            .rposition(|segment| matches!(segment, PathSegment::Index(_)))
        {
            None => self.of_member(path, given),
            Some(_) if !given.is_masked() => Ok(None),
            Some(list) => self.of_entry(segments, list, shown),
        }
    }

    fn of_member(&self, path: &SecretPath, given: &Secret) -> Result<Option<Secret>, &'static str> {
        match self.secrets.iter().find(|(known, _)| known == path) {
            Some((_, secret)) if *given == secret.masked() => Ok(Some(secret.clone())),
            Some((_, secret)) if given.is_masked() && !secret.is_masked() => Err(DIFFERS),
            _ => Ok(None),
        }
    }

    /// The secret of an entry of a list, whose index is the segment `list`.
    fn of_entry(&self, path: &[PathSegment], list: usize, shown: &Value) -> Result<Option<Secret>, &'static str> {
        let (entry, object) = (&path[..=list], &path[..path.len() - 1]);
        let stored: Vec<_> = self
            .secrets
            .iter()
            .filter(|(other, _)| is_alike(other.segments(), path))
            .collect();
        let secrets = |is_meant: &dyn Fn(&[PathSegment]) -> bool| {
            let meant = stored.iter().filter(|(other, _)| is_meant(other.segments()));
            let mut secrets: Vec<_> = meant.map(|(_, secret)| secret).collect();
            secrets.dedup();
            secrets
        };
        let same = secrets(&|other| at(&self.shown, &other[..=list]) == at(shown, entry));
        let beside = || secrets(&|other| at(&self.shown, &other[..object.len()]) == at(shown, object));
        let is_other = |(other, _): &&(SecretPath, Secret)| {
            let other = other.segments();
            without(at(&self.shown, &other[..object.len()]), &path[object.len()])
                == without(at(shown, object), &path[object.len()])
        };
        match same.is_empty().then(beside).unwrap_or(same).as_slice() {
            [secret] => Ok(Some((*secret).clone())),
            [] if stored.iter().copied().any(|one| is_other(&one)) => Err(DIFFERS),
            // A secret that was never stored is left to the check for masks.
            [] => Ok(None),
            _ => Err(SEVERAL),
        }
    }
}

/// Returns true if two paths differ in indices alone.
fn is_alike(one: &[PathSegment], other: &[PathSegment]) -> bool {
    let alike = |(one, other): (&PathSegment, &PathSegment)| match (one, other) {
        (PathSegment::Index(_), PathSegment::Index(_)) => true,
        (one, other) => one == other,
    };
    one.len() == other.len() && one.iter().zip(other).all(alike)
}

/// The value at a path.
fn at<'v>(value: &'v Value, path: &[PathSegment]) -> Option<&'v Value> {
    path.iter().try_fold(value, |value, segment| match segment {
        PathSegment::Member(name) => value.get(name),
        PathSegment::Index(index) => value.get(index),
    })
}

/// An object without a member.
fn without(object: Option<&Value>, member: &PathSegment) -> Option<Value> {
    let mut object = object?.clone();
    if let (Some(members), PathSegment::Member(name)) = (object.as_object_mut(), member) {
        members.remove(name);
    }
    Some(object)
}

#[cfg(test)]
mod tests {
    use wearlab_models::{Masked, Pipeline, Secret};

    use super::unmask;

    fn mask(pipeline: Pipeline) -> Pipeline {
        Masked::new(pipeline).into_inner()
    }

    fn pipeline(containers: &[(&str, &str)]) -> Pipeline {
        let matchers = containers.iter().map(|(name, key)| {
            serde_json::json!({"event_type_regex": "x", "event_hub": "hub", "blob_storage": {
                "container_name": name, "connection_string": format!("AccountName=a;AccountKey={key}")}})
        });
        let block = serde_json::json!({"connection_string": "Endpoint=sb://h/;SharedAccessKey=key",
            "default_event_hub": "all", "compression": "none", "event_hub_matchers": matchers.collect::<Vec<_>>()});
        serde_json::from_value(serde_json::json!({"team_id": "00000000-0000-0000-0000-000000000001",
            "preferences": {"preferred": "azure_amqp", "enabled": ["azure_amqp"]}, "push_historical_data": false,
            "provider_raw_data": false, "event_type_prefixes": [], "azure_amqp": block}))
        .expect("a pipeline")
    }

    #[test]
    fn containers_get_the_secrets_of_their_names() {
        let stored = pipeline(&[("one", "key1"), ("two", "key2")]);
        let mut given = mask(pipeline(&[("two", "key2"), ("one", "key1"), ("new", "key3")]));
        unmask(&mut given, &stored).expect("they are the stored ones");
        let keys = given.azure_amqp.expect("a block").event_hub_matchers;
        let keys: Vec<_> = keys.into_iter().filter_map(|matcher| matcher.blob_storage).collect();
        let ends = keys
            .iter()
            .map(|blob| blob.connection_string.expose().rsplit_once('=').map(|(_, end)| end));
        assert!(ends.eq([Some("key2"), Some("key1"), Some("****")]));
    }

    #[test]
    fn containers_of_one_name_keep_their_own_secrets() {
        let keys = |pipeline: Pipeline| {
            let matchers = pipeline.azure_amqp.expect("a block").event_hub_matchers;
            let blobs = matchers.into_iter().filter_map(|matcher| matcher.blob_storage);
            blobs
                .map(|blob| blob.connection_string.expose().to_owned())
                .collect::<Vec<_>>()
        };
        let mut stored = pipeline(&[("one", "key1"), ("one", "key2")]);
        let of = |stored: &mut Pipeline, index: usize, regex: &str| {
            let matcher = &mut stored.azure_amqp.as_mut().expect("a block").event_hub_matchers[index];
            matcher.event_type_regex = Some(regex.to_owned());
        };
        // By one account, for events of their own.
        of(&mut stored, 1, "y");
        let mut given = mask(stored.clone());
        given.azure_amqp.as_mut().expect("a block").event_hub_matchers.reverse();
        unmask(&mut given, &stored).expect("a read can be sent back");
        assert!(keys(given)[0].ends_with("key2"));
        // The mask is ambiguous.
        let mut given = mask(stored.clone());
        of(&mut given, 0, "z");
        let error = unmask(&mut given, &stored).expect_err("two secrets");
        assert!(error.to_string().contains("several are stored"), "{error}");
        // By two accounts: the mask distinguishes them.
        let matchers = &mut stored.azure_amqp.as_mut().expect("a block").event_hub_matchers;
        let blob = matchers[1].blob_storage.as_mut().expect("a container");
        blob.connection_string = Secret::from("AccountName=b;AccountKey=key2");
        let mut given = mask(stored.clone());
        of(&mut given, 1, "z");
        unmask(&mut given, &stored).expect("a read can be sent back");
        assert!(keys(given)[1].ends_with("key2"));
    }
}
