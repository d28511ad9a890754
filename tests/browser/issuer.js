// Authorization server of a provider: the npm package oidc-provider, with pages for signing in and consent. It requires
// PKCE, rotates refresh tokens, and revokes everything if a code or a refresh token is used twice.

import { randomBytes } from "node:crypto";
import { exportJWK, generateKeyPair } from "jose";
import Provider from "oidc-provider";

export const SCOPES = ["activity:read", "sleep:read", "heart:read"];
const CLIENT = { client_id: "wearlab-tests", client_secret: "a secret of the tests: 50% + \"more\"" };

/** Starts an issuer. It knows one client, which may be sent back to `redirectUri`. */
export async function startIssuer({ name, redirectUri, port = 0, tokenSeconds = 3600 }) {
  const issuer = new Issuer(name, redirectUri, tokenSeconds);
  await issuer.start(port);
  return issuer;
}

class Issuer {
  /** The paths of the requests so far, with the grant type of those to the token endpoint. */
  requests = [];
  /** What the token endpoint responds with in place of a token: none, or a status and a body. */
  refusal = null;
  /** Where the browser was to be sent back to, if it is kept here instead: null until it is known, undefined to send it. */
  caught = undefined;

  constructor(name, redirectUri, tokenSeconds) {
    this.name = name;
    this.redirectUri = redirectUri;
    this.tokenSeconds = tokenSeconds;
  }

  /** Serves, on the same port as before if it did. */
  async start(port = this.port) {
    if (!this.provider) {
      const { privateKey } = await generateKeyPair("RS256", { extractable: true });
      this.key = { ...(await exportJWK(privateKey)), alg: "RS256", use: "sig" };
    }
    this.server = (await import("node:http")).createServer((request, response) => this.handler(request, response));
    await new Promise((resolve) => this.server.listen(port, "127.0.0.1", resolve));
    this.port = this.server.address().port;
    if (!this.provider) {
      this.provider = this.#configured();
      this.handler = this.provider.callback();
    }
  }

  /** Is down, until it is started again. */
  async stop() {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  get url() {
    return `http://127.0.0.1:${this.port}`;
  }

  /** The settings of this provider, as `PUT /v1/org/{org_id}/providers/{slug}` takes them. */
  get settings() {
    return {
      ...CLIENT,
      authorization_url: `${this.url}/auth`,
      token_url: `${this.url}/token`,
      revocation_url: `${this.url}/token/revocation`,
      issuer: this.url,
      scopes: {
        activity: { required: ["activity:read"], optional: ["heart:read"] },
        sleep: { required: ["sleep:read"], optional: [] },
      },
      extra_scopes: ["offline_access"],
    };
  }

  #configured() {
    const pages = new Pages(this);
    const provider = new Provider(this.url, {
      clients: [
        {
          ...CLIENT,
          redirect_uris: [this.redirectUri],
          grant_types: ["authorization_code", "refresh_token"],
          response_types: ["code"],
        },
      ],
      cookies: { keys: [randomBytes(32).toString("hex")] },
      features: { devInteractions: { enabled: false }, revocation: { enabled: true } },
      findAccount: (_, id) => ({ accountId: id, claims: () => ({ sub: id }) }),
      interactions: { url: (_, interaction) => `/interaction/${interaction.uid}` },
      // Providers with plain OAuth do this, without the rules of OpenID.
      issueRefreshToken: () => true,
      expiresWithSession: () => false,
      jwks: { keys: [this.key] },
      // Consent is asked for each time, whatever was granted before.
      loadExistingGrant: ({ oidc }) => oidc.result?.consent && oidc.provider.Grant.find(oidc.result.consent.grantId),
      pkce: { required: () => true },
      rotateRefreshToken: () => true,
      scopes: ["offline_access", ...SCOPES],
      ttl: {
        AccessToken: this.tokenSeconds,
        AuthorizationCode: 60,
        Grant: 86400,
        IdToken: 3600,
        Interaction: 600,
        RefreshToken: 86400,
        Session: 86400,
      },
    });
    provider.use((context, next) => this.#observed(context, next));
    provider.use((context, next) => pages.serve(context, next));
    return provider;
  }

  async #observed(context, next) {
    this.requests.push(context.path);
    if (context.path === "/token" && this.refusal) {
      context.status = this.refusal.status;
      context.body = this.refusal.body;
      return;
    }
    await next();
    const back = context.response.get("location") ?? "";
    if (this.caught !== undefined && back.startsWith(this.redirectUri)) {
      this.caught = back;
      context.response.remove("location");
      context.status = 200;
      context.type = "html";
      context.body = page("Kept here", "");
    }
  }
}

/** The pages of a person at the provider. */
class Pages {
  constructor(issuer) {
    this.issuer = issuer;
  }

  async serve(context, next) {
    if (!context.path.startsWith("/interaction/")) return next();
    const { provider } = this.issuer;
    const { prompt, params, session } = await provider.interactionDetails(context.req, context.res);
    if (context.method === "GET") {
      context.type = "html";
      context.body = prompt.name === "login" ? this.#login() : this.#consent(params);
      return;
    }
    const form = new URLSearchParams(await text(context.req));
    let result;
    if (form.has("deny")) {
      result = { error: "access_denied", error_description: "the person refused" };
    } else if (prompt.name === "login") {
      result = { login: { accountId: form.get("name") || "somebody" } };
    } else {
      const grant = new provider.Grant({ accountId: session.accountId, clientId: params.client_id });
      const asked = params.scope.split(" ");
      const granted = new Set(["offline_access", ...form.getAll("scope")]);
      const denied = asked.filter((scope) => !granted.has(scope));
      grant.addOIDCScope(asked.join(" "));
      if (denied.length > 0) grant.rejectOIDCScope(denied.join(" "));
      result = { consent: { grantId: await grant.save() } };
    }
    // oidc-provider answers by itself.
    context.respond = false;
    await provider.interactionFinished(context.req, context.res, result, { mergeWithLastSubmission: false });
  }

  #login() {
    return page(
      `Sign in to ${this.issuer.name}`,
      `<form method="post"><label>Name <input name="name" autofocus required></label> <button>Sign in</button></form>`,
    );
  }

  #consent({ scope }) {
    const box = (name) => `<p><label><input type="checkbox" name="scope" value="${name}" checked> ${name}</label></p>`;
    const boxes = scope.split(" ").filter((name) => name !== "offline_access").map(box).join("");
    return page(
      `${this.issuer.name}: share your data?`,
      `<form method="post">${boxes}<button name="allow">Allow</button> <button name="deny">Deny</button></form>`,
    );
  }
}

function page(title, body) {
  return `<!doctype html><html lang="en"><meta charset="utf-8"><link rel="icon" href="data:,"><title>${title}</title><h1>${title}</h1>${body}</html>`;
}

async function text(stream) {
  let all = "";
  for await (const part of stream) all += part;
  return all;
}
