//! Calls every operation of the petstore at `PETSTORE_BASE_URL` with `PETSTORE_KEY`, and checks the responses.

use std::error::Error as StdError;

use petstore_client::models::{Kind, NewPet};
use petstore_client::{Client, Error};

#[tokio::main]
async fn main() -> Result<(), Box<dyn StdError>> {
    let client = Client::from_env()?;
    let rex = NewPet::new("Rex", Kind::Dog);
    let tom = NewPet::new("Tom", Kind::Cat);
    let rex = client.add_pet(rex).send().await?;
    client.add_pet(tom).send().await?;
    println!("added {} as {}", rex.name, rex.id);

    let dogs = client.list_pets().kind(Kind::Dog).send().await?;
    assert!(dogs.pets.iter().any(|pet| pet.id == rex.id));
    assert!(dogs.pets.iter().all(|pet| pet.kind == Kind::Dog));

    let max = NewPet::new("Max", Kind::Dog);
    client.replace_pet(rex.id, max).send().await?;
    assert_eq!(client.get_pet(rex.id).send().await?.name, "Max");
    println!("{} is called Max now", rex.id);

    let nameless = NewPet::new("", Kind::Dog);
    match client.add_pet(nameless).send().await {
        Err(Error::Invalid(failure)) => println!("rejected: {failure}"),
        other => return Err(format!("a pet without a name: {other:?}").into()),
    }

    client.remove_pet(rex.id).send().await?;
    match client.get_pet(rex.id).send().await {
        Err(Error::NotFound(_)) => println!("{} is gone", rex.id),
        other => return Err(format!("a pet that was removed: {other:?}").into()),
    }
    Ok(())
}
