// Calls `wearlab mcp` with the official client of npm: see .ci/mcp.
// node check.js WEARLAB, with the first line of `wearlab demo --json` as input
const assert = require("node:assert/strict");
const { spawn } = require("node:child_process");
const { readFileSync } = require("node:fs");
const { createInterface } = require("node:readline");
const { Client } = require("@modelcontextprotocol/sdk/client/index.js");
const { StdioClientTransport } = require("@modelcontextprotocol/sdk/client/stdio.js");
const { StreamableHTTPClientTransport } = require("@modelcontextprotocol/sdk/client/streamableHttp.js");

const wearlab = process.argv[2];
const demo = JSON.parse(readFileSync(0, "utf8"));
const env = {
  PATH: process.env.PATH,
  WEARLAB_BASE_URL: demo.base_url,
  WEARLAB_MANAGEMENT_URL: demo.management_url,
  WEARLAB_API_KEY: demo.team_api_key,
  WEARLAB_MANAGEMENT_KEY: demo.management_key,
};

// Each transport: opens a session with a server of its own.
const stdio = async options => {
  const client = new Client({ name: "check", version: "1" });
  await client.connect(new StdioClientTransport({ command: wearlab, args: ["mcp", ...options], env }));
  return { client, end: () => client.close() };
};
const http = async options => {
  const server = spawn(wearlab, ["mcp", "--listen", "0", ...options], { env, stdio: ["ignore", "pipe", "inherit"] });
  const [url] = await require("node:events").once(createInterface({ input: server.stdout }), "line");
  const client = new Client({ name: "check", version: "1" });
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  return { client, end: async () => { await client.close(); server.kill(); } };
};

const check = async (name, open) => {
  const reads = await open([]);
  assert.equal(reads.client.getServerVersion().name, "wearlab");
  assert.match(reads.client.getInstructions(), /Only those that read are offered\..*ingest_arrivals/);
  const { tools } = await reads.client.listTools();
  assert.ok(tools.length > 40, `${tools.length} tools`);
  assert.ok(tools.every(tool => tool.annotations.readOnlyHint && tool.title && tool.description));
  const { properties } = tools.find(tool => tool.name === "list_users").inputSchema;
  assert.equal(properties.limit.type, "integer");
  assert.match(properties.limit.description, /The largest number of users/);

  const call = (session, tool, args) => session.client.callTool({ name: tool, arguments: args });
  const user = await call(reads, "get_user", { user_id: demo.user_id });
  assert.equal(user.structuredContent.user_id, demo.user_id);
  assert.equal(JSON.parse(user.content[0].text).user_id, demo.user_id);
  const missing = await call(reads, "get_user", { user_id: "00000000-0000-0000-0000-000000000000" });
  assert.ok(missing.isError);
  assert.match(missing.content[0].text, /not found: 404/);
  await assert.rejects(call(reads, "no_such_tool", {}), /unknown tool/);

  const body = { client_user_id: `made over ${name}` };
  const refused = await call(reads, "create_user", { body });
  assert.ok(refused.isError);
  assert.match(refused.content[0].text, /only reads: start it with --allow-writes/);
  const absent = await call(reads, "resolve_user", body);
  assert.match(absent.content[0].text, /not found: 404/);

  const writes = await open(["--allow-writes", "--tag", "users", "--max-result-bytes", "300"]);
  const names = (await writes.client.listTools()).tools.map(tool => tool.name);
  assert.ok(names.includes("create_user") && !names.includes("list_providers"), names.join());
  const created = await call(writes, "create_user", { body });
  assert.ok(!created.isError, created.content[0].text);
  const found = await call(reads, "resolve_user", body);
  assert.equal(found.structuredContent.client_user_id, body.client_user_id);
  const cut = await call(writes, "list_users", {});
  assert.equal(cut.content[0].text.length, 300);
  assert.match(cut.content[1].text, /The result is cut: these are the first 300 of \d+ bytes/);
  assert.equal(cut.structuredContent, undefined);

  await reads.end();
  await writes.end();
  console.log(`over ${name}: ${tools.length} tools that read; a read, a write, its refusal and a cut result`);
};

(async () => {
  await check("stdio", stdio);
  await check("HTTP", http);
})().catch(error => { console.error(error); process.exit(1); });
