// Reads a page of users with the client of orval.

import { check, demo } from "./expected";
import { listTeamPipelines, listUserProviders, listUsers } from "./orval/client";
import { KnownConnectionStatus } from "./orval/client";
import type { ConnectionStatus } from "./orval/client";

// Its client sends to paths, as a browser does from the service's own pages.
const send = globalThis.fetch;
globalThis.fetch = (path, init) => send(`${demo.base_url}${path}`, init);

const headers = { "x-service-api-key": demo.team_api_key, "X-Management-Key": demo.management_key };

// Open enums show their values, and take others.
export const statuses: ConnectionStatus[] = [KnownConnectionStatus.connected, "of a later version"];

async function main() {
  const page = await listUsers({ limit: 3 }, { headers });
  const providers = await listUserProviders(demo.user_id, { headers });
  const pipelines = await listTeamPipelines(demo.org_id, demo.env, demo.region, {}, { headers });
  const refused = await listUsers({ limit: 100_000 }, { headers });
  if (page.status !== 200 || providers.status !== 200 || pipelines.status !== 200) throw new Error("no data");
  if (refused.status !== 422) throw new Error(`limit 100000: ${refused.status}`);
  check("orval", {
    total: page.data.total,
    users: page.data.users,
    statuses: providers.data.providers.map(({ status }) => status),
    pipelines: pipelines.data.pipelines.length,
    refused: { status: refused.status, location: refused.data.errors?.[0]?.location },
  });
}

void main();
