import { createPublicKey, verify, type JsonWebKey } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Transport } from "../../../src/client/transport/transport.js";
import { type Cluster, startCluster } from "../../../src/cluster/index.js";
import type { JsonObject } from "../../../src/machinery/meta/json.js";
import { call } from "../../helpers/api-caller.js";

let cluster: Cluster;
let api: Transport;
let now = Date.parse("2026-01-01T00:00:00Z");

beforeAll(async () => {
  cluster = await startCluster({ port: false, clock: { now: () => now } });
  api = cluster.transport();
  for (const name of ["robot", "other"]) await call(api, "POST", ACCOUNTS, { metadata: { name } });
});

afterAll(() => cluster.close());

const ACCOUNTS = "/api/v1/namespaces/default/serviceaccounts";
const ISSUER = "https://kubernetes.default.svc.cluster.local";

const ask = (spec: JsonObject = {}, account = "robot", more: JsonObject = {}) =>
  call(api, "POST", `${ACCOUNTS}/${account}/token`, {
    apiVersion: "authentication.k8s.io/v1",
    kind: "TokenRequest",
    spec,
    ...more,
  });

const parts = (token: string) =>
  token
    .split(".")
    .slice(0, 2)
    .map((part) => JSON.parse(Buffer.from(part, "base64url").toString("utf8")) as JsonObject);

async function tokenOf(spec: JsonObject = {}): Promise<string> {
  const answer = await ask(spec);
  expect(answer.status, answer.text).toBe(201);
  return answer.at("status.token") as string;
}

const review = (spec: JsonObject) =>
  call(api, "POST", "/apis/authentication.k8s.io/v1/tokenreviews", {
    apiVersion: "authentication.k8s.io/v1",
    kind: "TokenReview",
    spec,
  });

const whoIs = (token: string) =>
  call(
    api,
    "POST",
    "/apis/authentication.k8s.io/v1/selfsubjectreviews",
    { apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" },
    { headers: { authorization: `Bearer ${token}` } },
  );

test("a requested service account token names account, audience and lifetime, and is signed by the published key", async () => {
  const answer = await ask();
  const account = await call(api, "GET", `${ACCOUNTS}/robot`);
  expect([answer.at("spec"), answer.at("metadata"), answer.at("status.expirationTimestamp")]).toEqual([
    { audiences: [ISSUER], expirationSeconds: 3600, boundObjectRef: null },
    { name: "robot", namespace: "default", creationTimestamp: "2026-01-01T00:00:00Z" },
    "2026-01-01T01:00:00Z",
  ]);
  const token = answer.at("status.token") as string;
  const [header, claims] = parts(token);
  const second = now / 1000;
  expect(claims).toEqual({
    aud: [ISSUER],
    exp: second + 3600,
    iat: second,
    iss: ISSUER,
    jti: expect.any(String) as string,
    "kubernetes.io": { namespace: "default", serviceaccount: { name: "robot", uid: account.at("metadata.uid") } },
    nbf: second,
    sub: "system:serviceaccount:default:robot",
  });
  const configuration = await call(api, "GET", "/.well-known/openid-configuration");
  expect(configuration.text).toBe(
    `{"issuer":"${ISSUER}","jwks_uri":"https:///openid/v1/jwks","response_types_supported":["id_token"],"subject_types_supported":["public"],"id_token_signing_alg_values_supported":["ES256"]}`,
  );
  const published = await call(api, "GET", "/openid/v1/jwks");
  expect(published.headers["content-type"]).toBe("application/jwk-set+json");
  const { keys } = JSON.parse(published.text) as { keys: (JsonWebKey & { kid: string })[] };
  const jwk = keys.find(({ kid }) => kid === header?.["kid"]);
  const [signed, signature] = [token.slice(0, token.lastIndexOf(".")), token.slice(token.lastIndexOf(".") + 1)];
  const key = { key: createPublicKey({ key: jwk ?? {}, format: "jwk" }), dsaEncoding: "ieee-p1363" as const };
  expect(verify("sha256", Buffer.from(signed), key, Buffer.from(signature, "base64url"))).toBe(true);
});

test("a requested service account token authenticates as the service account", async () => {
  const token = await tokenOf();
  const answer = await whoIs(token);
  expect(answer.at("status.userInfo")).toEqual({
    username: "system:serviceaccount:default:robot",
    uid: (await call(api, "GET", `${ACCOUNTS}/robot`)).at("metadata.uid"),
    groups: ["system:serviceaccounts", "system:serviceaccounts:default", "system:authenticated"],
    extra: { "authentication.kubernetes.io/credential-id": [`JTI=${parts(token)[1]?.["jti"] as string}`] },
  });
  const changed = `${token.slice(0, -3)}${token.endsWith("AAA") ? "BBB" : "AAA"}`;
  expect((await whoIs(changed)).status).toBe(401);
});

test("a requested service account token is accepted until it expires", async () => {
  const token = await tokenOf({ expirationSeconds: 600 });
  const start = now;
  now += 650_000;
  expect((await whoIs(token)).status).toBe(201);
  now += 30_000;
  expect((await whoIs(token)).status).toBe(401);
  expect((await review({ token })).at("status")).toEqual({
    user: {},
    error: "[invalid bearer token, service account token has expired]",
  });
  now = start;
});

test("a requested service account token for other audiences is refused, and a token review for them accepts it", async () => {
  const token = await tokenOf({ audiences: ["vault", "ci"] });
  expect((await whoIs(token)).status).toBe(401);
  expect((await review({ token })).at("status.error")).toBe(
    `[invalid bearer token, token audiences ["vault" "ci"] is invalid for the target audiences ["${ISSUER}"]]`,
  );
  const good = await review({ token, audiences: ["ci", "else"] });
  expect([good.at("status.authenticated"), good.at("status.audiences"), good.at("status.user.username")]).toEqual([
    true,
    ["ci"],
    "system:serviceaccount:default:robot",
  ]);
});

test("a requested service account token names the object to which it is bound", async () => {
  const pods = "/api/v1/namespaces/default/pods";
  const spec = { serviceAccountName: "robot", nodeName: "n1", containers: [{ name: "c", image: "i" }] };
  const pod = await call(api, "POST", pods, { metadata: { name: "bound" }, spec });
  expect(pod.status, pod.text).toBe(201);
  const boundObjectRef = { apiVersion: "v1", kind: "Pod", name: "bound" };
  const token = await tokenOf({ boundObjectRef, expirationSeconds: 3607 });
  expect(parts(token)[1]).toMatchObject({
    exp: now / 1000 + 31_536_000,
    "kubernetes.io": {
      node: { name: "n1" },
      pod: { name: "bound", uid: pod.at("metadata.uid") },
      warnafter: now / 1000 + 3607,
    },
  });
  expect((await whoIs(token)).at("status.userInfo.extra")).toMatchObject({
    "authentication.kubernetes.io/node-name": ["n1"],
    "authentication.kubernetes.io/pod-name": ["bound"],
    "authentication.kubernetes.io/pod-uid": [pod.at("metadata.uid")],
  });
  const strange = await ask({ boundObjectRef }, "other");
  expect([strange.status, strange.at("message")]).toEqual([
    400,
    'cannot bind token for serviceaccount "other" to pod running with different serviceaccount name.',
  ]);
  const stale = await ask({ boundObjectRef: { ...boundObjectRef, uid: "1" } });
  expect([stale.status, stale.at("message")]).toEqual([
    409,
    'Operation cannot be fulfilled on Pod "bound": the UID in the bound object reference (1) does not match the UID in record. The object might have been deleted and then recreated',
  ]);
  await call(api, "DELETE", `${pods}/bound?gracePeriodSeconds=0`);
  expect((await whoIs(token)).status).toBe(401);
  expect((await review({ token })).at("status.error")).toBe(
    "[invalid bearer token, service account token has been invalidated]",
  );
});

test("a requested service account token is refused once its account is deleted", async () => {
  const token = await tokenOf();
  await call(api, "DELETE", `${ACCOUNTS}/robot`);
  await call(api, "POST", ACCOUNTS, { metadata: { name: "robot" } });
  expect((await whoIs(token)).status).toBe(401);
});

test.each([
  [
    "a second less than ten minutes",
    { expirationSeconds: 599 },
    "spec.expirationSeconds: Invalid value: 599: may not specify a duration less than 10 minutes",
  ],
  [
    "ages",
    { expirationSeconds: 4294967297 },
    "spec.expirationSeconds: Invalid value: 4294967297: may not specify a duration larger than 2^32 seconds",
  ],
])("a request for a service account token is refused for %s", async (_, spec, message) => {
  const answer = await ask(spec);
  expect([answer.status, answer.at("message")]).toEqual([
    422,
    `TokenRequest.authentication.k8s.io "" is invalid: ${message}`,
  ]);
});

test("a request for a service account token is refused for another name, an unsupported object, and a missing object", async () => {
  const named = await ask({}, "robot", { metadata: { name: "x" } });
  expect([named.status, named.at("details.causes.0.field")]).toEqual([422, "metadata.name"]);
  const bound = await ask({ boundObjectRef: { apiVersion: "apps/v1", kind: "Deployment", name: "d" } });
  expect([bound.status, bound.at("message")]).toEqual([
    400,
    "cannot bind token to object of type apps/v1, Kind=Deployment",
  ]);
  expect((await ask({}, "nobody")).status).toBe(404);
});
