//! Operations of lab orders, a file for each subject.

mod cancel;
mod checks;
mod create;
mod list;
mod requisition;
mod response;
mod results;
mod search;
mod simulate;
mod tests_ordered;

use futures_util::stream;
use response::{no_order, presented, response};
use search::Search;
use wearlab_ingest::orders::StepReport;
use wearlab_labs::status::Step;
use wearlab_models::{
    CreateOrderHeaders, Encoded, FhirBundle, LabReportStatus, LabResultMetadata, LabResults, Order, OrderList,
    OrderResponse, OrderSimulation, RequisitionUrl,
};
use wearlab_server::operations::{CANCEL_ORDER, CREATE_ORDER, CREATE_REQUISITION_URL, SIMULATE_ORDER};
use wearlab_server::{
    ApiError, ApiResult, ByteStream, CancelOrderInput, CreateOrderInput, CreateRequisitionUrlInput, GetOrderInput,
    GetOrderRequisitionInput, GetOrderResultFhirInput, GetOrderResultInput, GetOrderResultMetadataInput,
    ListOrdersInput, OrdersApi, Reply, SimulateOrderInput,
};
use wearlab_store::{OrderPage, OrderRows, TeamId};

use super::auth::Caller;
use super::write::{Subject, Write};
use super::{Service, no_user, parts, store_error};
pub use requisition::SignedForm;

impl OrdersApi for Service {
    async fn create_order(
        &self,
        caller: Caller<TeamId>,
        input: CreateOrderInput,
    ) -> Result<(Reply<OrderResponse>, CreateOrderHeaders), ApiError> {
        let write = Write::new(&CREATE_ORDER, &caller).repeatable(input.idempotency_key.as_deref(), &input.body)?;
        let team = caller.owner();
        // A repeat has the response of the first request, even if the tests can no longer be ordered.
        if let Some(done) = self.kept::<OrderResponse>(&write).await? {
            return Ok(create::created(done));
        }
        let ingestion = self.ingestion();
        let order = self.new_order(team, input.body, ingestion.now.fixed_offset()).await?;
        let done: OrderResponse = self
            .write(write, |transaction| {
                transaction.stored_user(team, order.user_id)?.ok_or_else(no_user)?;
                transaction.create_order(team, &order, &ingestion)?;
                let (subject, user_id) = (Subject::order(team, order.id), order.user_id);
                let written = subject.wrote(response(order, "The order was created."));
                Ok(written.about(team, user_id))
            })
            .await?;
        Ok(create::created(done))
    }

    async fn get_order(&self, team: Caller<TeamId>, input: GetOrderInput) -> ApiResult<Order> {
        let found = self.store()?.team(team.owner()).order(input.order_id).await;
        let order = found.map_err(store_error)?.ok_or_else(no_order)?;
        presented(order).map(Reply::Encoded)
    }

    async fn list_orders(&self, team: Caller<TeamId>, input: ListOrdersInput) -> ApiResult<OrderList> {
        let team = team.owner();
        let filter = list::filter(&input)?;
        let (page, size) = (input.page, input.size);
        let bytes = self.settings.limits.page_bytes;
        let today = (self.now)().date_naive();
        let found = if input.order_transaction_id.is_some() {
            OrderPage::default()
        } else if let Some(search) = Search::of(input, today) {
            self.search_orders(team, &filter, search, (page, size)).await?
        } else {
            let store = self.store()?.team(team);
            store.orders(&filter, page, size, bytes).await.map_err(store_error)?
        };
        let envelope = OrderList::builder()
            .orders(Vec::new())
            .total(found.total)
            .page(page)
            .size(size)
            .build();
        let places = match found.orders {
            OrderRows::Whole(orders) => {
                let body = list::blocking(move || {
                    let orders: Vec<_> = orders.into_iter().map(presented).collect::<Result<_, _>>()?;
                    Encoded::page(&envelope, &orders).map_err(ApiError::internal)
                });
                return body.await.map(Reply::Encoded);
            }
            OrderRows::Places(places) => places,
        };
        let store = self.store()?.clone();
        let pages = stream::try_unfold((places, 0), move |(places, at)| {
            let store = store.clone();
            async move {
                if at == places.len() {
                    return Ok(None);
                }
                let part = store.team(team).some_orders(&places[at..], bytes).await;
                let part = part.map_err(store_error)?;
                let next = at + part.len();
                let orders = list::blocking(move || part.into_iter().flatten().map(presented).collect()).await?;
                Ok(Some((orders, (places, next))))
            }
        });
        parts::list(&envelope, "orders", pages).map(Reply::Parts)
    }

    async fn cancel_order(&self, caller: Caller<TeamId>, input: CancelOrderInput) -> ApiResult<OrderResponse> {
        let write = Write::new(&CANCEL_ORDER, &caller).repeatable(input.idempotency_key.as_deref(), &input.order_id)?;
        let team = caller.owner();
        let ingestion = self.ingestion();
        let done = self.write(write, |transaction| {
            let mut order = transaction.order(team, input.order_id)?.ok_or_else(no_order)?;
            let step = cancel::cancelled(&order)?;
            // The clock of the lab may be ahead.
            let at = order.last_event.created_at.max(ingestion.now.fixed_offset());
            let report = StepReport::at(step, at);
            transaction
                .advance_order(team, &mut order, &report, &ingestion)
                .map_err(|error| cancel::refused(error, &order))?;
            let (subject, user_id) = (Subject::order(team, order.id), order.user_id);
            let written = subject.wrote(response(order, "The order was cancelled."));
            Ok(written.about(team, user_id))
        });
        done.await.map(Into::into)
    }

    async fn simulate_order(&self, caller: Caller<TeamId>, input: SimulateOrderInput) -> ApiResult<OrderResponse> {
        if !self.is_demo {
            return Err(ApiError::not_found("Orders are only moved like this on a demo."));
        }
        let to = simulate::destination(&input)?;
        let SimulateOrderInput { body, delay, .. } = &input;
        let flags = body.clone().unwrap_or_else(|| OrderSimulation::builder().build());
        let asked = (input.order_id, body, &input.final_status, delay);
        let write = Write::new(&SIMULATE_ORDER, &caller).repeatable(input.idempotency_key.as_deref(), &asked)?;
        let team = caller.owner();
        let ingestion = self.ingestion();
        let markers = self.markers_ordered(team, input.order_id).await?;
        let done = self.write(write, |transaction| {
            let mut order = transaction.order(team, input.order_id)?.ok_or_else(no_order)?;
            let steps = simulate::steps(&order, to)?;
            let times = simulate::times(&order, ingestion.now, steps.len(), *delay);
            for (step, at) in steps.iter().zip(times) {
                let report = StepReport::at(*step, at.fixed_offset());
                transaction
                    .advance_order(team, &mut order, &report, &ingestion)
                    .map_err(|error| cancel::refused(error, &order))?;
                // A step that reports results needs some.
                for status in [LabReportStatus::Partial, LabReportStatus::Final] {
                    let is_partial = status == LabReportStatus::Partial;
                    if *step == Step::of_results(step.method(), is_partial) {
                        simulate::report_results(
                            transaction,
                            team,
                            &order,
                            &markers,
                            &flags,
                            (status, at),
                            &ingestion,
                        )?;
                    }
                }
            }
            let order = transaction.order(team, order.id)?.ok_or_else(no_order)?;
            let (subject, user_id) = (Subject::order(team, order.id), order.user_id);
            let written = subject.wrote(response(order, "The order was moved."));
            Ok(written.about(team, user_id))
        });
        done.await.map(Into::into)
    }

    async fn get_order_result(&self, team: Caller<TeamId>, input: GetOrderResultInput) -> ApiResult<LabResults> {
        let (order, reported) = self.reported(team.owner(), input.order_id).await?;
        Ok(self.lab_results(&order, &reported).into())
    }

    async fn get_order_result_metadata(
        &self,
        team: Caller<TeamId>,
        input: GetOrderResultMetadataInput,
    ) -> ApiResult<LabResultMetadata> {
        let (order, reported) = self.reported(team.owner(), input.order_id).await?;
        Ok(results::metadata(&order, &reported).into())
    }

    async fn get_order_result_fhir(
        &self,
        team: Caller<TeamId>,
        input: GetOrderResultFhirInput,
    ) -> ApiResult<FhirBundle> {
        let (order, reported) = self.reported(team.owner(), input.order_id).await?;
        let results = self.lab_results(&order, &reported);
        let bundle = wearlab_fhir::bundle(&order, &results);
        let bundle = serde_json::from_value::<FhirBundle>(bundle);
        bundle.map(Into::into).map_err(ApiError::internal)
    }

    async fn get_order_requisition(
        &self,
        caller: Caller<TeamId>,
        input: GetOrderRequisitionInput,
    ) -> Result<ByteStream, ApiError> {
        let order_id = input.order_id;
        let reader = caller.actor();
        let team = caller.owner();
        let form = self.requisition_form(team, order_id).await?.ok_or_else(no_order)?;
        let now = (self.now)();
        let audited = self
            .store()?
            .write(|write| requisition::audit(write, team, &reader, now, order_id));
        audited.await.map_err(store_error)?;
        Ok(ByteStream::from(form))
    }

    async fn create_requisition_url(
        &self,
        caller: Caller<TeamId>,
        input: CreateRequisitionUrlInput,
    ) -> ApiResult<RequisitionUrl> {
        let key = input.idempotency_key.as_deref();
        let write = Write::new(&CREATE_REQUISITION_URL, &caller).repeatable(key, &input.order_id)?;
        let key_id = caller.key_id();
        let team = caller.owner();
        let url = self.signed_url(team, input.order_id, key_id)?;
        let made = self.write(write, |transaction| {
            let order = transaction.order(team, input.order_id)?.ok_or_else(no_order)?;
            Ok(Subject::order(team, order.id).wrote(url).about(team, order.user_id))
        });
        made.await.map(Into::into)
    }
}
