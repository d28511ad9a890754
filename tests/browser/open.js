// Opens a link page in a browser, consents to everything, and follows the redirect: `node open.js URL`. It replaces a
// person in the walkthrough. LINKING_ORIGINS are the allowed origins.

import { launch, visit } from "./browser.js";

const [url] = process.argv.slice(2);
const browser = await launch();
try {
  const service = new URL(url).origin;
  const visitor = await visit(browser, { service, others: process.env.LINKING_ORIGINS.split(" ") });
  const page = await visitor.open(url);
  await page.getByRole("button", { name: "Stridewell" }).click();
  await page.getByLabel("Name").fill("Robin");
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("button", { name: "Allow" }).click();
  await page.waitForURL(/\/linked\?.*state=success/);
  await visitor.leave();
} finally {
  await browser.close();
}
