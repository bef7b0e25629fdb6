import { createPrivateKey, generateKeyPairSync } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Transport } from "../../../src/client/transport/transport.js";
import { type Cluster, startCluster } from "../../../src/cluster/index.js";
import { loadOrCreatePki } from "../../../src/cluster/pki/stored-pki.js";
import { signingKey, type SigningKey, signToken } from "../../../src/machinery/crypto/jwt/jws.js";
import type { JsonObject } from "../../../src/machinery/meta/json.js";
import { call } from "../../helpers/api-caller.js";
import { compactToken } from "../../helpers/oidc-issuer.js";

const URL_OF = { own: "https://issuer.own", old: "https://issuer.old" };
let folder: string;
let cluster: Cluster;
let api: Transport;
let key: SigningKey;
const rotated = generateKeyPairSync("rsa", { modulusLength: 2048 });
let good: string;
let claims: JsonObject;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "kubets-sa-"));
  await writeFile(join(folder, "old.pem"), rotated.publicKey.export({ type: "spki", format: "pem" }));
  cluster = await startCluster({
    port: false,
    storage: "disk",
    dataDir: join(folder, "data"),
    authentication: {
      serviceAccounts: {
        issuers: [URL_OF.own, URL_OF.old],
        keyFiles: [join(folder, "old.pem")],
        maxTokenExpirationSeconds: 7200,
        extendTokenExpiration: false,
        keysUrl: "https://keys.example/jwks",
      },
    },
  });
  api = cluster.transport();
  await call(api, "POST", "/apis/rbac.authorization.k8s.io/v1/namespaces/default/rolebindings", {
    metadata: { name: "accounts-view" },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "view" },
    subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "Group", name: "system:serviceaccounts:default" }],
  });
  const { serviceAccountKey } = await loadOrCreatePki(join(folder, "data"), () => {
    throw new Error("there are secrets");
  });
  key = signingKey(createPrivateKey(serviceAccountKey));
  const answer = await ask({});
  good = answer.at("status.token") as string;
  claims = JSON.parse(Buffer.from(good.split(".")[1] ?? "", "base64url").toString()) as JsonObject;
});

afterAll(async () => {
  await cluster.close();
  await rm(folder, { recursive: true });
});

const ask = (spec: JsonObject) =>
  call(api, "POST", "/api/v1/namespaces/default/serviceaccounts/default/token", {
    apiVersion: "authentication.k8s.io/v1",
    kind: "TokenRequest",
    spec,
  });
const review = async (token: string, audiences?: readonly string[]) =>
  (
    await call(api, "POST", "/apis/authentication.k8s.io/v1/tokenreviews", {
      apiVersion: "authentication.k8s.io/v1",
      kind: "TokenReview",
      spec: { token, ...(audiences && { audiences }) },
    })
  ).at("status") as JsonObject;
const statusOf = async (token: string): Promise<number> =>
  (await call(api, "GET", "/api/v1/namespaces/default", undefined, { headers: { authorization: `Bearer ${token}` } }))
    .status;
const headOf = (header: object): string => Buffer.from(JSON.stringify(header)).toString("base64url");
const withHeader = (header: object): string => [headOf(header), ...good.split(".").slice(1)].join(".");
const resigned = (more: JsonObject): string => signToken({ ...claims, ...more }, key);

test("a service account token of the first issuer is accepted, and one of a former issuer and key too", async () => {
  expect(claims["iss"]).toBe(URL_OF.own);
  expect(await statusOf(good)).toBe(200);
  expect(await statusOf(signToken({ ...claims, iss: URL_OF.old }, signingKey(rotated.privateKey)))).toBe(200);
});

describe("a forged service account token is a 401, and its review gives the reason without the token", () => {
  const INVALID = "invalid bearer token";
  const SIGNATURE = "[invalid bearer token, go-jose/go-jose: error in cryptographic primitive]";
  const NO_KEY = "[invalid bearer token, invalid signature, no keys found]";
  const now = Math.floor(Date.now() / 1000);
  test.each<[string, () => string, string]>([
    ["with alg none", () => withHeader({ alg: "none", kid: key.id }), SIGNATURE],
    ["with alg none and no signature", () => `${headOf({ alg: "none" })}.${good.split(".")[1] ?? ""}.`, INVALID],
    ["with an HMAC's algorithm", () => withHeader({ alg: "HS256", kid: key.id }), SIGNATURE],
    ["with RSA's algorithm", () => withHeader({ alg: "RS256", kid: key.id }), SIGNATURE],
    [
      "that names another of the server's keys",
      () => withHeader({ alg: "ES256", kid: signingKey(rotated.privateKey).id }),
      SIGNATURE,
    ],
    ["that names no key of the server", () => withHeader({ alg: "ES256", kid: "x" }), NO_KEY],
    ["that names a file as its key", () => withHeader({ alg: "ES256", kid: "/etc/passwd" }), NO_KEY],
    ["that brings a key", () => withHeader({ alg: "ES256", jwk: {} }), SIGNATURE],
    ["that is critical", () => withHeader({ alg: "ES256", kid: key.id, crit: ["b64"], b64: false }), INVALID],
    [
      "with other claims",
      () =>
        [
          good.split(".")[0],
          headOf({ ...claims, sub: "system:serviceaccount:kube-system:x" }),
          good.split(".")[2],
        ].join("."),
      SIGNATURE,
    ],
    [
      "of a key of its own",
      () => signToken(claims, signingKey(generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey)),
      NO_KEY,
    ],
    [
      "of a key of its own, in the name of the server's",
      () =>
        compactToken({ alg: "ES256", kid: key.id }, claims, {
          id: "",
          algorithm: "ES256",
          privateKey: generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey,
        }),
      SIGNATURE,
    ],
    ["with padding", () => `${good}=`, INVALID],
    ["of another issuer", () => resigned({ iss: "https://elsewhere" }), INVALID],
    ["of an issuer with a slash more", () => resigned({ iss: `${URL_OF.own}/` }), INVALID],
    ["of a list of issuers", () => resigned({ iss: [URL_OF.own] }), INVALID],
    [
      "for another audience",
      () => resigned({ aud: ["vault"] }),
      `[invalid bearer token, token audiences ["vault"] is invalid for the target audiences ["${URL_OF.own}" "${URL_OF.old}"]]`,
    ],
    [
      "that has expired",
      () => resigned({ exp: now - 120 }),
      "[invalid bearer token, service account token has expired]",
    ],
    ["without an end", () => resigned({ exp: null }), "[invalid bearer token, service account token has expired]"],
    [
      "that is not valid yet",
      () => resigned({ nbf: now + 600 }),
      "[invalid bearer token, service account token is not valid yet]",
    ],
    [
      "of the future",
      () => resigned({ iat: now + 600 }),
      "[invalid bearer token, service account token is issued in the future]",
    ],
    [
      "of an account that there is not",
      () => resigned({ "kubernetes.io": { namespace: "default", serviceaccount: { name: "ghost", uid: "1" } } }),
      '[invalid bearer token, serviceaccounts "ghost" not found]',
    ],
    [
      "of an account with another uid",
      () => resigned({ "kubernetes.io": { namespace: "default", serviceaccount: { name: "default", uid: "1" } } }),
      expect.stringContaining("does not match claim (1)") as unknown as string,
    ],
    [
      "of a pod that there is not",
      () =>
        resigned({ "kubernetes.io": { ...(claims["kubernetes.io"] as JsonObject), pod: { name: "gone", uid: "1" } } }),
      "[invalid bearer token, service account token has been invalidated]",
    ],
    [
      "of a node that there is not",
      () =>
        resigned({ "kubernetes.io": { ...(claims["kubernetes.io"] as JsonObject), node: { name: "gone", uid: "1" } } }),
      "[invalid bearer token, service account token has been invalidated]",
    ],
  ])("%s", async (_, forge, error) => {
    const token = forge();
    expect(await statusOf(token)).toBe(401);
    const status = await review(token);
    expect(status).toEqual({ user: {}, error });
    expect(JSON.stringify(status)).not.toContain(token.split(".")[2] || "nothing");
  });
});

test("a service account token is refused as soon as its account is deleted, although its signature is cached", async () => {
  const accounts = "/api/v1/namespaces/default/serviceaccounts";
  await call(api, "POST", accounts, { metadata: { name: "robot" } });
  const answer = await call(api, "POST", `${accounts}/robot/token`, {
    apiVersion: "authentication.k8s.io/v1",
    kind: "TokenRequest",
    spec: {},
  });
  const token = answer.at("status.token") as string;
  expect(await statusOf(token)).toBe(200);
  await call(api, "DELETE", `${accounts}/robot`);
  expect(await statusOf(token)).toBe(401);
});

test("a request for a token with a too long lifetime is shortened, with a warning", async () => {
  const answer = await ask({ expirationSeconds: 90_000 });
  expect([answer.status, answer.at("spec.expirationSeconds"), answer.headers["warning"]]).toEqual([
    201,
    7200,
    ['299 - "requested expiration of 90000 seconds shortened to 7200 seconds"'],
  ]);
});

test("the discovery document names the first issuer and the URL of the keys, and the key set has all keys", async () => {
  const document = await call(api, "GET", "/.well-known/openid-configuration");
  expect([document.at("issuer"), document.at("jwks_uri")]).toEqual([URL_OF.own, "https://keys.example/jwks"]);
  const { keys } = JSON.parse((await call(api, "GET", "/openid/v1/jwks")).text) as { keys: { kid: string }[] };
  expect(keys.map(({ kid }) => kid)).toEqual([key.id, signingKey(rotated.privateKey).id]);
});

test("a key that is removed from its file verifies no token any more", async () => {
  const token = signToken({ ...claims, iss: URL_OF.old }, signingKey(rotated.privateKey));
  const next = generateKeyPairSync("ec", { namedCurve: "P-384" });
  await writeFile(join(folder, "old.pem"), next.publicKey.export({ type: "spki", format: "pem" }));
  await expect.poll(() => statusOf(token)).toBe(401);
  expect(await statusOf(signToken(claims, signingKey(next.privateKey)))).toBe(200);
  expect(await statusOf(good)).toBe(200);
});
