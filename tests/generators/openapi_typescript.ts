// Reads a page of users with openapi-fetch, on the types of openapi-typescript.

import createClient from "openapi-fetch";

import { check, demo } from "./expected";
import type { components, operations, paths } from "./openapi_typescript/schema";

const headers = { "x-service-api-key": demo.team_api_key, "X-Management-Key": demo.management_key };
const client = createClient<paths>({ baseUrl: demo.base_url, headers });

// Open enums show their values, and take others.
const known: components["schemas"]["KnownConnectionStatus"] = "connected";
export const statuses: components["schemas"]["ConnectionStatus"][] = [known, "of a later version"];

// Events have a type.
type Created = operations["daily_data_created"]["requestBody"]["content"]["application/json"];
export const eventType = (event: Created): string => event.event_type;

async function main() {
  const page = await client.GET("/v2/user/", { params: { query: { limit: 3 } } });
  const path = { user_id: demo.user_id };
  const providers = await client.GET("/v2/user/providers/{user_id}", { params: { path } });
  const { org_id, env, region } = demo;
  const pipelines = await client.GET("/v1/org/{org_id}/team_etl_pipelines/{env}/{region}", {
    params: { path: { org_id, env, region } },
  });
  const refused = await client.GET("/v2/user/", { params: { query: { limit: 100_000 } } });
  if (!page.data || !providers.data || !pipelines.data) throw new Error("no data");
  check("openapi-typescript", {
    total: page.data.total,
    users: page.data.users,
    statuses: providers.data.providers.map(({ status }) => status),
    pipelines: pipelines.data.pipelines.length,
    refused: { status: refused.error?.status, location: refused.error?.errors?.[0]?.location },
  });
}

void main();
