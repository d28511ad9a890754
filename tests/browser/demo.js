// A demo, for tests of pages with data.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";

/**
 * Starts `wearlab demo` at a free port, with further arguments. What it gives has what the demo prints as JSON, such as
 * `base_url`, `management_url`, `team_api_key`, `management_key`, `org_id`, `team_id`, `user_id`, and `stop()`.
 */
export async function startDemo(...options) {
  const demo = spawn(process.env.BROWSER_BINARY, ["demo", "--listen", "127.0.0.1:0", "--json", ...options]);
  let log = "";
  demo.stderr.setEncoding("utf8").on("data", (text) => (log += text));
  const ended = once(demo, "exit");
  const lines = createInterface({ input: demo.stdout });
  const failed = ended.then(() => Promise.reject(new Error(`the demo did not start:\n${log}`)));
  const [line] = await Promise.race([once(lines, "line"), failed]);
  failed.catch(() => {}); // It ends when it is stopped.
  const stop = async () => {
    demo.kill();
    await ended;
  };
  return { ...JSON.parse(line), stop };
}
