// The app to which the browser is redirected after linking. It shows the parameters of the redirect.

import { createServer } from "node:http";

export async function startApp() {
  const server = createServer((request, response) => {
    response.setHeader("content-type", "text/html; charset=utf-8");
    response.end('<!doctype html><html lang="en"><link rel="icon" href="data:,"><title>App</title><h1>Back in the app</h1></html>');
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const origin = `http://127.0.0.1:${server.address().port}`;
  return {
    origin,
    url: `${origin}/linked?from=wearlab`,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** What an app is told in the URL that it is opened with. */
export function outcome(url) {
  const { from, ...told } = Object.fromEntries(new URL(url).searchParams);
  return told;
}
