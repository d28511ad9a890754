// Checks bundles with the npm package fhir, which has the value sets of R4: see .ci/fhir.
// node check.js BUNDLE.json...
const { readFileSync } = require("node:fs");
const { Fhir } = require("fhir");

const fhir = new Fhir();
// It has the value sets that R4 itself defines. It does not know codes of others, and warns.
const problems = bundle => {
  const messages = fhir.validate(bundle, { errorOnUnexpected: true }).messages;
  const unknown = new Set(messages.filter(one => one.message.endsWith("could not be found.")).map(one => one.location));
  return messages.filter(one => one.severity !== "info" && !(one.severity === "warning" && unknown.has(one.location)));
};
const first = (bundle, kind) => bundle.entry.map(entry => entry.resource).find(one => one.resourceType === kind);

// Each is a code in no value set.
const MISTAKES = {
  "type of a bundle": bundle => { bundle.type = "heap"; },
  "status of a result": bundle => { first(bundle, "Observation").status = "finished"; },
  "comparator": bundle => { first(bundle, "Observation").valueQuantity.comparator = "!"; },
  "status of a report": bundle => { first(bundle, "DiagnosticReport").status = "done"; },
  "intent": bundle => { first(bundle, "ServiceRequest").intent = "wish"; },
  "priority": bundle => { first(bundle, "ServiceRequest").priority = "soon"; },
  "gender": bundle => { first(bundle, "Patient").gender = "f"; },
  "use of an address": bundle => { first(bundle, "Patient").address[0].use = "den"; },
  "system of a contact": bundle => { first(bundle, "Patient").telecom[0].system = "pigeon"; },
  "category": bundle => { first(bundle, "Observation").category[0].coding[0].code = "lab"; },
};

const bundles = process.argv.slice(2);
let failed = false;
for (const path of bundles) {
  const text = readFileSync(path, "utf8");
  for (const problem of problems(JSON.parse(text))) {
    failed = true;
    console.error(`${path}: ${problem.location}: ${problem.message}`);
  }
  if (!path.endsWith("/numeric.json")) continue;
  for (const [name, mistake] of Object.entries(MISTAKES)) {
    const broken = JSON.parse(text);
    mistake(broken);
    if (problems(broken).length === 0) {
      failed = true;
      console.error(`not found in a broken bundle: ${name}`);
    }
  }
}
if (failed) process.exit(1);
console.log(`${bundles.length} bundles, ${Object.keys(MISTAKES).length} broken ones: the value sets of fhir agree`);
