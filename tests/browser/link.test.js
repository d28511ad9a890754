// The link page in a browser, with authorization servers: actions of users, failures, and attacks.

import assert from "node:assert/strict";
import { after, afterEach, before, test } from "node:test";
import { outcome, startApp } from "./app.js";
import { launch, visit } from "./browser.js";
import { startIssuer } from "./issuer.js";
import { freePort, startService } from "./service.js";

const PHONE = { viewport: { width: 320, height: 640 }, isMobile: true, hasTouch: true };

let app, browser, pulsebay, service, stridewell;
const visitors = [];

before(async () => {
  const url = `http://localhost:${await freePort()}`;
  const redirectUri = (slug) => `${url}/link/callback/org_example/${slug}`;
  app = await startApp();
  stridewell = await startIssuer({ name: "Stridewell", redirectUri: redirectUri("stridewell") });
  pulsebay = await startIssuer({ name: "Pulsebay", redirectUri: redirectUri("pulsebay") });
  service = await startService({ url });
  await service.setUp({
    providers: { stridewell: stridewell.settings, pulsebay: pulsebay.settings },
    redirectUrls: [app.url],
  });
  browser = await launch();
});

after(async () => {
  await browser?.close();
  await Promise.all([service, stridewell, pulsebay, app].map((running) => running?.stop()));
});

afterEach(async () => {
  stridewell.refusal = null;
  for (const visitor of visitors.splice(0)) await visitor.leave();
});

/** Somebody with a browser of their own. */
async function person(options = {}) {
  const others = [stridewell.url, pulsebay.url, app.origin];
  const visitor = await visit(browser, { service: service.url, others, ...options });
  visitors.push(visitor);
  return visitor;
}

/** Chooses a provider on the link page. */
async function choose(page, name = "Stridewell") {
  await page.getByRole("button", { name }).click();
}

/** Signs in at the provider, unless one is signed in, and presses a button there. */
async function decide(page, { press = "Allow", without = [] } = {}) {
  await page.waitForURL(/\/interaction\//);
  if (await page.getByLabel("Name").isVisible()) {
    await page.getByLabel("Name").fill("Robin");
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.waitForURL(/\/interaction\//);
  }
  for (const scope of without) await page.getByLabel(scope).uncheck();
  await page.getByRole("button", { name: press }).click();
}

/** Decides, and catches the URL that the provider would send the browser back to. */
async function caught(page, decision) {
  stridewell.caught = null;
  await decide(page, decision);
  await page.getByRole("heading", { name: "Kept here" }).waitFor();
  const callback = stridewell.caught;
  stridewell.caught = undefined;
  return callback;
}

/** Where the app is told how it ended. */
async function told(page) {
  await page.waitForURL(`${app.url}**`);
  return outcome(page.url());
}

test("a person consents, and the app is told", async () => {
  const { user, url } = await service.linkToken({ redirect_url: app.url });
  const visitor = await person();
  const page = await visitor.open(url);
  await visitor.audit(page, "choice");
  await choose(page);
  await decide(page);
  assert.deepEqual(await told(page), { state: "success", provider: "stridewell" });
  const { stridewell: connection } = await service.connections(user);
  assert.equal(connection.status, "connected");
  assert.deepEqual(await service.events(user), ["provider.connection.created"]);
});

test("without a redirect URL, a page says how it ended", async () => {
  const { user, url } = await service.linkToken();
  const visitor = await person();
  const page = await visitor.open(url);
  await choose(page);
  await decide(page);
  await page.waitForURL(`${service.url}/**`);
  await visitor.audit(page, "linked");
  assert.match(await page.getByRole("main").innerText(), /Stridewell/);
  assert.equal((await service.connections(user)).stridewell.status, "connected");
});

test("scopes that a person leaves out are noted", async () => {
  const { user, url } = await service.linkToken({ redirect_url: app.url });
  const page = await (await person()).open(url);
  await choose(page);
  await decide(page, { without: ["sleep:read", "heart:read"] });
  await told(page);
  const { resource_availability: resources } = (await service.connections(user)).stridewell;
  assert.equal(resources.activity.status, "available");
  assert.deepEqual(resources.activity.scope_requirements.user_denied.optional, ["heart:read"]);
  assert.equal(resources.sleep.status, "unavailable");
  assert.deepEqual(resources.sleep.scope_requirements.user_denied.required, ["sleep:read"]);
});

test("a person refuses", async () => {
  const { user, url } = await service.linkToken({ redirect_url: app.url });
  const page = await (await person()).open(url);
  await choose(page);
  await decide(page, { press: "Deny" });
  assert.deepEqual(await told(page), { state: "error", provider: "stridewell", error: "access_denied" });
  assert.deepEqual(await service.connections(user), {});

  const other = await service.linkToken();
  const visitor = await person();
  const second = await visitor.open(other.url);
  await choose(second);
  await decide(second, { press: "Deny" });
  await second.waitForURL(`${service.url}/**`);
  await visitor.audit(second, "refused");
});

test("one provider alone is offered where the token says so", async () => {
  const { url } = await service.linkToken({ filter_on_providers: ["pulsebay"] });
  const page = await (await person()).open(url);
  assert.deepEqual(await page.getByRole("button").allInnerTexts().then((all) => all.filter((text) => /Stridewell/.test(text))), []);
  await page.getByRole("button", { name: "Pulsebay" }).waitFor();
});

test("by keyboard alone", async () => {
  const { user, url } = await service.linkToken({ redirect_url: app.url });
  const page = await (await person()).open(url);
  const focused = () => page.evaluate(() => (document.activeElement.matches("button") ? document.activeElement.innerText : ""));
  for (let keys = 0; !/Stridewell/.test(await focused()); keys += 1) {
    assert.ok(keys < 10, "Tab does not get to the button");
    await page.keyboard.press("Tab");
  }
  const outline = await page.evaluate(() => getComputedStyle(document.activeElement).outline);
  assert.match(outline, /solid [23]px/, "the focus is not visible");
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/interaction\//);
  await page.keyboard.type("Robin");
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Allow" }).waitFor();
  for (let keys = 0; (await focused()) !== "Allow"; keys += 1) {
    assert.ok(keys < 10, "Tab does not get to the consent");
    await page.keyboard.press("Tab");
  }
  await page.keyboard.press("Enter");
  assert.equal((await told(page)).state, "success");
  assert.equal((await service.connections(user)).stridewell.status, "connected");
});

test("without JavaScript", async () => {
  const { user, url } = await service.linkToken({ redirect_url: app.url });
  const visitor = await person({ javaScriptEnabled: false });
  const page = await visitor.open(url);
  await visitor.audit(page, "choice-without-scripts");
  await choose(page);
  await decide(page);
  assert.equal((await told(page)).state, "success");
  assert.equal((await service.connections(user)).stridewell.status, "connected");
});

for (const colorScheme of ["light", "dark"]) {
  test(`on a phone, ${colorScheme}`, async () => {
    const visitor = await person({ ...PHONE, colorScheme });
    const page = await visitor.open((await service.linkToken()).url);
    await visitor.audit(page, `choice-phone-${colorScheme}`);
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(width <= PHONE.viewport.width, `the page is ${width} wide`);
    for (const button of await page.getByRole("button").all()) {
      const { height } = await button.boundingBox();
      assert.ok(height >= 44, `a button is ${height} high`);
    }
    await choose(page);
    await decide(page);
    await page.waitForURL(`${service.url}/**`);
    await visitor.audit(page, `linked-phone-${colorScheme}`);
  });
}

test("in two tabs at once, both end well", async () => {
  const { user, url } = await service.linkToken({ redirect_url: app.url });
  const visitor = await person();
  const first = await visitor.open(url);
  const second = await visitor.open(url);
  await choose(first);
  await choose(second, "Pulsebay");
  await decide(second);
  assert.deepEqual(await told(second), { state: "success", provider: "pulsebay" });
  await decide(first);
  assert.deepEqual(await told(first), { state: "success", provider: "stridewell" });
  assert.deepEqual(Object.keys(await service.connections(user)).sort(), ["pulsebay", "stridewell"]);
});

test("the same callback again changes nothing", async () => {
  const { user, url } = await service.linkToken({ redirect_url: app.url });
  const visitor = await person();
  const page = await visitor.open(url);
  await choose(page);
  const callback = await caught(page);
  await page.goto(callback);
  assert.equal((await told(page)).state, "success");
  const { access_token } = await service.accessToken(user, "stridewell");
  const requests = stridewell.requests.filter((path) => path === "/token").length;
  const again = await visitor.open(callback);
  await again.waitForLoadState();
  if (again.url().startsWith(service.url)) await visitor.audit(again, "callback-again");
  await page.goBack();
  await page.goto(callback);
  // The code is not sent again: the provider would withdraw what it gave.
  assert.equal(stridewell.requests.filter((path) => path === "/token").length, requests);
  assert.equal((await service.connections(user)).stridewell.status, "connected");
  assert.equal((await service.accessToken(user, "stridewell")).access_token, access_token);
  assert.deepEqual(await service.events(user), ["provider.connection.created"]);
});

test("a state that was altered, made up or left out is no state", async () => {
  const { user, url } = await service.linkToken({ redirect_url: app.url });
  const visitor = await person();
  const page = await visitor.open(url);
  await choose(page);
  const callback = new URL(await caught(page));
  const state = callback.searchParams.get("state");
  const flipped = (state.startsWith("A") ? "B" : "A") + state.slice(1);
  for (const altered of [flipped, "made-up", "", null]) {
    const wrong = new URL(callback);
    if (altered === null) wrong.searchParams.delete("state");
    else wrong.searchParams.set("state", altered);
    await page.goto(wrong.href);
    await visitor.audit(page, "wrong-state");
  }
  assert.deepEqual(await service.connections(user), {});
});

test("a callback in the browser of somebody else links nothing", async () => {
  const { user, url } = await service.linkToken({ redirect_url: app.url });
  const attacker = await person();
  const page = await attacker.open(url);
  await choose(page);
  const callback = await caught(page);
  const victim = await person();
  const opened = await victim.open(callback);
  await victim.audit(opened, "callback-of-another-browser");
  assert.deepEqual(await service.connections(user), {});
});

test("a response of another issuer is refused", async () => {
  const { user, url } = await service.linkToken({ redirect_url: app.url });
  const visitor = await person();
  const page = await visitor.open(url);
  await choose(page);
  const callback = new URL(await caught(page));
  const before = [stridewell, pulsebay].map(({ requests }) => requests.length);
  callback.searchParams.set("iss", pulsebay.url);
  await page.goto(callback.href);
  assert.deepEqual([stridewell, pulsebay].map(({ requests }) => requests.length), before, "a code was sent to somebody");
  assert.deepEqual(await service.connections(user), {});
});

test("a token that is not known, or was deleted, opens a page that says so", async () => {
  const visitor = await person();
  const page = await visitor.open(`${service.url}/link?token=wl_link_made_up`);
  await visitor.audit(page, "unknown-token");
  assert.equal(await page.getByRole("button", { name: "Stridewell" }).count(), 0);

  const { user, url } = await service.linkToken({ redirect_url: app.url });
  await page.goto(url);
  const { link_tokens } = await service.organisation("GET", `/teams/${service.teamId}/link_tokens`);
  for (const { id, user_id } of link_tokens) {
    if (user_id === user) await service.organisation("DELETE", `/teams/${service.teamId}/link_tokens/${id}`);
  }
  await choose(page);
  await page.waitForLoadState();
  await visitor.audit(page, "deleted-token");
  assert.deepEqual(await service.connections(user), {});
});

test("a redirect URL that is not allowed gets no token", async () => {
  const user_id = await service.user();
  const near = [app.origin, `${app.url}&more=1`, app.url.replace("linked", "linked/"), app.url.toUpperCase(), "javascript:alert(1)"];
  for (const redirect_url of near) {
    await service.request("POST", "/v2/link/token", { user_id, redirect_url }, 422);
  }
  // A redirect URL in the page's URL is ignored, too.
  const { url } = await service.linkToken({ user_id });
  const page = await (await person()).open(`${url}&redirect_url=${encodeURIComponent(app.url)}`);
  await choose(page);
  await decide(page, { press: "Deny" });
  await page.waitForURL(`${service.url}/**`);
});

test("a provider that is down when the code is exchanged", async () => {
  const { user, url } = await service.linkToken({ redirect_url: app.url });
  const visitor = await person();
  const page = await visitor.open(url);
  await choose(page);
  const callback = await caught(page);
  await stridewell.stop();
  try {
    await page.goto(callback);
    const { error, ...rest } = await told(page);
    assert.deepEqual(rest, { state: "error", provider: "stridewell" });
    assert.ok(error);
  } finally {
    await stridewell.start();
  }
  assert.deepEqual(await service.connections(user), {});
  // Another try ends well.
  await page.goto(url);
  await choose(page);
  await decide(page);
  assert.equal((await told(page)).state, "success");
});

test("a provider that refuses the code", async () => {
  const { user, url } = await service.linkToken();
  const visitor = await person();
  const page = await visitor.open(url);
  await choose(page);
  stridewell.refusal = { status: 400, body: { error: "invalid_grant" } };
  await decide(page);
  await page.waitForURL(`${service.url}/**`);
  await visitor.audit(page, "code-refused");
  assert.deepEqual(await service.connections(user), {});
});

test("many connectors at once refresh a token once, and a refusal is noted once", async () => {
  const redirectUri = `${service.url}/link/callback/org_example/stridewell`;
  const short = await startIssuer({ name: "Stridewell", redirectUri, tokenSeconds: 4 });
  try {
    await service.organisation("PUT", "/providers/stridewell", short.settings);
    const { user, url } = await service.linkToken({ redirect_url: app.url });
    const visitor = await person();
    visitor.origins.add(short.url);
    const page = await visitor.open(url);
    await choose(page);
    await decide(page);
    await told(page);
    const exchanges = () => short.requests.filter((path) => path === "/token").length;
    assert.equal(exchanges(), 1);
    const passed = (seconds) => new Promise((resolve) => setTimeout(resolve, seconds * 1000));
    // It is refreshed ahead of its end, from the half of its life on.
    await passed(2.2);
    const all = await Promise.all(Array.from({ length: 10 }, () => service.accessToken(user, "stridewell")));
    // Meanwhile the one before is still good.
    assert.ok(new Set(all.map(({ access_token }) => access_token)).size <= 2);
    assert.equal(exchanges(), 2);

    short.refusal = { status: 400, body: { error: "invalid_grant" } };
    await passed(4.2);
    await service.accessToken(user, "stridewell", 409);
    await service.accessToken(user, "stridewell", 409);
    const { stridewell: connection } = await service.connections(user);
    assert.equal(connection.status, "error");
    assert.ok(connection.error_details.error_type);
    assert.deepEqual(await service.events(user), ["provider.connection.created", "provider.connection.error"]);
  } finally {
    await service.organisation("PUT", "/providers/stridewell", stridewell.settings);
    await short.stop();
  }
});

test("nothing secret was logged", () => {
  assert.doesNotMatch(service.log, /wl_link_|code=|[?&]state=|token=|Robin/);
});
