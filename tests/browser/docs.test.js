// The API reference and the first page of a demo: every page, the form that sends a request, and the code samples.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { get } from "node:http";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { launch, visit } from "./browser.js";
import { startDemo } from "./demo.js";
import { freePort, startService } from "./service.js";

const run = promisify(execFile);

let browser, demo, operations;

before(async () => {
  [demo, browser] = await Promise.all([startDemo("--users", "10", "--days", "3"), launch()]);
  const { paths } = await (await fetch(`${demo.base_url}/openapi.json`)).json();
  operations = Object.values(paths).flatMap((item) => Object.values(item).map(({ operationId }) => operationId));
});

after(async () => {
  await Promise.all([browser?.close(), demo?.stop()]);
});

const NO_STORE = "no-store";
const REVALIDATED = "no-cache";

for (const [name, path, cache] of [
  ["home", "/", NO_STORE],
  ["overview", "/docs", NO_STORE],
  ["events", "/docs/events", REVALIDATED],
  // A deep body, a long enum, a deprecated operation, and lines.
  ["deep", "/docs/operations/create_order", NO_STORE],
  ["enum", "/docs/operations/list_samples", NO_STORE],
  ["deprecated", "/docs/operations/list_all_lab_tests", NO_STORE],
  ["lines", "/docs/operations/import_records", NO_STORE],
  ["missing", "/docs/operations/none", REVALIDATED],
]) {
  test(`the page ${name} in every look`, async () => {
    const visitor = await visit(browser, { service: demo.base_url });
    const page = await visitor.open(demo.base_url + path);
    if (name === "deep") await page.evaluate(() => document.querySelectorAll("details").forEach((one) => (one.open = true)));
    await visitor.auditLooks(page, `docs-${name}`, { cache });
    await visitor.leave();
  });
}

/** The page of an operation, with its form unfolded. */
async function operationPage(visitor, id) {
  const page = await visitor.open(`${demo.base_url}/docs/operations/${id}`);
  await page.getByText("Send a request to this service").click();
  return page;
}

/** Sends the form, and waits for what came. */
async function send(page) {
  await page.getByRole("button", { name: /^Send / }).click();
  const outcome = page.locator("#result .outcome");
  await outcome.waitFor();
  return outcome.innerText();
}

test("a read is sent with the key and the id of the demo", async () => {
  const visitor = await visit(browser, { service: demo.base_url });
  const page = await operationPage(visitor, "get_user");
  assert.match(await send(page), /^200/);
  const user = JSON.parse(await page.getByRole("region", { name: "Body" }).locator("code").innerText());
  assert.equal(user.user_id, demo.user_id);
  await page.getByText("Headers of the response").click();
  assert.match(await page.getByRole("region", { name: "Headers" }).innerText(), /x-request-id: req_/);
  await visitor.auditLooks(page, "docs-sent");
  await visitor.leave();
});

test("lists of values, optional parameters and numbers go into the query", async () => {
  const visitor = await visit(browser, { service: demo.base_url });
  const page = await operationPage(visitor, "list_orders");
  const sent = page.waitForRequest(/\/v3\/orders/);
  await page.getByLabel("status").fill("completed, cancelled");
  await page.getByLabel("size").fill("2");
  assert.match(await send(page), /^200/);
  assert.equal(new URL((await sent).url()).search, "?status=completed&status=cancelled&size=2");
  await visitor.leave();
});

test("a write is sent with its body, and an invalid one is shown as the service says it", async () => {
  const visitor = await visit(browser, { service: demo.base_url, refused: /^\/v2\/user\/$/ });
  const page = await operationPage(visitor, "create_user");
  const name = `from-the-page-${Date.now()}`;
  await page.getByRole("textbox", { name: "Body" }).fill(JSON.stringify({ client_user_id: name }));
  assert.match(await send(page), /^201/);
  const response = await fetch(`${demo.base_url}/v2/user/resolve/${name}`, { headers: { "x-service-api-key": demo.team_api_key } });
  assert.equal(response.status, 200);
  await page.getByRole("textbox", { name: "Body" }).fill('{"client_user_id": 1, "<img src=x>": 2}');
  assert.match(await send(page), /^422/);
  assert.match(await page.locator("#result").innerText(), /<img src=x>/);
  assert.equal(await page.locator("#result img").count(), 0, "what comes is text");
  await visitor.auditLooks(page, "docs-invalid");
  await visitor.leave();
});

test("a management operation and a file are sent as well", async () => {
  const visitor = await visit(browser, { service: demo.base_url });
  const teams = await operationPage(visitor, "list_teams");
  assert.match(await send(teams), /^200/);
  const { orders } = await read(`/v3/orders?user_id=${demo.user_id}`);
  const requisition = await operationPage(visitor, "get_order_requisition");
  await requisition.getByLabel("order_id").fill(orders[0].id);
  assert.match(await send(requisition), /^200/);
  const downloading = requisition.waitForEvent("download");
  await requisition.getByRole("link", { name: "Save application/pdf" }).click();
  await downloading;
  await visitor.leave();
});

test("a wrong key is a 401, and stays in its tab", async () => {
  const visitor = await visit(browser, { service: demo.base_url, refused: /^\/v2\/providers\/$/ });
  const page = await operationPage(visitor, "list_providers");
  await page.getByLabel("x-service-api-key").fill("wl_team_none");
  assert.match(await send(page), /^401/);
  const kept = await page.evaluate(() => [Object.values(localStorage), Object.values(sessionStorage)]);
  assert.deepEqual(kept, [[], ["wl_team_none"]]);
  await visitor.leave();
});

test("the filter, the languages and copying", async () => {
  const visitor = await visit(browser, { service: demo.base_url, permissions: ["clipboard-read", "clipboard-write"] });
  const page = await visitor.open(`${demo.base_url}/docs`);
  await page.getByLabel("Filter", { exact: true }).fill("signed url of requisition");
  const found = page.locator("#all-operations [data-words]:visible");
  const shown = (count) => page.waitForFunction((count) =>
    [...document.querySelectorAll("#all-operations [data-words]")].filter((item) => item.checkVisibility()).length === count, count);
  await shown(1);
  assert.deepEqual(await found.locator(".what").allInnerTexts(), ["Make a signed URL of the requisition form"]);
  // Neither a field nor a resource nor an event stands in a title.
  await page.getByLabel("Filter", { exact: true }).fill("heartrate");
  await found.filter({ hasText: "List samples of a time series of a user" }).locator(".matched", { hasText: "heartrate" }).waitFor();
  await found.locator(".matched", { hasText: "daily.data.heartrate.created" }).waitFor();
  await page.getByLabel("Filter", { exact: true }).fill("hr_average");
  await found.filter({ hasText: "List sleep summaries of a user" }).locator(".matched", { hasText: "hr_average" }).waitFor();
  await page.getByLabel("Filter", { exact: true }).fill("no such thing");
  await shown(0);
  await page.getByText("Nothing has all of these words.").first().waitFor();
  await page.getByLabel("Filter operations").fill("delete /v2/user/{user_id}");
  await page.getByRole("link", { name: "DELETE Delete one user" }).click();
  await page.locator("label", { hasText: "Python" }).click();
  const sample = page.locator("#sample-python");
  await page.getByRole("region", { name: "Python" }).getByRole("button", { name: "Copy" }).click();
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), await sample.innerText());
  await page.getByRole("link", { name: "GET Read one user" }).click();
  await page.waitForURL(/get_user$/);
  assert.ok(await sample.isVisible(), "the language is kept");
  await visitor.leave();
});

test("without JavaScript all but the form and the filter is there", async () => {
  const visitor = await visit(browser, { service: demo.base_url, javaScriptEnabled: false });
  const page = await visitor.open(`${demo.base_url}/docs`);
  await page.locator("#all-operations").getByRole("link", { name: "List the users of the team" }).click();
  assert.ok(await page.locator("#sample-curl").isVisible());
  await page.locator("label", { hasText: "Rust" }).click();
  assert.ok(await page.locator("#sample-rust").isVisible() && !(await page.locator("#sample-curl").isVisible()));
  assert.equal(await page.getByText("Try it").isVisible(), false);
  await page.getByText("Fields of User").click();
  assert.ok(await page.getByText("The id that was assigned when the user was created.").isVisible());
  await visitor.leave();
});

test("the first page leads to everything, and its first request works", async () => {
  const visitor = await visit(browser, { service: demo.base_url });
  const page = await visitor.open(demo.base_url);
  const command = await page.locator("#first-request").innerText();
  const { users } = JSON.parse((await run("bash", ["-c", `${command} -sS`])).stdout);
  assert.equal(users.length, 2);
  const links = await page.getByRole("main").getByRole("link").evaluateAll((all) => all.map((one) => one.href));
  assert.deepEqual(links.map((link) => new URL(link).pathname), ["/docs", "/console", "/link"]);
  for (const shown of [demo.team_api_key, demo.management_key, demo.org_id, demo.user_id]) {
    assert.ok(await page.getByText(shown, { exact: true }).isVisible(), shown);
  }
  await visitor.leave();
});

test("a page of a name that somebody may own has no key in it", async () => {
  const { host } = new URL(demo.base_url);
  for (const path of ["/", "/docs", ...operations.map((id) => `/docs/operations/${id}`)]) {
    const text = await pageText(path, "rebound.example.com");
    for (const key of [demo.team_api_key, demo.management_key, demo.link_token]) assert.ok(!text.includes(key), path);
  }
  assert.ok((await pageText("/", host)).includes(demo.team_api_key));
});

test("pages and assets are compressed, have entity tags, and change their URL with their content", async () => {
  const page = await fetch(`${demo.base_url}/docs/events`);
  assert.ok(page.headers.get("content-encoding"), "it is compressed");
  const etag = page.headers.get("etag");
  const again = await fetch(`${demo.base_url}/docs/events`, { headers: { "if-none-match": etag } });
  assert.equal(again.status, 304);
  const assets = [...(await page.text()).matchAll(/"(\/docs\/assets\/[^"]+)"/g)].map(([, path]) => path);
  assert.equal(assets.length, 3);
  for (const asset of assets) {
    const response = await fetch(demo.base_url + asset);
    assert.match(response.headers.get("cache-control"), /immutable/, asset);
    assert.ok(response.headers.get("etag"), asset);
  }
});

test("headers have their prefix, and a management API at another address is said to be there", async () => {
  const url = `http://localhost:${await freePort()}`;
  const service = await startService({ url, settings: { "http.header_prefix": "acme", "http.management_listen": "127.0.0.1:0" } });
  try {
    const visitor = await visit(browser, { service: url });
    const page = await visitor.open(url);
    await page.waitForURL(`${url}/docs`);
    const variables = await page.locator("#variables-of-samples").innerText();
    const keys = ["API_KEY=...", "LINK_TOKEN=...", "MANAGEMENT_KEY=..."];
    const wanted = [`BASE_URL=${url}`, "MANAGEMENT_URL=...", "HEADER_PREFIX=acme", ...keys];
    assert.deepEqual(variables.split("\n"), wanted.map((one) => `export WEARLAB_${one}`));
    await page.goto(`${url}/docs/operations/list_teams`);
    assert.ok(await page.getByText("to which this page sends nothing").isVisible());
    assert.equal(await page.locator("form").count(), 0);
    await visitor.auditLooks(page, "docs-management", { cache: REVALIDATED });
    await page.goto(`${url}/docs/operations/list_users`);
    await page.getByText("Send a request to this service").click();
    assert.equal(await page.getByLabel("x-acme-api-key").inputValue(), "");
    await visitor.leave();
  } finally {
    await service.stop();
  }
});

test("a setting switches the reference off", async () => {
  const url = `http://localhost:${await freePort()}`;
  const service = await startService({ url, settings: { "http.docs": "false" } });
  try {
    for (const path of ["/", "/docs", "/docs/events", "/docs/operations/list_users"]) {
      assert.equal((await fetch(url + path)).status, 404, path);
    }
    assert.equal((await fetch(`${url}/openapi.json`)).status, 200);
  } finally {
    await service.stop();
  }
});

/** A page as a client gets it that names a host. */
async function pageText(path, host) {
  const { hostname, port } = new URL(demo.base_url);
  const options = { hostname, port, path, headers: { host } };
  return new Promise((resolve, reject) => {
    const request = get(options, async (response) => resolve((await response.toArray()).join("")));
    request.on("error", reject);
  });
}

/** What the demo has. */
async function read(path, base = demo.base_url) {
  const headers = path.startsWith("/v1/") ? { "x-management-key": demo.management_key } : { "x-service-api-key": demo.team_api_key };
  const response = await fetch(base + path, { headers });
  assert.ok(response.ok, `${path}: ${response.status}`);
  return response.json();
}
