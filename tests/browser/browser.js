// Visitors: each is a page of headless Chromium, which records errors.

import { readFile, mkdir } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";
import { HtmlValidate } from "html-validate";
import { chromium } from "playwright-core";

const require = createRequire(import.meta.url);
const axe = await readFile(require.resolve("axe-core/axe.min.js"), "utf8");
const html = new HtmlValidate({
  extends: ["html-validate:recommended", "html-validate:document", "html-validate:a11y"],
  // Scripts and styles are served by the binary, like the page. Names from users may be long.
  rules: { "require-sri": "off", "long-title": "off" },
});

/** How a page is looked at, and what axe checks then: its colours once each, which takes it longest. */
const LOOKS = {
  light: { colorScheme: "light", width: 1280, height: 800, rules: {} },
  dark: { colorScheme: "dark", width: 1280, height: 800, rules: { runOnly: ["color-contrast"] } },
  phone: { colorScheme: "light", width: 360, height: 740, rules: { rules: { "color-contrast": { enabled: false } } } },
};

/** Debian's Chromium: nothing is downloaded, it asks nobody for updates, and finds no host but this one. */
export function launch() {
  return chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
      "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1",
    ],
  });
}

/**
 * A person with a browser of their own. `service` is the origin that is tested, `others` are where it may lead; errors of the
 * paths that `refused` matches, as scripts request them, are expected.
 */
export async function visit(browser, { service, others = [], refused = null, ...options }) {
  const context = await browser.newContext({ locale: "en-GB", ...options });
  context.setDefaultTimeout(15_000);
  const scripts = options.javaScriptEnabled !== false;
  const visitor = new Visitor({ context, service, origins: new Set([service, ...others]), refused, scripts });
  context.on("request", (request) => visitor.requested(request));
  context.on("response", (response) => visitor.responded(response));
  return visitor;
}

class Visitor {
  /** What must not happen and did. */
  problems = [];
  /** Documents of the service, by their URL as it was asked for. */
  #documents = new Map();

  constructor(parts) {
    Object.assign(this, parts);
  }

  /** Opens a page. */
  async open(url) {
    const page = await this.context.newPage();
    page.on("console", (message) => this.#said(message));
    page.on("pageerror", (error) => this.problems.push(`error in ${page.url()}: ${error}`));
    if (url) await page.goto(url);
    return page;
  }

  requested(request) {
    const { origin, protocol } = new URL(request.url());
    if (protocol === "data:") return;
    const from = new URL(request.frame().url() || "about:blank").origin;
    const isAllowed = request.isNavigationRequest() ? this.origins.has(origin) : from !== this.service || origin === this.service;
    if (!isAllowed) this.problems.push(`${from} requested ${origin}`);
  }

  async responded(response) {
    const { origin } = new URL(response.url());
    if (origin !== this.service || !response.request().isNavigationRequest()) return;
    this.#documents.set(response.url(), response);
  }

  #said(message) {
    const { url } = message.location();
    // Chromium reports the status of an error page like this.
    const isStatus =
      message.text().startsWith("Failed to load resource: the server responded") &&
      (this.#documents.has(url) || this.refused?.test(new URL(url).pathname));
    if (["error", "warning"].includes(message.type()) && !isStatus && new URL(url || this.service).origin === this.service) {
      this.problems.push(`console of ${url}: ${message.text()}`);
    }
  }

  /** Checks a page of the service: its header, its accessibility, its HTML. Takes a picture of it. */
  async audit(page, name, { referrer = "no-referrer" } = {}) {
    await this.#checkDocument(page, name, "no-store", referrer);
    await this.#checkAccess(page, name);
    await this.picture(page, name);
  }

  /** The same of a page that is looked at in light, in the dark and on a phone, where nothing may stick out sideways. */
  async auditLooks(page, name, { cache = "no-store", referrer = "no-referrer" } = {}) {
    await this.#checkDocument(page, name, cache, referrer);
    for (const [look, { colorScheme, rules, ...size }] of Object.entries(LOOKS)) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize(size);
      const excess = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      if (excess > 0) this.problems.push(`${name}-${look}: ${excess} pixels wider than the window`);
      await this.#checkAccess(page, `${name}-${look}`, rules);
      await this.picture(page, `${name}-${look}`);
    }
    const { colorScheme, width, height } = LOOKS.light;
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height });
  }

  /** The headers and the HTML, as they came. */
  async #checkDocument(page, name, cache, referrer) {
    const response = this.#documents.get(page.url().replace(/#.*/, ""));
    if (!response) throw new Error(`${page.url()} is no page of the service`);
    const policy = (await response.headerValue("content-security-policy")) ?? "none";
    for (const wanted of ["default-src 'none'", "frame-ancestors 'none'", "base-uri 'none'", "form-action"]) {
      if (!policy.includes(wanted)) this.problems.push(`${name}: no ${wanted} in the policy: ${policy}`);
    }
    if (/unsafe-|\*|data:/.test(policy.replace(/img-src[^;]*/, ""))) this.problems.push(`${name}: a policy with holes: ${policy}`);
    for (const [header, wanted] of [
      ["referrer-policy", referrer],
      ["x-content-type-options", "nosniff"],
      ["x-frame-options", "DENY"],
      ["cache-control", cache],
    ]) {
      const value = (await response.headerValue(header)) ?? "none";
      if (!value.includes(wanted)) this.problems.push(`${name}: ${header} is ${value}`);
    }
    const report = await html.validateString(await response.text());
    for (const { line, message, ruleId } of report.results.flatMap((result) => result.messages)) {
      this.problems.push(`${name}: HTML, line ${line}: ${message} (${ruleId})`);
    }
  }

  /** The accessibility of a page as it is shown now. */
  async #checkAccess(page, name, rules = {}) {
    if (!this.scripts) return;
    // Evaluated from outside: the page's policy lets nothing in.
    await page.evaluate(axe);
    const { violations } = await page.evaluate((rules) => axe.run({ resultTypes: ["violations"], ...rules }), rules);
    for (const { id, help, nodes } of violations) {
      this.problems.push(`${name}: axe, ${id}: ${help}: ${nodes.map((node) => node.html).join(" ")}`);
    }
  }

  async picture(page, name) {
    const directory = process.env.BROWSER_PICTURES;
    if (!directory) return;
    await mkdir(directory, { recursive: true });
    await page.screenshot({ path: path.join(directory, `${name}.png`), fullPage: true });
  }

  /** Leaves, and fails if something happened that must not. */
  async leave() {
    await this.context.close();
    if (this.problems.length > 0) throw new Error(this.problems.join("\n"));
  }
}
