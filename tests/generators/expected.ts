// Requests to the running demo, and its responses to a plain HTTP client: .ci/generators writes both.

import { deepStrictEqual } from "node:assert";
import { readFileSync } from "node:fs";

const read = (name: string) => JSON.parse(readFileSync(name, "utf8"));

export const demo: {
  base_url: string;
  team_api_key: string;
  management_key: string;
  user_id: string;
  org_id: string;
  env: "sandbox" | "production";
  region: "us" | "eu";
} = read("demo.json");

type Field = string | number | null | undefined;

export type Read = {
  total: number;
  users: { user_id: string; client_user_id: string; connected_sources: { provider?: { slug: string } | null }[] }[];
  statuses: string[];
  pipelines: number;
  refused: { status: Field; location: Field };
};

/** Compares what a generated client read with what is so. */
export function check(generator: string, read: Read): void {
  const facts = {
    total: page.total,
    users: page.users.map(user),
    statuses: providers.providers.map((provider: { status: string }) => provider.status),
    pipelines: pipelines.pipelines.length,
    refused: { status: 422, location: "/query/limit" },
  };
  deepStrictEqual({ ...read, users: read.users.map(user) }, facts);
  console.log(`${generator}: ${read.users.length} of ${read.total} users, the first is ${read.users[0]?.user_id}`);
}

const user = ({ user_id, client_user_id, connected_sources }: Read["users"][number]) => ({
  user_id,
  client_user_id,
  slugs: connected_sources.map(({ provider }) => provider?.slug),
});

const page: Read = read("users.json");
const providers = read("providers.json");
const pipelines = read("pipelines.json");
