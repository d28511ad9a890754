// Code samples of the reference pages. Reads are sent to a demo, with curl, Python and TypeScript. Writes are only
// parsed. Tests of crates/wearlab compare the Rust samples with the client.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { stripTypeScriptTypes } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { startDemo } from "./demo.js";

const run = promisify(execFile);
/** What cannot succeed on a demo, and the status that says so. */
const REFUSED = {
  // No provider is linked there by OAuth, so that there is no token.
  get_access_token: 404,
};

let demo, directory, env, operations, values;

before(async () => {
  demo = await startDemo("--users", "10", "--days", "14");
  directory = await mkdtemp(path.join(tmpdir(), "wearlab-samples-"));
  env = {
    ...process.env,
    WEARLAB_BASE_URL: demo.base_url,
    WEARLAB_MANAGEMENT_URL: demo.management_url,
    WEARLAB_API_KEY: demo.team_api_key,
    WEARLAB_LINK_TOKEN: demo.link_token,
    WEARLAB_MANAGEMENT_KEY: demo.management_key,
  };
  const document = await (await fetch(`${demo.base_url}/openapi.json`)).json();
  const resolve = (value) => (value.$ref ? value.$ref.split("/").slice(1).reduce((at, key) => at[key], document) : value);
  operations = await Promise.all(
    Object.entries(document.paths).flatMap(([target, item]) =>
      Object.entries(item).map(async ([method, { operationId: id, parameters = [] }]) => ({
        id,
        method,
        target,
        parameters: parameters.map(resolve).filter(({ required }) => required),
        samples: await samplesOf(id),
      })),
    ),
  );
  values = await valuesOfDemo();
});

after(async () => {
  await demo?.stop();
  if (directory) await rm(directory, { recursive: true });
});

/** The samples on the page of an operation, by language. */
async function samplesOf(id) {
  const page = await (await fetch(`${demo.base_url}/docs/operations/${id}`)).text();
  const found = [...page.matchAll(/<code id="sample-(\w+)">([^<]*)<\/code>/g)];
  const entities = { "&lt;": "<", "&gt;": ">", "&quot;": '"', "&amp;": "&" };
  return Object.fromEntries(found.map(([, name, text]) => [name, text.replace(/&\w+;/g, (entity) => entities[entity])]));
}

/** A sample with ids that the demo has in place of those of the document's examples. */
function sample(operation, language) {
  let text = operation.samples[language];
  for (const { name, example } of operation.parameters) {
    if (name in values) text = text.replaceAll(encodeURIComponent(example), encodeURIComponent(values[name]));
  }
  return text;
}

/** The status and the body of a request by its sample. */
async function sendByCurl(operation) {
  const command = `${sample(operation, "curl")} -sS -w '\\n%{http_code}'`;
  const { stdout } = await run("bash", ["-c", command], { env, cwd: directory, maxBuffer: 1 << 26 });
  const end = stdout.lastIndexOf("\n");
  return { status: Number(stdout.slice(end + 1)), body: stdout.slice(0, end) };
}

const byId = (id) => operations.find((operation) => operation.id === id);

/** Ids that are in the data of the demo, or are put there by samples that write. */
async function valuesOfDemo() {
  values = {};
  const get = async (target) => {
    const headers = { "x-management-key": demo.management_key, "x-service-api-key": demo.team_api_key };
    const response = await fetch(demo.base_url + target, { headers });
    assert.ok(response.ok, `${target}: ${response.status}`);
    return response.json();
  };
  const write = async (id, expected) => {
    const { status, body } = await sendByCurl(byId(id));
    assert.equal(status, expected, `${id}: ${body}`);
    return body && JSON.parse(body);
  };
  const org = `/v1/org/${demo.org_id}`;
  const { user_id: user } = demo;
  const devices = await get(`/v2/user/${user}/device`);
  const { orders } = await get("/v3/orders?status=completed");
  const lately = new Date(Date.now() - 20 * 86_400_000).toISOString().slice(0, 10);
  const { sleep } = await get(`/v2/summary/sleep/${user}?start_date=${lately}`);
  const { workouts } = await get(`/v2/summary/workouts/${user}?start_date=${lately}`);
  const { events } = await get(`${org}/events?limit=1`);
  const { keys } = await get(`${org}/keys`);
  const { providers } = await get(`/v2/user/providers/${user}`);
  const { client_user_id } = await get(`/v2/user/${user}`);
  await write("put_provider_settings", 200);
  const webhook = await write("create_webhook", 201);
  return {
    client_user_id,
    provider: providers[0].slug,
    device_id: devices[0].id,
    order_id: orders[0].id,
    sleep_id: sleep[0].id,
    workout_id: workouts[0].id,
    event_id: events[0].event_id,
    key_id: keys[0].key_id,
    webhook_id: webhook.webhook_id,
  };
}

const reads = () => operations.filter(({ method }) => method === "get");
const answered = () => reads().filter(({ id }) => !(id in REFUSED));

test("every operation has a sample in every language", () => {
  for (const { id, samples } of operations) {
    assert.deepEqual(Object.keys(samples), ["curl", "rust", "python", "typescript"], id);
  }
});

test("reads by curl", async () => {
  const failed = [];
  for (const operation of reads()) {
    const { status, body } = await sendByCurl(operation);
    if (status !== (REFUSED[operation.id] ?? 200)) failed.push(`${operation.id}: ${status}: ${body}`);
  }
  assert.deepEqual(failed, []);
});

test("reads by TypeScript", async () => {
  Object.assign(process.env, env);
  const { log } = console;
  const failed = [];
  const back = process.cwd();
  process.chdir(directory);
  for (const operation of answered()) {
    const file = path.join(directory, `${operation.id}.ts`);
    await writeFile(file, sample(operation, "typescript"));
    console.log = () => {};
    await import(file).catch((error) => failed.push(`${operation.id}: ${error}`));
    console.log = log;
  }
  process.chdir(back);
  assert.deepEqual(failed, []);
});

test("reads by Python, and writes parsed", async () => {
  const all = operations.map((operation) => {
    const sent = operation.method === "get" && !(operation.id in REFUSED);
    return { id: operation.id, sent, text: sample(operation, "python") };
  });
  await writeFile(path.join(directory, "samples.json"), JSON.stringify(all));
  const program = [
    "import contextlib, io, json, traceback",
    "for one in json.load(open('samples.json')):",
    "    try:",
    "        code = compile(one['text'], one['id'], 'exec')",
    "        if one['sent']:",
    "            with contextlib.redirect_stdout(io.StringIO()): exec(code, {})",
    "    except Exception as error: print(one['id'], repr(error))",
  ].join("\n");
  const { stdout } = await run("python3", ["-c", program], { env, cwd: directory });
  assert.equal(stdout, "");
});

test("writes by TypeScript are parsed", () => {
  const writes = operations.filter(({ method }) => method !== "get");
  assert.ok(writes.length > 0);
  for (const { samples } of writes) stripTypeScriptTypes(samples.typescript);
  assert.throws(() => stripTypeScriptTypes("const = 1;"));
});
