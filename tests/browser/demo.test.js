// The pages of a demo, in light and dark and at several sizes.

import { after, before, test } from "node:test";
import { launch, visit } from "./browser.js";
import { startDemo } from "./demo.js";

let browser, demo;

before(async () => {
  [demo, browser] = await Promise.all([startDemo("--users", "10", "--days", "0"), launch()]);
});

after(async () => {
  await Promise.all([browser?.close(), demo?.stop()]);
});

test("the link page of the printed user", async () => {
  const visitor = await visit(browser, { service: demo.base_url });
  const page = await visitor.open(`${demo.base_url}/link?token=${demo.link_token}`);
  await visitor.auditLooks(page, "link");
  await visitor.leave();
});
