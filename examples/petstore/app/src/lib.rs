//! In-memory back end of the petstore.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use petstore_server::models::{NewPet, Pet, PetList};
use petstore_server::{
    AddPetInput, ApiError, ApiResult, Auth, GetPetInput, ListPetsInput, PetsApi, RemovePetInput, ReplacePetInput,
};

/// Pets by id.
pub struct Petstore {
    key: String,
    pets: Mutex<BTreeMap<i64, Pet>>,
}

/// Caller with the key.
pub struct Keeper;

impl Petstore {
    /// Creates a store without pets, for callers with this key.
    pub fn new(key: impl Into<String>) -> Self {
        Self {
            key: key.into(),
            pets: Mutex::default(),
        }
    }

    fn pets(&self) -> MutexGuard<'_, BTreeMap<i64, Pet>> {
        self.pets.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Auth for Petstore {
    type Key = Keeper;

    async fn key(&self, credential: &str) -> Result<Keeper, ApiError> {
        // A real service compares hashes, in constant time.
        match credential == self.key {
            true => Ok(Keeper),
            false => Err(ApiError::unauthorized("This key is not valid.")),
        }
    }
}

impl PetsApi for Petstore {
    async fn list_pets(&self, _: Keeper, input: ListPetsInput) -> ApiResult<PetList> {
        let pets = self.pets();
        let wanted = pets.values().filter(|pet| input.kind.as_ref().is_none_or(|kind| pet.kind == *kind));
        Ok(PetList::builder().pets(wanted.cloned().collect::<Vec<_>>()).build().into())
    }

    async fn add_pet(&self, _: Keeper, input: AddPetInput) -> ApiResult<Pet> {
        let mut pets = self.pets();
        let id = pets.keys().next_back().map_or(1, |last| last + 1);
        let pet = named(id, input.body);
        pets.insert(id, pet.clone());
        Ok(pet.into())
    }

    async fn get_pet(&self, _: Keeper, input: GetPetInput) -> ApiResult<Pet> {
        let pets = self.pets();
        Ok(pets.get(&input.pet_id).ok_or_else(missing)?.clone().into())
    }

    async fn replace_pet(&self, _: Keeper, input: ReplacePetInput) -> ApiResult<Pet> {
        let mut pets = self.pets();
        let pet = pets.get_mut(&input.pet_id).ok_or_else(missing)?;
        *pet = named(input.pet_id, input.body);
        Ok(pet.clone().into())
    }

    async fn remove_pet(&self, _: Keeper, input: RemovePetInput) -> Result<(), ApiError> {
        self.pets().remove(&input.pet_id).ok_or_else(missing)?;
        Ok(())
    }
}

fn named(id: i64, new: NewPet) -> Pet {
    Pet::builder().id(id).name(new.name).kind(new.kind).build()
}

fn missing() -> ApiError {
    ApiError::not_found("There is no such pet.")
}
