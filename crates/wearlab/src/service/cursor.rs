//! Cursors of the pipeline list: opaque, signed, and good for the one listing that gave them.

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use wearlab_models::{Environment, Region, Uuid};
use wearlab_store::{OrganisationId, Store, StoreError};

/// The note in the store that holds the secret.
const META: &str = "cursor_key";
const MAC_BYTES: usize = 16;

/// The secret that cursors are signed with.
pub(super) struct CursorKey(Vec<u8>);

/// What a cursor is good for.
pub(super) struct Listing(String);

impl Listing {
    pub(super) fn new(organisation: &OrganisationId, env: Environment, region: Region, team_id: Option<Uuid>) -> Self {
        Self(format!("{organisation}/{env}/{region}/{}", team_id.unwrap_or_default()))
    }
}

impl CursorKey {
    /// The secret of a store, made when there is none yet.
    pub(super) async fn of(store: &Store, fresh: [u8; 32]) -> Result<Self, StoreError> {
        if let Some(text) = store.meta(META).await? {
            return Ok(Self(text.into_bytes()));
        }
        // Another process may be as far: whichever is first makes the secret of both.
        let text = store
            .write(|write| write.put_meta_if_absent(META, &hex(&fresh)))
            .await?;
        Ok(Self(text.into_bytes()))
    }

    /// The cursor after which a listing goes on behind a team.
    pub(super) fn seal(&self, after: Uuid, listing: &Listing) -> String {
        format!("{}{}", after.simple(), self.sign(after, listing))
    }

    /// The team that a cursor names, if this service gave the cursor for this listing.
    pub(super) fn open(&self, cursor: &str, listing: &Listing) -> Option<Uuid> {
        let (after, mac) = cursor.split_at_checked(32)?;
        let after = Uuid::try_parse(after).ok()?;
        let good = subtle::ConstantTimeEq::ct_eq(mac.as_bytes(), self.sign(after, listing).as_bytes());
        bool::from(good).then_some(after)
    }

    fn sign(&self, after: Uuid, listing: &Listing) -> String {
        let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(&self.0) else {
            unreachable!("a key of any length is good")
        };
        mac.update(after.as_bytes());
        mac.update(listing.0.as_bytes());
        hex(&mac.finalize().into_bytes()[..MAC_BYTES])
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use wearlab_models::Uuid;

    use super::{CursorKey, Listing};

    #[test]
    fn a_cursor_is_good_for_its_own_listing_alone() {
        let (key, other) = (CursorKey(b"one".to_vec()), CursorKey(b"two".to_vec()));
        let (listing, foreign) = (Listing("o/sandbox/eu".into()), Listing("o/sandbox/us".into()));
        let team = Uuid::from_u128(7);
        let cursor = key.seal(team, &listing);
        assert_eq!(key.open(&cursor, &listing), Some(team));
        assert_eq!(key.open(&cursor, &foreign), None);
        assert_eq!(other.open(&cursor, &listing), None);
        assert_eq!(key.open(&cursor[1..], &listing), None);
        assert_eq!(key.open(&format!("{cursor}0"), &listing), None);
        assert_eq!(key.open("", &listing), None);
        assert_eq!(key.open(&"é".repeat(40), &listing), None);
    }
}
