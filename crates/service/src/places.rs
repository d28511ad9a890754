//! Permits of open requests, with a limit for each organisation.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use wearlab_server::ApiError;
use wearlab_store::OrganisationId;

use super::errors::RETRY_AFTER;

/// Permits of all organisations.
#[derive(Clone)]
pub(super) struct Places {
    most: usize,
    most_of_one: usize,
    taken: Arc<Mutex<Taken>>,
}

#[derive(Default)]
struct Taken {
    all: usize,
    by_organisation: HashMap<String, usize>,
}

/// Permit, released when it is dropped.
pub struct Place {
    organisation: String,
    taken: Arc<Mutex<Taken>>,
}

impl Places {
    pub(super) fn new(most: usize, most_of_one: usize) -> Self {
        Self {
            most,
            most_of_one,
            taken: Arc::default(),
        }
    }

    /// Takes a permit of an organisation.
    ///
    /// # Errors
    ///
    /// 429 at the limit of the organisation, and 503 at the total limit.
    pub(super) fn take(&self, organisation: &OrganisationId) -> Result<Place, ApiError> {
        let organisation = organisation.as_str();
        let mut taken = lock(&self.taken);
        let own = taken.by_organisation.get(organisation).copied().unwrap_or_default();
        if own >= self.most_of_one {
            return Err(ApiError::too_many_requests(RETRY_AFTER));
        }
        if taken.all >= self.most {
            return Err(ApiError::unavailable(RETRY_AFTER));
        }
        taken.all += 1;
        taken.by_organisation.insert(organisation.to_owned(), own + 1);
        Ok(Place {
            organisation: organisation.to_owned(),
            taken: self.taken.clone(),
        })
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut taken = lock(&self.taken);
        taken.all -= 1;
        if let Some(own) = taken.by_organisation.get_mut(&self.organisation) {
            *own -= 1;
            // Organisations without permits take no memory.
            if *own == 0 {
                taken.by_organisation.remove(&self.organisation);
            }
        }
    }
}

fn lock(taken: &Mutex<Taken>) -> MutexGuard<'_, Taken> {
    taken.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use axum::http::StatusCode;
    use wearlab_store::{KeyRecord, OrganisationId, Store};

    use super::Places;

    async fn organisation(store: &Store, id: &str) -> OrganisationId {
        let written = store.write(|write| {
            write.put_organisation(id)?;
            write.put_key(&KeyRecord::of_organisation(id, id))
        });
        written.await.expect("writes");
        let found = store.organisation_of_key(id).await.expect("reads");
        found.expect("an organisation")
    }

    #[tokio::test]
    async fn one_organisation_leaves_places_to_others_and_gives_its_own_back() {
        let directory = tempfile::tempdir().expect("a directory");
        let store = Store::open(directory.path()).expect("opens");
        let [one, two, three] = [
            organisation(&store, "org_one").await,
            organisation(&store, "org_two").await,
            organisation(&store, "org_three").await,
        ];
        let places = Places::new(5, 2);
        let refused = |organisation| places.take(organisation).err().map(|error| error.status());
        let held = [&one, &one, &two, &two].map(|organisation| places.take(organisation).expect("a place"));
        assert_eq!(refused(&one), Some(StatusCode::TOO_MANY_REQUESTS));
        let last = places.take(&three).expect("a place");
        assert_eq!(refused(&three), Some(StatusCode::SERVICE_UNAVAILABLE));
        drop(held);
        assert_eq!(refused(&three), None);
        drop(last);
        assert!(places.taken.lock().expect("sound").by_organisation.is_empty());
    }
}
