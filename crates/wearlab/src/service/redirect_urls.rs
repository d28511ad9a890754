//! The URLs that link tokens of a team may name.

use wearlab_models::{Encoded, RedirectUrlList};
use wearlab_server::operations::PUT_REDIRECT_URLS;
use wearlab_server::{ApiError, ApiResult, GetRedirectUrlsInput, PutRedirectUrlsInput};
use wearlab_store::OrganisationId;

use super::auth::Caller;
use super::write::{Subject, Write, check_precondition, invalid};
use super::{Service, store_error};
use crate::linking::check_redirect_url;

impl Service {
    pub(super) async fn redirect_urls(
        &self,
        organisation: OrganisationId,
        input: GetRedirectUrlsInput,
    ) -> ApiResult<RedirectUrlList> {
        let team = self.team_of(&organisation, &input.org_id, input.team_id).await?;
        let urls = self.store()?.redirect_urls(team).await.map_err(store_error)?;
        Ok(list(urls).into())
    }

    pub(super) async fn put_redirect_urls_of(
        &self,
        caller: Caller<OrganisationId>,
        input: PutRedirectUrlsInput,
    ) -> ApiResult<RedirectUrlList> {
        let write = Write::new(&PUT_REDIRECT_URLS, &caller);
        let organisation = caller.owner();
        let team = self.team_of(&organisation, &input.org_id, input.team_id).await?;
        let urls = input.body.redirect_urls;
        for (at, url) in urls.iter().enumerate() {
            let location = format!("/body/redirect_urls/{at}");
            check_redirect_url(url).map_err(|message| invalid(&location, "invalid", message))?;
            if urls[..at].contains(url) {
                return Err(invalid(&location, "invalid", "is in the list already"));
            }
        }
        let put: RedirectUrlList = self
            .write(write, |transaction| {
                let current = Encoded::encode(&list(transaction.redirect_urls(team)?));
                check_precondition(input.if_match.as_deref(), &current.map_err(ApiError::internal)?)?;
                transaction.put_redirect_urls(team, &urls)?;
                Ok(Subject::Team(team, team.to_string()).wrote(list(urls)))
            })
            .await?;
        Ok(put.into())
    }
}

fn list(urls: Vec<String>) -> RedirectUrlList {
    RedirectUrlList::builder().redirect_urls(urls).build()
}
