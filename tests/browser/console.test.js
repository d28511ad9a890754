// The console: every page in light and dark and at several sizes, every action, and every refusal.

import assert from "node:assert/strict";
import { createServer } from "node:http";
import { after, before, test } from "node:test";
import { launch, visit } from "./browser.js";
import { startDemo } from "./demo.js";

const LOOK = { referrer: "same-origin" };
/** What a page would do if text were HTML. */
const SCRIPT = `"><script>document.title="run"</script><img src=x onerror="document.title='run'">`;

let browser, demo, team, user;
const endpoints = [];

before(async () => {
  [demo, browser] = await Promise.all([startDemo("--users", "60", "--days", "40"), launch()]);
  team = `/console/teams/${demo.team_id}`;
  user = `${team}/users/${demo.user_id}`;
});

after(async () => {
  for (const server of endpoints) server.close().closeAllConnections();
  await Promise.all([browser?.close(), demo?.stop()]);
});

const at = (path) => `${demo.management_url}${path}`;

async function signIn(visitor, to = "/console") {
  const page = await visitor.open(at(`${to}`));
  await page.getByLabel("Management key").fill(demo.management_key);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.waitForURL(at(to));
  return page;
}

/** Calls the interface as a program would, with the management key. */
async function call(method, path, body, key = { "x-management-key": demo.management_key }) {
  const response = await fetch(at(path), {
    method,
    headers: { ...key, ...(body ? { "content-type": "application/json" } : {}) },
    body: body && JSON.stringify(body),
  });
  assert.ok(response.ok, `${method} ${path}: ${response.status} ${await response.clone().text()}`);
  return response.status === 204 ? null : response.json();
}

const team_key = () => ({ "x-service-api-key": demo.team_api_key });
const org = (path) => `/v1/org/${demo.org_id}${path}`;

/** An endpoint that refuses or takes what it is sent. */
async function endpoint() {
  const seen = [];
  const endpoint = { status: 204, seen };
  const server = createServer((request, response) => {
    request.resume().on("end", () => {
      seen.push(request.headers["webhook-id"]);
      response.writeHead(endpoint.status).end();
    });
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  endpoint.url = `http://127.0.0.1:${server.address().port}/hook`;
  endpoints.push(server);
  return endpoint;
}

test("every page is accessible, valid and small, in light, in the dark and on a phone", async () => {
  const visitor = await visit(browser, { service: demo.management_url });
  const signing = await visitor.open(at("/console"));
  await visitor.auditLooks(signing, "console-sign-in", LOOK);
  const page = await signIn(visitor);
  const event = (await call("GET", org("/events?before=9000000000&limit=1"))).events[0];
  const orders = await call("GET", "/v3/orders", null, team_key());
  const pages = {
    overview: "/console",
    teams: "/console/teams",
    users: team,
    "users-found": `${team}?q=client-00000`,
    "users-none": `${team}?q=nobody`,
    user,
    pulls: `${team}/pulls`,
    "user-pulls": `${team}/pulls?user_id=${demo.user_id}`,
    orders: `${team}/orders`,
    order: `${team}/orders/${orders.orders[0].id}`,
    pipeline: `${team}/pipeline`,
    webhooks: `${team}/webhooks`,
    events: "/console/events",
    "events-none": "/console/events?event_type=nothing",
    event: `/console/events/${event.event_id}`,
    "event-payload": `/console/events/${event.event_id}?payload=shown`,
    destinations: "/console/destinations",
    undelivered: "/console/undelivered",
    keys: "/console/keys",
    providers: "/console/providers",
    "audit-log": "/console/audit-log",
    service: "/console/service",
  };
  for (const [name, path] of Object.entries(pages)) {
    const response = await page.goto(at(path));
    assert.equal(response.status(), 200, path);
    const size = (await response.body()).length;
    assert.ok(size < 200_000, `${path} has ${size} bytes`);
    await visitor.auditLooks(page, `console-${name}`, LOOK);
  }
  await visitor.leave();
});

test("a page that is not there says so", async () => {
  const visitor = await visit(browser, { service: demo.management_url });
  const page = await signIn(visitor);
  for (const path of ["/console/events/none", "/console/teams/none", `/console/teams/${crypto.randomUUID()}`, `${team}/orders/${crypto.randomUUID()}`]) {
    const response = await page.goto(at(path));
    assert.equal(response.status(), 404, path);
    await visitor.auditLooks(page, "console-not-found", LOOK);
  }
  await visitor.leave();
});

test("charts show the data, zoom, and move, and never have more points than pixels", async () => {
  const visitor = await visit(browser, { service: demo.management_url });
  const page = await signIn(visitor, `${user}/data`);
  const summaries = page.locator("[data-summary]");
  await assertSoon(async () => (await summaries.allTextContents()).every((text) => text.length > 0));
  for (const text of await summaries.allTextContents()) assert.match(text, /samples: lowest|in all, of|asleep/);
  await visitor.auditLooks(page, "console-data", LOOK);

  const points = [];
  page.on("response", async (response) => {
    const url = new URL(response.url());
    if (url.pathname.endsWith("/series")) points.push([url.searchParams, await response.json()]);
  });
  for (const chart of ["heartrate", "sleep", "steps", "weight", "glucose"]) {
    const section = page.locator(`[data-chart=${chart}]`);
    for (const name of ["All", "Year", "Week", "6 hours", "Earlier", "Later"]) {
      const before = points.length;
      await section.getByRole("button", { name, exact: true }).click();
      await assertSoon(() => points.length > before);
    }
  }
  await visitor.auditLooks(page, "console-data-later", LOOK);
  for (const [asked, got] of points) {
    const most = Number(asked.get("points"));
    const series = [got.time, got.value, got.stages, got.by_night].filter(Boolean);
    assert.ok(series.length > 0 && series.every((list) => list.length <= most), `${asked}: ${series.map((list) => list.length)}`);
  }
  // Dragging over a part shows that part.
  const section = page.locator("[data-chart=heartrate]");
  await section.getByRole("button", { name: "Week", exact: true }).click();
  await page.waitForTimeout(500);
  const before = points.length;
  const box = await section.locator(".u-over").boundingBox();
  await page.mouse.move(box.x + box.width * 0.25, box.y + 20);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.5, box.y + 20, { steps: 5 });
  await page.mouse.up();
  await assertSoon(() => points.length > before);
  const [asked] = points.at(-1);
  const span = Number(asked.get("to")) - Number(asked.get("from"));
  assert.ok(Math.abs(span - (7 * 86_400) / 4) < 4 * 3_600, `a quarter of a week, not ${span} s`);

  await section.getByRole("link", { name: "Table of Heart rate" }).click();
  await page.getByRole("columnheader", { name: "Mean" }).waitFor();
  assert.ok((await page.locator("tbody tr").count()) > 100);
  await visitor.auditLooks(page, "console-table", LOOK);
  await visitor.leave();
});

test("a chart has the sums and means that the interface has", async () => {
  const visitor = await visit(browser, { service: demo.management_url });
  const page = await signIn(visitor);
  // Days of the user, who is three hours ahead: sums are of whole days.
  const to = Math.floor(Date.now() / 86_400_000) * 86_400 - 2 * 86_400 - 3 * 3_600;
  const from = to - 5 * 86_400;
  const span = `start_date=${new Date(from * 1e3).toISOString()}&end_date=${new Date(to * 1e3 - 1).toISOString()}`;
  for (const [chart, provider] of [["steps", "pocketvitals"], ["heartrate", "pocketvitals"], ["glucose", "glucanto"]]) {
    const read = await call("GET", `/v2/timeseries/${demo.user_id}/${chart}/grouped?${span}&provider=${provider}`, null, team_key());
    const values = Object.values(read.groups).flat().flatMap((group) => group.data.map((sample) => sample.value));
    const query = new URLSearchParams({ chart, provider, from, to, points: 300 });
    const series = await (await page.request.get(at(`${user}/series?${query}`))).json();
    const sum = values.reduce((sum, value) => sum + value, 0);
    assert.equal(series.count, values.length, chart);
    assert.ok(values.length > 20, chart);
    assert.ok(Math.abs(series.total - (chart === "steps" ? sum : sum / values.length)) < 0.002, chart);
    const shown = series.value.filter((value) => value !== null);
    if (chart === "steps") {
      assert.equal(series.time.length, 5, "a bar a day");
      assert.equal(shown.reduce((sum, value) => sum + value, 0), sum);
      assert.deepEqual(series.time, [0, 1, 2, 3, 4].map((day) => from + day * 86_400));
    } else {
      assert.deepEqual([series.min, series.max], [Math.min(...values), Math.max(...values)], chart);
      assert.deepEqual([Math.min(...series.low.filter(Number)), Math.max(...series.high)], [series.min, series.max], chart);
      assert.ok(series.time.length > 200 && series.time.every((at) => at >= from && at < to), chart);
    }
    if (chart === "glucose") {
      const [low, high] = series.target;
      const below = values.filter((value) => value < low).length;
      const above = values.filter((value) => value > high).length;
      assert.deepEqual(series.range, [below, values.length - below - above, above]);
    }
  }
  await visitor.leave();
});

test("teams, keys and webhooks are made, used, rotated and revoked", async () => {
  const hook = await endpoint();
  const visitor = await visit(browser, { service: demo.management_url, javaScriptEnabled: false });
  const page = await signIn(visitor, "/console/teams");
  await page.getByLabel("Environment").selectOption("production");
  await page.getByRole("button", { name: "Create team" }).click();
  await page.getByText("The team is created.").waitFor();
  const id = page.url().split("/").at(-1);
  await page.getByText("The team has no users here.").waitFor();

  await page.goto(at("/console/keys"));
  await page.getByLabel("Name").fill("made in a browser");
  await page.getByLabel("Team (none").fill(id);
  await page.getByLabel("write").check();
  await page.getByRole("button", { name: "Create key" }).click();
  const key = await page.locator(".secret pre").innerText();
  const users = () => fetch(at("/v2/user/"), { headers: { "x-service-api-key": key } });
  assert.equal((await users()).status, 200, "the key works");
  await page.goto(at("/console/keys"));
  assert.equal(await page.getByText(key).count(), 0, "the key is shown once");
  const row = page.getByRole("row", { name: /made in a browser/ });
  await row.getByText("Revoke", { exact: true }).click();
  await row.getByRole("button", { name: /Revoke the key/ }).click();
  await page.getByText("The key is revoked.").waitFor();
  assert.equal((await users()).status, 401, "the key is gone");

  await page.goto(at(`${team}/webhooks`));
  await page.getByLabel("URL").fill(hook.url);
  await page.getByLabel("Event types").fill("daily.data.\n");
  await page.getByRole("button", { name: "Create webhook" }).click();
  const secret = await page.locator(".secret pre").innerText();
  assert.match(secret, /^whsec_/);
  await page.getByRole("button", { name: /Test the webhook/ }).click();
  await page.getByText("The test event was accepted").waitFor();
  assert.equal(hook.seen.length, 1);
  hook.status = 500;
  await page.getByRole("button", { name: /Test the webhook/ }).click();
  await page.getByText("The test event was not delivered").waitFor();
  await page.getByText("Rotate secret", { exact: true }).click();
  await page.getByRole("button", { name: /Rotate secret of/ }).click();
  const rotated = await page.locator(".secret pre").innerText();
  assert.ok(rotated.startsWith("whsec_") && rotated !== secret);
  await page.getByText("Delete", { exact: true }).click();
  await page.getByRole("button", { name: /Delete the webhook/ }).click();
  await page.getByText("The webhook is deleted.").waitFor();
  await page.getByText("The team has no webhooks.").waitFor();

  await page.goto(at(`/console/audit-log`));
  for (const operation of ["create_team", "create_key", "revoke_key", "create_webhook", "rotate_webhook_secret", "delete_webhook"]) {
    assert.ok((await page.getByText(operation, { exact: true }).count()) > 0, operation);
  }
  await visitor.leave();
});

test("providers are set up, changed and deleted, and mistakes are said", async () => {
  const visitor = await visit(browser, { service: demo.management_url });
  const page = await signIn(visitor, "/console/providers");
  const fill = async (fields) => {
    for (const [label, value] of Object.entries(fields)) await page.getByLabel(label, { exact: true }).fill(value);
    await page.getByRole("button", { name: "Save" }).click();
  };
  const fields = {
    "Provider, by its slug": demo.oauth_provider,
    "Client id": "client",
    "Authorisation URL": "https://provider.example/authorize",
    "Token URL": "https://provider.example/token",
    "Client secret": "hidden-secret",
  };
  await fill({ ...fields, "Scopes by resource, as JSON": "{" });
  await page.getByText("scopes: invalid JSON at line 1").waitFor();
  await fill({ ...fields, "Authorisation URL": "no URL" });
  await page.getByRole("alert").waitFor();
  await visitor.auditLooks(page, "console-providers-refused", LOOK);
  await fill({ ...fields, "Scopes by resource, as JSON": '{"sleep": {"required": ["sleep.read"], "optional": []}}' });
  await page.getByText("are saved.").waitFor();
  await page.getByRole("link", { name: demo.oauth_provider }).click();
  assert.ok(!(await page.content()).includes("hidden-secret"), "the secret is not shown");
  await visitor.auditLooks(page, "console-provider", LOOK);
  const settings = org(`/providers/${demo.oauth_provider}`);
  await call("PUT", settings, { ...(await call("GET", settings)), token_response_path: "/body" });
  await page.getByLabel("Client id", { exact: true }).fill("changed");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("are saved.").waitFor();
  const { client_id, token_response_path } = await call("GET", settings);
  assert.deepEqual([client_id, token_response_path], ["changed", "/body"], "what the form does not show stays");
  await page.getByLabel(`Delete the settings of ${demo.oauth_provider}`).click();
  await page.getByRole("button", { name: /Delete the settings/ }).click();
  await page.getByText("are deleted.").waitFor();
  await visitor.leave();
});

test("new events appear by themselves, and one is replayed with a click", async () => {
  const hook = await endpoint();
  const visitor = await visit(browser, { service: demo.management_url });
  // A team without a pipeline sends to its webhooks.
  await call("DELETE", org(`/teams/${demo.team_id}/pipeline`));
  await call("POST", org(`/teams/${demo.team_id}/webhooks`), { url: hook.url, event_type_prefixes: [] });
  const page = await signIn(visitor, "/console/events");
  const { event_id } = await call("POST", org(`/teams/${demo.team_id}/users/${demo.user_id}/trigger`), { event_type: "daily.data.weight.created" });
  await page.locator(`a[href="/console/events/${event_id}"]`).waitFor({ timeout: 12_000 });
  await assertSoon(() => hook.seen.includes(event_id));
  await page.getByRole("button", { name: "Pause updates" }).click();
  await page.getByText("Updates are paused.").waitFor();
  await page.locator(`a[href="/console/events/${event_id}"]`).click();
  assert.equal(await page.locator("#payload + pre").count(), 0, "no payload unasked");
  await page.getByRole("button", { name: /Replay this event/ }).click();
  await page.getByText(/sent to its destination again|destinations again/).waitFor();
  await assertSoon(() => hook.seen.filter((id) => id === event_id).length === 2);
  await page.getByRole("link", { name: "Show the payload" }).click();
  assert.match(await page.locator("main pre").innerText(), /event_type/);

  await page.goto(at("/console/undelivered"));
  await page.getByText("Replay what is parked", { exact: true }).click();
  await page.getByRole("button", { name: "Replay what is parked of all teams" }).click();
  await page.getByText("No event is parked.").waitFor();
  await page.goto(at(`${team}/pipeline`));
  await page.getByRole("button", { name: /Send a test event/ }).click();
  await page.getByRole("heading", { name: "Test" }).waitFor();
  await visitor.auditLooks(page, "console-pipeline-tested", LOOK);
  await visitor.leave();
});

test("what users and providers write is text", async () => {
  const visitor = await visit(browser, { service: demo.management_url });
  const { user_id } = await call("POST", "/v2/user/", { client_user_id: SCRIPT }, team_key());
  const { key_id } = await call("POST", org("/keys"), { name: SCRIPT, scopes: ["read"] });
  // Texts from a provider: its name, its errors, its scopes, and its devices.
  const { team_id } = demo;
  const scopes = { required: [SCRIPT], optional: [SCRIPT] };
  const provider = {
    name: SCRIPT,
    slug: "glucanto",
    logo: "https://provider.example/logo.svg",
    status: "error",
    created_on: "2026-01-01T00:00:00Z",
    resource_availability: { glucose: { status: "available", scope_requirements: { user_granted: scopes, user_denied: scopes } } },
    error_details: { error_type: SCRIPT, error_message: SCRIPT, errored_at: "2026-01-01T00:00:00Z" },
  };
  const device = { id: crypto.randomUUID(), user_id, provider: "glucanto", source_type: "watch", device_manufacturer: SCRIPT, device_model: SCRIPT, device_version: SCRIPT };
  const records = [{ connection: { team_id, user_id, provider } }, { device: { team_id, device } }];
  const imported = await fetch(at("/v1/import"), {
    method: "POST",
    headers: { "x-management-key": demo.management_key, "content-type": "application/x-ndjson" },
    body: records.map((record) => `${JSON.stringify(record)}\n`).join(""),
  });
  const answers = (await imported.text()).trim().split("\n").map(JSON.parse);
  assert.ok(imported.ok && answers.every((answer) => !answer.error && !answer.errors), JSON.stringify(answers));
  const page = await signIn(visitor, team);
  const paths = [
    `${team}?q=${encodeURIComponent(SCRIPT)}`,
    `${team}/users/${user_id}`,
    `${team}/users/${user_id}/data`,
    `${team}/orders?status=${encodeURIComponent(SCRIPT)}&user_id=${user_id}`,
    `/console/events?event_type=${encodeURIComponent(SCRIPT)}`,
    `/console/sign-in?to=${encodeURIComponent(SCRIPT)}`,
    "/console/keys",
    "/console/audit-log",
  ];
  for (const path of paths) {
    await page.goto(at(path));
    assert.equal(await page.locator("script:not([src]), img").count(), 0, path);
    assert.notEqual(await page.title(), "run", path);
  }
  await page.goto(at(`${team}/users/${user_id}`));
  assert.equal(await page.locator("h1").innerText(), SCRIPT, "shown as it is");
  assert.ok((await page.locator("article").innerText()).includes(SCRIPT), "the connection");
  assert.ok((await page.getByRole("table", { name: "Devices" }).innerText()).includes(SCRIPT), "the device");
  await visitor.auditLooks(page, "console-script-as-name", LOOK);
  await call("DELETE", org(`/keys/${key_id}`));
  await visitor.leave();
});

test("a session is new at sign-in, and is over after sign-out and with its key", async () => {
  const visitor = await visit(browser, { service: demo.management_url });
  const fixed = { name: "wearlab-console", value: "fixed", url: demo.management_url };
  await visitor.context.addCookies([fixed]);
  const page = await signIn(visitor);
  const cookie = async () => (await visitor.context.cookies()).find(({ name }) => name === "wearlab-console");
  const { value, httpOnly, sameSite } = await cookie();
  assert.notEqual(value, "fixed");
  assert.deepEqual([httpOnly, sameSite], [true, "Strict"]);
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.waitForURL(at("/console/sign-in"));
  assert.equal(await cookie(), undefined);
  await visitor.context.addCookies([{ ...fixed, value }]);
  await page.goto(at("/console/keys"));
  assert.match(page.url(), /sign-in\?to=%2Fconsole%2Fkeys$/, "the old cookie is worth nothing");

  const made = await call("POST", org("/keys"), { name: "short", scopes: ["read"] });
  await page.getByLabel("Management key").fill(made.key);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.waitForURL(at("/console/keys"));
  await page.goto(at(team));
  await page.getByText("shown to management keys with the scope admin").waitFor();
  const { events } = await call("GET", org("/events?before=9000000000&limit=1"));
  const event = `/console/events/${events[0].event_id}`;
  assert.equal((await page.goto(at(event))).status(), 200);
  for (const path of [user, `${user}/data`, `${team}/orders`, `${event}?payload=shown`, "/console/service"]) {
    assert.equal((await page.goto(at(path))).status(), 403, path);
  }
  await call("DELETE", org(`/keys/${made.key_id}`));
  await page.goto(at("/console/keys"));
  assert.match(page.url(), /sign-in/);
  await visitor.leave();
});

test("a wrong key, a team's key and a key of another scope are told so", async () => {
  const visitor = await visit(browser, { service: demo.management_url });
  const page = await visitor.open(at("/console/sign-in"));
  for (const key of ["wrong", demo.team_api_key]) {
    await page.getByLabel("Management key").fill(key);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByText("unknown or revoked").waitFor();
  }
  await visitor.audit(page, "console-sign-in-refused", LOOK);
  const { key, key_id } = await call("POST", org("/keys"), { name: "ingest alone", scopes: ["ingest"] });
  await page.getByLabel("Management key").fill(key);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByText("This key lacks the scope read").waitFor();
  await call("DELETE", org(`/keys/${key_id}`));
  await visitor.leave();
});

test("no other site acts, frames or reads", async () => {
  const visitor = await visit(browser, { service: demo.management_url });
  const page = await signIn(visitor, "/console/keys");
  const token = await page.locator("input[name=form_token]").first().inputValue();
  const form = { form_token: token, name: "forged", "scope[]": "read" };
  const keys = async () => (await call("GET", org("/keys"))).keys.filter(({ name }) => name === "forged").length;
  const post = (headers, fields = form) => page.request.post(at("/console/keys"), { headers, form: fields });
  const own = { origin: demo.management_url, "sec-fetch-site": "same-origin" };
  for (const [what, headers, fields] of [
    ["another site", { origin: "https://evil.example", "sec-fetch-site": "cross-site" }],
    ["a site of the same host", { origin: "http://127.0.0.1:1", "sec-fetch-site": "same-site" }],
    ["a frame without an origin", { origin: "null", "sec-fetch-site": "cross-site" }],
    ["no token", own, { ...form, form_token: "" }],
    ["another token", own, { ...form, form_token: token.replace(/^./, (first) => (first === "a" ? "b" : "a")) }],
  ]) {
    assert.equal((await post(headers, fields)).status(), 403, what);
  }
  assert.equal(await keys(), 0);
  assert.equal((await post(own)).status(), 200, "its own form works");
  assert.equal(await keys(), 1);

  // A form on another site does not sign in.
  const forged = await fetch(at("/console/sign-in"), {
    method: "POST",
    redirect: "manual",
    headers: { origin: "https://evil.example", "content-type": "application/x-www-form-urlencoded" },
    body: new URLSearchParams({ key: demo.management_key }),
  });
  assert.equal(forged.status, 403);
  assert.equal(forged.headers.get("set-cookie"), null);

  // Another site cannot frame the console.
  const other = createServer((request, response) => {
    response.setHeader("content-type", "text/html").end(`<iframe src="${at("/console")}"></iframe>`);
  });
  await new Promise((resolve) => other.listen(0, "127.0.0.1", resolve));
  const origin = `http://127.0.0.1:${other.address().port}`;
  const victim = await browser.newPage();
  const refused = victim.waitForEvent("console", (message) => message.text().includes("frame-ancestors"));
  await victim.goto(origin);
  await refused;
  await victim.close();
  other.close();
  await visitor.leave();
});

test("signing in leads to a page of the console alone", async () => {
  const visitor = await visit(browser, { service: demo.management_url });
  const page = await visitor.open(at("/console/sign-in?to=https://evil.example/"));
  await page.getByLabel("Management key").fill(demo.management_key);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.waitForURL(at("/console"));
  await visitor.leave();
});

/** Waits for a condition. */
async function assertSoon(condition, seconds = 15) {
  for (let tries = 0; tries < seconds * 20; tries++) {
    if (await condition()) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  assert.fail(`not so after ${seconds} seconds: ${condition}`);
}
