// Calls every operation that the Node.js library and the document share, and compares the results with the sent data.
//
// Reads the output of scenario.py from standard input. Prints a table, and fails if a call threw, a value differs, or a
// shared operation was not called.

import { readFileSync } from "node:fs";
import { JunctionClient } from "@junction-api/sdk";

const ARGUMENTS = { link_token: "vital_link_token" }; // Names of the document, and those of the library.

class Difference extends Error {}

const camel = (name) => name.replace(/_+([a-z0-9#])/g, (_, letter) => letter.toUpperCase());
const isObject = (value) => value !== null && typeof value === "object";

/** How many values were read as they were sent. One that was not is an error. */
function compared(read, sent, place = "") {
  const differs = (why) => {
    throw new Difference(`${place || "the body"}: ${why}`);
  };
  if (read instanceof Date) {
    if (typeof sent !== "string" || Date.parse(sent) !== read.getTime()) differs(`${read.toJSON()} of ${sent}`);
    return 1;
  }
  if (Array.isArray(sent)) {
    if (!Array.isArray(read) || read.length !== sent.length) differs("other items");
    return sent.reduce((count, item, index) => count + compared(read[index], item, `${place}[${index}]`), 0);
  }
  if (isObject(sent)) {
    if (!isObject(read) || Array.isArray(read)) differs("no object");
    const keyOf = (name) => (Object.hasOwn(read, name) ? name : camel(name));
    const wanted = new Set(Object.keys(sent).map(keyOf));
    const more = Object.keys(read).find((name) => !wanted.has(name) && read[name] !== undefined && read[name] !== null);
    if (more !== undefined) differs(`${more} was not sent`);
    return Object.entries(sent).reduce((count, [name, value]) => count + compared(read[keyOf(name)], value, `${place}.${name}`), 0);
  }
  if (sent === null) {
    if (read !== null && read !== undefined) differs(`${read} of null`);
    return 0;
  }
  if (read !== sent) differs(`${read} of ${sent}`);
  return 1;
}

/** Each operation of the library with its name, method and path. */
function* operations(client) {
  for (const [group, { get }] of Object.entries(Object.getOwnPropertyDescriptors(Object.getPrototypeOf(client)))) {
    if (get === undefined) continue;
    const owner = client[group];
    const methods = Object.getOwnPropertyNames(Object.getPrototypeOf(owner));
    for (const name of methods.filter((name) => methods.includes(`__${name}`))) {
      // The path of a request is only in the source of the method.
      const source = owner[`__${name}`].toString();
      const method = /\bmethod: "([A-Z]+)"/.exec(source)?.[1];
      const url = /(?:Environment\.Production|environment[^,]*), (?:"([^"]+)"|`([^`]+)`)\)/.exec(source);
      const path = url?.[1] ?? url?.[2]?.replace(/\$\{[^}]*encodePathParam\((?:[\w.]*jsonOrThrow\()?(\w+)[^}]*(?:\{[^}]*\}[^}]*)?\}/g, "{$1}");
      if (method === undefined || path === undefined || path.includes("$")) throw new Error(`${group}.${name} has no path that can be read`);
      yield { name: `${group}.${name}`, call: (request) => owner[name](request), method, path };
    }
  }
}

/** The operation of the document. A part that is fixed in the library may be a known value of a parameter. */
function operationOf(document, method, path) {
  const resolved = (part) => (part.$ref ? part.$ref.slice(2).split("/").reduce((found, key) => found[key], document) : part);
  const known = (schema) => [...(resolved(schema).enum ?? []), ...(resolved(schema).anyOf ?? []).flatMap(known)];
  const segments = path.replace(/^\/|\/$/g, "").split("/");
  const fixed = (template) => template.split("/").filter((part) => !part.startsWith("{")).length;
  const fits = ([template, item]) => {
    const operation = item[method.toLowerCase()];
    const templates = template.replace(/^\/|\/$/g, "").split("/");
    if (operation === undefined || templates.length !== segments.length) return false;
    const parameters = new Map((operation.parameters ?? []).map(resolved).map((parameter) => [parameter.name, parameter]));
    return templates.every((part, index) => {
      const segment = segments[index];
      if (!part.startsWith("{")) return part === segment;
      return segment.startsWith("{") || known(parameters.get(part.slice(1, -1)).schema).includes(segment);
    });
  };
  const found = Object.entries(document.paths).filter(fits).sort(([one], [other]) => fixed(other) - fixed(one));
  return found[0]?.[1][method.toLowerCase()].operationId;
}

/** Arguments by the library's names. */
function argumentsOf(value) {
  if (Array.isArray(value)) return value.map(argumentsOf);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [camel(ARGUMENTS[name] ?? name), argumentsOf(member)]));
}

async function bytesOf(read) {
  return new Uint8Array(await read.arrayBuffer());
}

/** What is wrong, without the values of it. */
function reasons(error) {
  if (error instanceof Difference) return [error.message];
  if (error.body?.status) {
    const { status, detail, errors = [] } = error.body;
    return [[`${status}:`, detail, ...errors.map(({ location, message }) => `${location}: ${message}`)].join(" ")];
  }
  if (Array.isArray(error.errors)) {
    return error.errors.map(({ path, message }) => `${path.join(".").replace(/\[\d+\]/g, "[]")}: ${message.replace(/ *Received .*/s, "")}`);
  }
  return [`${error.name}: ${error.message}`.replace(/\s+/g, " ").slice(0, 300)];
}

const scenario = JSON.parse(readFileSync(0, "utf8"));
const { document, bodies } = scenario;
let answer, body;
const client = new JunctionClient({
  baseUrl: scenario.base_url,
  apiKey: scenario.api_key,
  maxRetries: 0,
  fetch: async (url, options) => {
    if (answer !== undefined) return new Response(JSON.stringify(answer), { headers: { "content-type": "application/json" } });
    const response = await fetch(url, options);
    body = await response.clone().text();
    return response;
  },
});

const shared = new Map();
let others = 0;
for (const operation of operations(client)) {
  const id = operationOf(document, operation.method, operation.path);
  if (id === undefined) others += 1;
  else shared.set(id, [...(shared.get(id) ?? []), { ...operation, calls: 0, values: 0, errors: new Set() }]);
}

async function tried(operation, given, of) {
  answer = of;
  const source = of === undefined ? "the demo" : "a body of the document";
  operation.calls += 1;
  try {
    const read = await operation.call(argumentsOf(given));
    const isFile = typeof read?.arrayBuffer === "function";
    const count = isFile ? (await bytesOf(read)).length : compared(read, of ?? (body === "" ? null : JSON.parse(body)));
    if (count === 0 && of === undefined && (isFile || body !== "")) throw new Difference("nothing to compare was sent");
    operation.values += count;
  } catch (error) {
    for (const reason of reasons(error)) operation.errors.add(`${source}: ${reason}`);
  }
}

for (const [id, given] of scenario.calls) {
  for (const operation of shared.get(id) ?? []) await tried(operation, given);
}
const first = new Map([...scenario.calls].reverse());
for (const [id, made] of Object.entries(bodies)) {
  for (const operation of shared.get(id) ?? []) {
    for (const of of made) await tried(operation, first.get(id), of);
  }
}

let failed = 0;
const all = [...shared].sort().flatMap(([id, operations]) => operations.map((operation) => [id, operation]));
for (const [id, { name, calls, values, errors }] of all) {
  const wrong = calls === 0 ? ["not called: add a call to scenario.py"] : [...errors];
  failed += wrong.length > 0;
  console.log(`${(wrong.length > 0 ? "wrong" : "read").padEnd(6)} ${name.padEnd(46)} ${id.padEnd(30)} ${calls} calls, ${values} values`);
  for (const reason of wrong) console.log(`       ${reason}`);
}
console.log(`@junction-api/sdk: ${all.length} operations of both, ${failed} wrong; ${others} of the library alone`);
process.exitCode = failed > 0 ? 1 : 0;
