// Reads a page of users with the client of @hey-api/openapi-ts.

import { check, demo } from "./expected";
import { listTeamPipelines, listUserProviders, listUsers } from "./hey_api/index";
import { createClient } from "./hey_api/client/index";
import type { ConnectionStatus, KnownConnectionStatus, Problem, Webhooks } from "./hey_api/index";

const client = createClient({
  baseUrl: demo.base_url,
  auth: (scheme) => (scheme.name === "X-Management-Key" ? demo.management_key : demo.team_api_key),
});

// Open enums show their values, and take others.
const known: KnownConnectionStatus = "connected";
export const statuses: ConnectionStatus[] = [known, "of a later version"];

// Events have a type.
export const eventType = (event: Webhooks): string => event.body.event_type;

async function main() {
  const page = await usersPage(3);
  const providers = await listUserProviders({ client, path: { user_id: demo.user_id }, throwOnError: true });
  const { org_id, env, region } = demo;
  const pipelines = await listTeamPipelines({ client, path: { org_id, env, region }, throwOnError: true });
  const refused = await listUsers({ client, query: { limit: 100_000 } });
  // A 304 is an error to this generator, and one of no known type.
  const problem = refused.error as Problem | undefined;
  check("@hey-api/openapi-ts", {
    ...page,
    statuses: providers.data.providers.map(({ status }) => status),
    pipelines: pipelines.data.pipelines.length,
    refused: { status: problem?.status, location: problem?.errors?.[0]?.location },
  });
}

async function usersPage(limit: number) {
  const { data } = await listUsers({ client, query: { limit }, throwOnError: true });
  return { total: data.total, users: data.users };
}

void main();
