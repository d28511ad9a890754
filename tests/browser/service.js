// The service, from an empty directory. Everything for linking is configured over HTTP.

import { execFile, spawn } from "node:child_process";
import { randomBytes, randomUUID } from "node:crypto";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);
const BINARY = process.env.BROWSER_BINARY;
const ORGANISATION = "org_example";

/** A port that is free now: the URL of the service has to be known before it starts. */
export async function freePort() {
  const server = createServer();
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Starts a service whose public URL is `url`, with settings as `wearlab serve --set` takes them. */
export async function startService({ url, settings = {} }) {
  const directory = await mkdtemp(path.join(tmpdir(), "wearlab-linking-"));
  const catalogue = JSON.parse(await readFile(process.env.BROWSER_CATALOGUE));
  const records = [
    { organisation: { org_id: ORGANISATION } },
    ...catalogue.filter(({ supported }) => ["stridewell", "pulsebay"].includes(supported.slug)).map((provider) => ({ provider })),
  ];
  const importing = run(BINARY, ["import", "-", "--data", directory]);
  importing.child.stdin.end(records.map((record) => `${JSON.stringify(record)}\n`).join(""));
  await importing;
  const scopes = ["--scope", "admin,read,ingest"];
  const { stdout } = await run(BINARY, ["keys", "create", "--org", ORGANISATION, ...scopes, "--data", directory]);

  const keys = path.join(directory, "secret.keys");
  await writeFile(keys, `${randomBytes(32).toString("base64")}\n`, { mode: 0o600 });
  const all = {
    "http.listen": `127.0.0.1:${new URL(url).port}`,
    "linking.public_url": url,
    secret_key_file: keys,
    "linking.allow_http": "true",
    "linking.allow_networks": "127.0.0.0/8",
    ...settings,
  };
  const sets = Object.entries(all).flatMap(([name, value]) => ["--set", `${name}=${value}`]);
  const service = new Service(directory, url, stdout.trim());
  service.process = spawn(BINARY, ["serve", "--data", directory, ...sets], { stdio: ["ignore", "ignore", "pipe"] });
  service.process.stderr.setEncoding("utf8").on("data", (text) => (service.log += text));
  service.ended = new Promise((resolve) => service.process.on("exit", resolve));
  await service.ready();
  return service;
}

export class Service {
  log = "";

  constructor(directory, url, managementKey) {
    Object.assign(this, { directory, url, managementKey });
  }

  async ready() {
    for (let tries = 0; tries < 600; tries += 1) {
      if (this.log.includes("listening")) return;
      if (this.process.exitCode !== null) break;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    throw new Error(`the service did not start:\n${this.log}`);
  }

  async stop() {
    this.process.kill();
    await this.ended;
    await rm(this.directory, { recursive: true });
  }

  /** A request with the keys there are. Fails unless the response is a success, or has the status that is expected. */
  async request(method, target, body, expected) {
    const headers = { "x-management-key": this.managementKey };
    if (this.teamKey) headers["x-service-api-key"] = this.teamKey;
    if (body) headers["content-type"] = "application/json";
    const response = await fetch(this.url + target, { method, headers, body: body && JSON.stringify(body) });
    const text = await response.text();
    if (expected ? response.status !== expected : !response.ok) {
      throw new Error(`${method} ${target}: ${response.status}: ${text}`);
    }
    return text && JSON.parse(text);
  }

  organisation(method, target, body, expected) {
    return this.request(method, `/v1/org/${ORGANISATION}${target}`, body, expected);
  }

  /** A team with a key of its own, which links these providers (settings by slug), and leads back to these URLs. */
  async setUp({ providers, redirectUrls }) {
    const { team_id } = await this.organisation("POST", "/teams", { environment: "sandbox", region: "eu" });
    const { key } = await this.organisation("POST", "/keys", { team_id, scopes: ["read", "write", "ingest"] });
    Object.assign(this, { teamId: team_id, teamKey: key });
    for (const [slug, settings] of Object.entries(providers)) {
      await this.organisation("PUT", `/providers/${slug}`, settings);
    }
    await this.organisation("PUT", `/teams/${team_id}/redirect_urls`, { redirect_urls: redirectUrls });
  }

  /** A new user. */
  async user() {
    const { user_id } = await this.request("POST", "/v2/user/", { client_user_id: `client-${randomUUID()}` });
    return user_id;
  }

  /** A link token of a user, new unless one is given, with the URL of its page. */
  async linkToken({ user_id, ...options } = {}) {
    const user = user_id ?? (await this.user());
    const { link_token, link_web_url } = await this.request("POST", "/v2/link/token", { user_id: user, ...options });
    return { user, token: link_token, url: link_web_url };
  }

  /** The connections of a user, by the slug of the provider. */
  async connections(user) {
    const { providers } = await this.request("GET", `/v2/user/providers/${user}`);
    return Object.fromEntries(providers.map((provider) => [provider.slug, provider]));
  }

  /** The types of the events about a user so far. */
  async events(user) {
    const { events } = await this.organisation("GET", `/events?user_id=${user}`);
    return events.map((event) => event.event_type);
  }

  accessToken(user, provider, expected) {
    const target = `/teams/${this.teamId}/users/${user}/connections/${provider}/access_token`;
    return this.organisation("GET", target, undefined, expected);
  }
}
