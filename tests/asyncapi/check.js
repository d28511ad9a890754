// Checks the AsyncAPI document of the events with AsyncAPI's own parser: see .ci/asyncapi.
// node check.js DOCUMENT
const { readFileSync } = require("node:fs");
const { Parser } = require("@asyncapi/parser");

const INFORMATION = 2; // Errors and warnings are lower. The one information is that AsyncAPI has a later version.
const MAX_ERRORS = 20; // The parser reports an error in a schema for each operation.
const parser = new Parser();
const problems = async document => {
  const { diagnostics } = await parser.parse(JSON.stringify(document));
  const found = diagnostics.filter(one => one.severity < INFORMATION);
  return found.map(one => `${one.path.join("/")}: ${one.message} (${one.code})`);
};

const first = object => Object.values(object)[0];
const alone = object => Object.fromEntries(Object.entries(object).slice(0, 1));
// The document with its first message alone, which is parsed faster.
const short = document => {
  const copy = structuredClone(document);
  copy.channels.events.messages = alone(copy.channels.events.messages);
  copy.components.messages = alone(copy.components.messages);
  copy.operations = alone(copy.operations);
  return copy;
};

// Each must be noticed, or the check is worth nothing.
const MISTAKES = {
  "no action": document => { delete first(document.operations).action; },
  "a reference to nothing": document => { first(document.components.messages).payload.$ref += "Nothing"; },
  "a discriminator of OpenAPI": document => { first(document.components.schemas).discriminator = { propertyName: "a" }; },
};

const check = async document => {
  const found = await problems(document);
  if (found.length === 0) found.push(...(await problems(short(document))).map(problem => `with one message: ${problem}`));
  for (const [name, make] of Object.entries(MISTAKES)) {
    const mistaken = short(document);
    make(mistaken);
    if ((await problems(mistaken)).length === 0) found.push(`not noticed: ${name}`);
  }
  return found;
};

const document = JSON.parse(readFileSync(process.argv[2], "utf8"));
check(document).then(found => {
  found.slice(0, MAX_ERRORS).forEach(problem => console.error(problem));
  if (found.length > 0) process.exit(1);
  const [messages, schemas] = ["messages", "schemas"].map(part => Object.keys(document.components[part]).length);
  console.log(`${messages} messages with ${schemas} schemas are valid, and ${Object.keys(MISTAKES).length} mistakes are noticed`);
});
