// Refreshes the parts of the page that have `data-live`, from the page itself.
"use strict";
(() => {
  const state = document.querySelector("[data-live-state]");
  const status = state.querySelector("[role=status]");
  const button = state.querySelector("button");
  let paused = false;
  state.hidden = false;

  const say = (message) => {
    if (status.textContent !== message) status.textContent = message;
  };

  const refresh = async () => {
    const response = await fetch(location.href, { headers: { accept: "text/html", "x-console-script": "live" } });
    if (response.status === 401) {
      paused = true;
      say("Signed out. Load the page again.");
      return;
    }
    if (!response.ok) throw new Error(String(response.status));
    const text = await response.text();
    if (paused) return;
    const fresh = new DOMParser().parseFromString(text, "text/html");
    for (const part of document.querySelectorAll("[data-live]")) {
      const other = fresh.getElementById(part.id);
      // A part with focus is not replaced, nor is any part during a selection.
      const busy = part.contains(document.activeElement) || !getSelection().isCollapsed;
      if (!other || busy || other.innerHTML === part.innerHTML) continue;
      const scrolled = part.querySelector(".scroll")?.scrollLeft ?? 0;
      part.replaceChildren(...other.childNodes);
      part.querySelector(".scroll")?.scrollTo({ left: scrolled });
    }
    say("Updates every 5 seconds.");
  };

  const tick = async () => {
    if (!paused && !document.hidden) {
      try {
        await refresh();
      } catch {
        say("The service does not respond. Trying again.");
      }
    }
    // Jitter, so that browsers do not all refresh at the same time.
    setTimeout(tick, 4500 + Math.random() * 1000);
  };

  button.addEventListener("click", () => {
    paused = !paused;
    button.textContent = paused ? "Resume updates" : "Pause updates";
    say(paused ? "Updates are paused." : "Updates every 5 seconds.");
  });
  setTimeout(tick, 5000);
})();
