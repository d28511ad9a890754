// Filters of operations, copy buttons, the language of samples, and the form that sends a request.
"use strict";

/** An element with text and attributes. */
function element(name, text = "", attributes = {}) {
  const made = document.createElement(name);
  made.textContent = text;
  for (const [attribute, value] of Object.entries(attributes)) made.setAttribute(attribute, value);
  return made;
}

/** Storage may be switched off. */
function stored(storage, key, value) {
  try {
    if (value === undefined) return storage.getItem(key);
    storage.setItem(key, value);
  } catch {}
  return null;
}

// Filters: an item matches if each word is in its title or terms. Terms are loaded when a filter is first used.
let index;
for (const input of document.querySelectorAll("[data-filter]")) {
  const scope = document.getElementById(input.dataset.filter);
  const groups = [...scope.querySelectorAll("[data-group]")].map((group) => ({ group, wasOpen: group.open }));
  const filter = input.closest(".filter");
  filter.hidden = false;

  /** The terms that an item is found by where its title is not enough, the shortest first; null if it is not found. */
  function matches(item, words, terms) {
    const others = words.filter((word) => !item.dataset.words.includes(word));
    const found = others.map((word) => terms.filter((term) => term.toLowerCase().includes(word)));
    return found.some((of) => of.length === 0) ? null : found.flat().sort((one, other) => one.length - other.length);
  }

  function narrow(all) {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const { group, wasOpen } of groups) {
      let found = 0;
      for (const item of group.querySelectorAll("[data-words]")) {
        item.querySelector(".matched")?.remove();
        const terms = matches(item, words, all[item.dataset.id] ?? []);
        item.hidden = terms === null;
        if (item.hidden) continue;
        found += 1;
        if (terms.length === 0) continue;
        const rest = terms.length > 3 ? `, ${terms.length - 3} more` : "";
        item.append(element("span", `${terms.slice(0, 3).join(", ")}${rest}`, { class: "matched" }));
      }
      group.hidden = found === 0;
      if (group.matches("details")) group.open = words.length > 0 ? found > 0 : wasOpen;
      shown += found;
    }
    filter.querySelector("[data-none]").hidden = shown > 0;
  }

  input.addEventListener("input", async () => {
    index ??= fetch(input.dataset.index)
      .then((response) => (response.ok ? response.json() : {}))
      .catch(() => ({}));
    narrow(await index);
  });
}

// Copying needs a secure context: https, or this machine.
if (navigator.clipboard) {
  for (const code of document.querySelectorAll("section.code code, [data-copy]")) {
    const button = element("button", "Copy", { type: "button", class: "copy" });
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(code.textContent);
      button.textContent = "Copied";
      setTimeout(() => (button.textContent = "Copy"), 1500);
    });
    (code.closest("section.code")?.querySelector(".bar") ?? code.parentElement).append(button);
  }
}

// The service is at the URL of this page.
const variables = document.getElementById("variables-of-samples");
if (variables) {
  variables.textContent = variables.textContent.replace(/^(export \w+_URL=)http.*$/gm, `$1${location.origin}`);
}

// Restores the language that was chosen last.
const languages = [...document.querySelectorAll('[name="language"]')];
const last = languages.find((input) => input.value === stored(localStorage, "language"));
if (last) last.checked = true;
for (const input of languages) input.addEventListener("change", () => stored(localStorage, "language", input.value));

// Scrolls the list to the current item.
document.querySelector(".list a[aria-current]")?.scrollIntoView({ block: "nearest" });

const form = document.getElementById("try");
for (const section of document.querySelectorAll(".try")) section.hidden = false;

if (form) {
  const result = document.getElementById("result");
  const fields = [...form.querySelectorAll("[data-in]")];
  const within = (place) => fields.filter((field) => field.dataset.in === place && field.value !== "");

  // Keys that were typed in are kept for this tab, unless the page has some.
  for (const field of fields.filter((field) => field.dataset.in === "credential")) {
    if (!field.value) field.value = stored(sessionStorage, field.name) ?? "";
  }

  /** The request that the form describes. */
  const described = () => {
    let path = form.dataset.path;
    for (const field of within("path")) path = path.replace(`{${field.name}}`, encodeURIComponent(field.value));
    const query = new URLSearchParams();
    for (const field of within("query")) {
      const values = "list" in field.dataset ? field.value.split(",") : [field.value];
      for (const value of values) query.append(field.name, value.trim());
    }
    const headers = new Headers();
    for (const field of [...within("credential"), ...within("header")]) headers.set(field.name, field.value);
    const [body] = within("body");
    if (body) headers.set("content-type", body.dataset.mediaType);
    const url = query.size > 0 ? `${path}?${query}` : path;
    const options = { method: form.dataset.method, headers, body: body?.value, cache: "no-store", credentials: "omit" };
    return [url, options];
  };

  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    for (const field of within("credential")) stored(sessionStorage, field.name, field.value);
    const button = form.querySelector("button");
    button.disabled = true;
    result.replaceChildren();
    const began = performance.now();
    try {
      const [url, options] = described();
      const response = await fetch(url, options);
      const blob = await response.blob();
      result.replaceChildren(...(await shown(url, response, blob, performance.now() - began)));
    } catch (error) {
      result.replaceChildren(element("p", `The request failed: ${error.message}`, { class: "outcome failed" }));
    }
    button.disabled = false;
  });
}

/** A response in elements. */
async function shown(url, response, blob, time) {
  const outcome = element("p", "", { class: response.ok ? "outcome" : "outcome failed" });
  outcome.append(element("span", `${response.status} ${response.statusText}`.trim()));
  outcome.append(element("span", `${Math.round(time)} ms`, { class: "quiet" }));
  outcome.append(element("span", `${blob.size} bytes`, { class: "quiet" }));
  const sent = element("p", "", { class: "quiet" });
  sent.append(element("code", url));
  const headers = element("details", "", { class: "nested" });
  headers.append(element("summary", "Headers of the response"));
  headers.append(pre("Headers", [...response.headers].map(([name, value]) => `${name}: ${value}`).join("\n")));
  const parts = [outcome, sent, headers];
  if (blob.size > 0) parts.push(await body(blob, response.headers.get("content-type") ?? ""));
  return parts;
}

/** The body: JSON indented, other text as it is, anything else to be saved. */
async function body(blob, type) {
  if (!/json|text/.test(type)) {
    const link = element("a", `Save ${type || "the body"}`, { download: "response", href: URL.createObjectURL(blob) });
    const line = element("p");
    line.append(link);
    return line;
  }
  const text = await blob.text();
  const most = 200_000;
  let pretty = text;
  if (!type.includes("ndjson")) {
    try {
      // Numbers of more than 53 bits would change, so a text with long numbers is shown unformatted.
      if (text.length <= most && !/[^"\d.]\d{16,}/.test(text)) pretty = JSON.stringify(JSON.parse(text), null, 2);
    } catch {}
  }
  return pre("Body", pretty.length > most ? `${pretty.slice(0, most)}\n... (the rest is not shown)` : pretty);
}

function pre(label, text) {
  const section = element("section", "", { class: "code", "aria-label": label });
  const bar = element("p", "", { class: "bar" });
  bar.append(element("span", label));
  section.append(bar);
  const block = element("pre", "", { tabindex: "0" });
  block.append(element("code", text));
  section.append(block);
  return section;
}
