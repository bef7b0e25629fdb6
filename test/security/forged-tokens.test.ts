import { createHmac, createPrivateKey, generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { loadOrCreatePki } from "../../src/cluster/pki/stored-pki.js";
import { signingKey, type SigningKey, signToken } from "../../src/machinery/crypto/jwt/jws.js";
import type { JsonObject } from "../../src/machinery/meta/json.js";
import { call } from "../helpers/api-caller.js";
import { Arena, jewel } from "./arena.js";

const CORE = "/api/v1/namespaces/default";
const SECRET = `${CORE}/secrets/jewel`;

let folder: string;
let arena: Arena;
/** The server's own key. Attackers do not have it: some rows use it to change one claim and leave all others right. */
let key: SigningKey;
let good: string;
let claims: JsonObject;
let [head, body, signature] = ["", "", ""];
const own = generateKeyPairSync("ec", { namedCurve: "P-256" });
const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 });

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "kubets-forged-"));
  arena = await Arena.open({ storage: "disk", dataDir: folder });
  const { serviceAccountKey } = await loadOrCreatePki(folder, () => {
    throw new Error("the folder has no secrets");
  });
  key = signingKey(createPrivateKey(serviceAccountKey));
  await arena.create(`${CORE}/serviceaccounts`, { metadata: { name: "reader" } });
  await arena.create(`${CORE}/secrets`, jewel("jewel"));
  await arena.create(`${CORE}/secrets`, {
    metadata: { name: "legacy", annotations: { "kubernetes.io/service-account.name": "reader" } },
    type: "kubernetes.io/service-account-token",
  });
  await arena.allow("system:serviceaccount:default:reader", "get secrets jewel");
  good = await arena.token("default", "reader");
  [head = "", body = "", signature = ""] = good.split(".");
  claims = JSON.parse(Buffer.from(body, "base64url").toString()) as JsonObject;
});

afterAll(async () => {
  await arena[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

const part = (value: unknown): string =>
  Buffer.from(typeof value === "string" ? value : JSON.stringify(value)).toString("base64url");
const headed = (header: unknown): string => `${part(header)}.${body}.${signature}`;
/** A token that the server's own key signs, over texts that need not be those of a token. */
const signedBy = (privateKey: KeyObject, header: unknown, content: unknown): string => {
  const text = `${part(header)}.${part(content)}`;
  const made = sign("sha256", Buffer.from(text), { key: privateKey, dsaEncoding: "ieee-p1363" });
  return `${text}.${made.toString("base64url")}`;
};
const hmac = (algorithm: string, secret: string | Buffer): string => {
  const text = `${part({ alg: algorithm, kid: key.id })}.${body}`;
  return `${text}.${createHmac("sha256", secret).update(text).digest("base64url")}`;
};
const spki = (type: "pem" | "der"): string | Buffer => key.publicKey.export({ type: "spki", format: type as "pem" });
const kid = (name: unknown): string => signedBy(own.privateKey, { alg: "ES256", kid: name }, claims);
const right = (): object => ({ alg: "ES256", kid: key.id });
const jwkOf = (): object => own.publicKey.export({ format: "jwk" });
const resigned = (more: JsonObject): string => signToken({ ...claims, ...more }, key);
const ofCluster = (more: JsonObject): string =>
  resigned({ "kubernetes.io": { ...(claims["kubernetes.io"] as JsonObject), ...more } });
const issuer = (): string => (typeof claims["iss"] === "string" ? claims["iss"] : "");
const seconds = (): number => Math.floor(Date.now() / 1000);
const without = (claim: string): string =>
  signToken(Object.fromEntries(Object.entries(claims).filter(([name]) => name !== claim)), key);
const flipped = (text: string): string => `${text.slice(0, -8)}${text.at(-8) === "A" ? "B" : "A"}${text.slice(-7)}`;

test("the service account token that this file forges is itself valid", async () => {
  expect((await arena.send(`bearer ${good}`, { method: "GET", path: SECRET })).status).toBe(200);
});

const rows: readonly (readonly [title: string, forge: () => string])[] = [
  ["alg none", () => headed({ alg: "none", kid: key.id })],
  ["alg none without a signature", () => `${part({ alg: "none" })}.${body}.`],
  ["alg none without the last dot", () => `${part({ alg: "none" })}.${body}`],
  ["alg None", () => `${part({ alg: "None" })}.${body}.`],
  ["alg NONE with any signature", () => headed({ alg: "NONE" })],
  ["an empty alg", () => headed({ alg: "", kid: key.id })],
  ["no alg", () => headed({ kid: key.id })],
  ["alg null", () => headed({ alg: null, kid: key.id })],
  ["a list of algs", () => headed({ alg: ["ES256"], kid: key.id })],
  ["HS256 with the public key in PEM", () => hmac("HS256", spki("pem"))],
  ["HS256 with the public key in DER", () => hmac("HS256", spki("der"))],
  ["HS256 with the key's id", () => hmac("HS256", key.id)],
  ["HS256 with an empty secret", () => hmac("HS256", "")],
  ["ES256 over an HMAC", () => hmac("ES256", spki("pem"))],
  ["the right claims under RS256", () => headed({ alg: "RS256", kid: key.id })],
  ["the right claims under ES384", () => headed({ alg: "ES384", kid: key.id })],
  ["the right claims under EdDSA", () => headed({ alg: "EdDSA", kid: key.id })],
  [
    "a key of another type in the name of the server's",
    () => signedBy(rsa.privateKey, { alg: "RS256", kid: key.id }, claims),
  ],
  ["a key of the attacker's in the name of the server's", () => signedBy(own.privateKey, right(), claims)],
  ["a key of the attacker's in its own name", () => signToken(claims, signingKey(own.privateKey))],
  ["a key of the attacker's without a name", () => signedBy(own.privateKey, { alg: "ES256" }, claims)],
  ["a key that the header brings", () => signedBy(own.privateKey, { ...right(), jwk: jwkOf() }, claims)],
  [
    "a key that the header brings, without a name",
    () => signedBy(own.privateKey, { alg: "ES256", jwk: jwkOf() }, claims),
  ],
  ["an address of keys", () => signedBy(own.privateKey, { ...right(), jku: "https://127.0.0.1:1/keys" }, claims)],
  ["an address of certificates", () => signedBy(own.privateKey, { ...right(), x5u: "https://127.0.0.1:1/c" }, claims)],
  ["a chain of certificates", () => signedBy(own.privateKey, { ...right(), x5c: [part("x")] }, claims)],
  ["a file as the key's name", () => kid("/dev/null")],
  ["a path upwards as the key's name", () => kid("../../../../dev/null")],
  ["an address as the key's name", () => kid("https://127.0.0.1:1/key")],
  ["a query as the key's name", () => kid("x' UNION SELECT 'key")],
  ["a key's name that every object has", () => kid("__proto__")],
  ["a key's name that is no text", () => kid({ $ne: "" })],
  ["a list of names of keys", () => kid([key.id])],
  ["an empty name of a key", () => kid("")],
  ["a critical header", () => signedBy(key.privateKey, { ...right(), crit: ["exp"], exp: 1 }, claims)],
  ["a payload that is not encoded", () => signedBy(key.privateKey, { ...right(), b64: false, crit: ["b64"] }, claims)],
  ["a signature of zeros", () => `${head}.${body}.${Buffer.alloc(64).toString("base64url")}`],
  [
    "a signature in DER",
    () => `${head}.${body}.${sign("sha256", Buffer.from(`${head}.${body}`), key.privateKey).toString("base64url")}`,
  ],
  ["an empty signature", () => `${head}.${body}.`],
  ["half a signature", () => `${head}.${body}.${signature.slice(0, 43)}`],
  [
    "a signature and a byte",
    () => `${head}.${body}.${Buffer.concat([Buffer.from(signature, "base64url"), Buffer.of(0)]).toString("base64url")}`,
  ],
  ["another bit in the signature", () => `${head}.${body}.${flipped(signature)}`],
  ["another bit in the claims", () => `${head}.${flipped(body)}.${signature}`],
  [
    "the claims of another account",
    () => `${head}.${part({ ...claims, sub: "system:serviceaccount:kube-system:default" })}.${signature}`,
  ],
  ["a fourth part", () => `${good}.x`],
  ["an empty fourth part", () => `${good}.`],
  ["padding", () => `${good}=`],
  ["the other alphabet of base64", () => `${good.slice(0, -2)}+/`],
  ["a line's end behind it, encoded", () => `${good}%0a`],
  ["a token in a token", () => `${part(good)}.${part(good)}.${part(good)}`],
  ["the JSON form of a signature", () => part({ payload: body, protected: head, signature })],
  ["an encrypted token's five parts", () => `${head}.${body}.${signature}.${body}.${signature}`],
  ["half a megabyte", () => `${head}.${"A".repeat(500_000)}.${signature}`],
  ["claims of half a megabyte, rightly signed", () => signToken({ ...claims, more: "a".repeat(300_000) }, key)],
  ["claims of a thousand levels", () => signedBy(key.privateKey, right(), `${"[".repeat(1000)}${"]".repeat(1000)}`)],
  [
    "an account named twice",
    () => signedBy(key.privateKey, right(), JSON.stringify(claims).replace("{", '{"iss":"https://x",')),
  ],
  ["claims and a second object behind them", () => signedBy(key.privateKey, right(), `${JSON.stringify(claims)}{}`)],
  ["claims that are a list", () => signedBy(key.privateKey, right(), [claims])],
  ["claims that are null", () => signedBy(key.privateKey, right(), null)],
  ["a header named twice", () => signedBy(key.privateKey, `{"alg":"none","alg":"ES256","kid":"${key.id}"}`, claims)],
  ["another issuer", () => resigned({ iss: "https://elsewhere" })],
  ["no issuer", () => without("iss")],
  ["the issuer in upper case", () => resigned({ iss: issuer().toUpperCase() })],
  ["an issuer that is a list", () => resigned({ iss: [issuer()] })],
  ["another audience", () => resigned({ aud: ["vault"] })],
  ["no audience", () => without("aud")],
  ["an empty audience", () => resigned({ aud: [] })],
  ["an audience that begins with the right one", () => resigned({ aud: [`${issuer()}.x`] })],
  ["an end in the past", () => resigned({ exp: seconds() - 120 })],
  ["no end", () => without("exp")],
  ["an end that is a text", () => resigned({ exp: "9999999999" })],
  ["a negative end", () => resigned({ exp: -1 })],
  ["a begin in the future", () => resigned({ nbf: seconds() + 3600 })],
  ["a time of issue in the future", () => resigned({ iat: seconds() + 3600 })],
  ["an account that there is not", () => ofCluster({ serviceaccount: { name: "ghost", uid: "1" } })],
  ["an account by another uid", () => ofCluster({ serviceaccount: { name: "reader", uid: "1" } })],
  ["an account without a uid", () => ofCluster({ serviceaccount: { name: "reader" } })],
  ["no account", () => ofCluster({ serviceaccount: null })],
  ["no namespace", () => ofCluster({ namespace: "" })],
  ["another namespace", () => ofCluster({ namespace: "kube-system" })],
  ["a namespace with a path in it", () => ofCluster({ namespace: "kube-system/../default" })],
  ["claims of no cluster", () => without("kubernetes.io")],
  ["a pod that there is not", () => ofCluster({ pod: { name: "gone", uid: "1" } })],
  ["a secret that there is not", () => ofCluster({ secret: { name: "gone", uid: "1" } })],
  ["a node that there is not", () => ofCluster({ node: { name: "gone", uid: "1" } })],
  ["a secret by another uid", () => ofCluster({ secret: { name: "jewel", uid: "1" } })],
  ["an old token of a secret that does not hold it", () => signToken(legacy({}), key)],
  [
    "an old token of a secret that there is not",
    () => signToken(legacy({ "kubernetes.io/serviceaccount/secret.name": "ghost" }), key),
  ],
  [
    "an old token whose subject is another account",
    () => signToken(legacy({ sub: "system:serviceaccount:default:x" }), key),
  ],
  [
    "an old token of a secret that is none for tokens",
    () => signToken(legacy({ "kubernetes.io/serviceaccount/secret.name": "jewel" }), key),
  ],
  ["an old token without a secret", () => signToken(legacy({ "kubernetes.io/serviceaccount/secret.name": "" }), key)],
];

const legacy = (more: JsonObject): JsonObject => ({
  iss: "kubernetes/serviceaccount",
  sub: "system:serviceaccount:default:reader",
  "kubernetes.io/serviceaccount/namespace": "default",
  "kubernetes.io/serviceaccount/secret.name": "legacy",
  "kubernetes.io/serviceaccount/service-account.name": "reader",
  "kubernetes.io/serviceaccount/service-account.uid": (claims["kubernetes.io"] as { serviceaccount: { uid: string } })
    .serviceaccount.uid,
  ...more,
});

describe("a forged service account token is refused for", () => {
  test.each(rows)("%s", async (title, forge) => {
    const token = forge();
    await arena.attemptShot(title, `bearer ${token}`, { method: "GET", path: SECRET }, "401 Unauthorized");
    const review = await call(arena.admin, "POST", "/apis/authentication.k8s.io/v1/tokenreviews", { spec: { token } });
    expect(review.at("status.authenticated"), review.text).toBeUndefined();
    expect(review.at("status.user"), review.text).toEqual({});
  });
});

test("the unforged token is still valid afterwards, and no forgery made the server report an error", async () => {
  expect((await arena.send(`bearer ${good}`, { method: "GET", path: SECRET })).status).toBe(200);
  expect(arena.faults).toEqual([]);
});
