// Serves an authorization server until it is killed: `node serve_issuer.js REDIRECT_URI`. Prints its settings as
// variables.

import { startIssuer } from "./issuer.js";

const issuer = await startIssuer({ name: "Stridewell", redirectUri: process.argv[2] });
const { authorization_url, token_url, client_id, client_secret } = issuer.settings;
const variables = {
  AUTHORIZATION_URL: authorization_url,
  TOKEN_URL: token_url,
  CLIENT_ID: client_id,
  CLIENT_SECRET: client_secret,
  PROVIDER_ORIGIN: issuer.url,
};
const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;
for (const [name, value] of Object.entries(variables)) console.log(`${name}=${quoted(value)}`);
console.log("# complete");
