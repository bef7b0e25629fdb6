import { createPrivateKey, generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { hashOf, keyInput, type SignatureAlgorithm } from "../../src/machinery/crypto/jwt/jws.js";
import type { JsonObject } from "../../src/machinery/meta/json.js";
import { certificates } from "./webhook-server.js";

export interface IssuerSigningKey {
  readonly id: string;
  readonly algorithm: SignatureAlgorithm;
  readonly privateKey: KeyObject;
}

/** An OpenID Connect issuer on the loopback address, whose documents a test may change. */
export interface OidcIssuer extends AsyncDisposable {
  readonly url: string;
  /** PEM. */
  readonly certificateAuthority: string;
  /** Paths that were asked for. */
  readonly asked: string[];
  keys: readonly IssuerSigningKey[];
  /** Headers of the key set: Cache-Control. */
  keyHeaders: Readonly<Record<string, string>>;
  /** What the discovery document says beside the usual. */
  discovery: JsonObject;
  /** Answers for more paths: a status and a body. */
  readonly more: Map<string, readonly [number, string]>;
  /** A token of the first key. Claims of undefined are left out. */
  token(claims?: JsonObject, key?: IssuerSigningKey): string;
}

export function newKey(id: string, algorithm: SignatureAlgorithm = "ES256"): IssuerSigningKey {
  const curves: Readonly<Record<string, string>> = { ES256: "P-256", ES384: "P-384", ES512: "P-521" };
  const curve = curves[algorithm];
  const { privateKey } =
    curve === undefined
      ? generateKeyPairSync("rsa", { modulusLength: 2048 })
      : generateKeyPairSync("ec", { namedCurve: curve });
  return { id, algorithm, privateKey };
}

export function compactToken(header: JsonObject, claims: JsonObject | string, key: IssuerSigningKey): string {
  const part = (value: JsonObject | string) =>
    Buffer.from(typeof value === "string" ? value : JSON.stringify(value)).toString("base64url");
  const head = `${part(header)}.${part(claims)}`;
  const input = keyInput(createPrivateKey(key.privateKey.export({ type: "pkcs8", format: "pem" })), key.algorithm);
  return `${head}.${sign(hashOf(key.algorithm), Buffer.from(head), input).toString("base64url")}`;
}

/** `host` is what its URL calls it. */
export async function startOidcIssuer(now: () => number = () => Date.now(), host = "127.0.0.1"): Promise<OidcIssuer> {
  const { authority, leaf } = certificates([host]);
  const asked: string[] = [];
  const more = new Map<string, readonly [number, string]>();
  const server: Server = createServer({ key: leaf.key, cert: leaf.certificate }, (request, response) => {
    const path = request.url ?? "";
    asked.push(path);
    const [status, body] = more.get(path) ?? documentAt(path);
    const headers = path === "/keys" ? issuer.keyHeaders : {};
    response.writeHead(status, { "content-type": "application/json", ...headers });
    response.end(body);
  });
  const documentAt = (path: string): readonly [number, string] => {
    if (path === "/.well-known/openid-configuration") {
      return [200, JSON.stringify({ issuer: issuer.url, jwks_uri: `${issuer.url}/keys`, ...issuer.discovery })];
    }
    if (path !== "/keys") return [404, "not here"];
    const keys = issuer.keys.map(({ id, algorithm, privateKey }) => {
      const { d: _, p: _p, q: _q, dp: _dp, dq: _dq, qi: _qi, ...jwk } = privateKey.export({ format: "jwk" });
      return { ...jwk, kid: id, alg: algorithm, use: "sig" };
    });
    return [200, JSON.stringify({ keys })];
  };
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const issuer: OidcIssuer = {
    url: `https://${host}:${(server.address() as AddressInfo).port}`,
    certificateAuthority: authority.certificate,
    asked,
    keys: [newKey("first")],
    keyHeaders: {},
    discovery: {},
    more,
    token(claims = {}, key = issuer.keys[0] ?? newKey("none")) {
      const second = Math.floor(now() / 1000);
      const usual = { iss: issuer.url, aud: "kubets", sub: "alice", exp: second + 3600, iat: second };
      return compactToken({ alg: key.algorithm, kid: key.id }, { ...usual, ...claims }, key);
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
  return issuer;
}
