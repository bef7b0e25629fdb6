import { afterAll, beforeAll, expect, test } from "vitest";
import { legacyTokenCleaner } from "../../../src/controllers/legacy-tokens/legacy-tokens.js";
import { type Cluster, startCluster } from "../../../src/cluster/index.js";
import { object, text } from "../../../src/machinery/meta/access.js";
import type { JsonObject } from "../../../src/machinery/meta/json.js";
import { call } from "../../helpers/api-caller.js";
import { eventually } from "../../helpers/eventually.js";
import { manualControllers } from "../../helpers/manual-controllers.js";
import { quietCluster } from "../../helpers/quiet-cluster.js";

const SECRETS = "/api/v1/namespaces/default/secrets";
const ACCOUNTS = "/api/v1/namespaces/default/serviceaccounts";
const TRACKING = "/api/v1/namespaces/kube-system/configmaps/kube-apiserver-legacy-service-account-token-tracking";
const DAY = Date.parse("2026-03-01T12:00:00Z");

let cluster: Cluster;
let now = DAY;
const controllers = [...(quietCluster.controllers || []), "serviceaccount-token-controller"];

beforeAll(async () => {
  cluster = await startCluster({ port: false, ...quietCluster, controllers, clock: { now: () => now } });
});

afterAll(() => cluster.close());

const ask = (method: string, path: string, body?: JsonObject) => call(cluster.transport(), method, path, body);
const tokenSecret = (name: string, account: string) => ({
  type: "kubernetes.io/service-account-token",
  metadata: { name, annotations: { "kubernetes.io/service-account.name": account } },
});
const patch = (path: string, body: JsonObject) =>
  call(cluster.transport(), "PATCH", path, body, { type: "application/merge-patch+json" });

/** Waits until the secret has its token. */
async function tokenIn(name: string): Promise<string> {
  return eventually(async () => {
    const encoded = text(object((await ask("GET", `${SECRETS}/${name}`)).at("data"))["token"]);
    expect(encoded).not.toBe("");
    return Buffer.from(encoded, "base64").toString();
  });
}

const review = (token: string) =>
  ask("POST", "/apis/authentication.k8s.io/v1/tokenreviews", {
    apiVersion: "authentication.k8s.io/v1",
    kind: "TokenReview",
    spec: { token },
  });

test("a token secret gets a token that the server accepts for its account, and the date of its last use", async () => {
  const uid = (await ask("POST", ACCOUNTS, { metadata: { name: "robot" } })).at("metadata.uid");
  await ask("POST", SECRETS, tokenSecret("robot-token", "robot"));
  const token = await tokenIn("robot-token");
  expect((await review(token)).at("status")).toEqual({
    authenticated: true,
    audiences: ["https://kubernetes.default.svc.cluster.local"],
    user: {
      username: "system:serviceaccount:default:robot",
      uid,
      groups: ["system:serviceaccounts", "system:serviceaccounts:default", "system:authenticated"],
    },
  });
  const labels = async () => (await ask("GET", `${SECRETS}/robot-token`)).at("metadata.labels");
  expect(await labels()).toEqual({ "kubernetes.io/legacy-token-last-used": "2026-03-01" });
  now += 86_400_000;
  expect((await review(token)).at("status.authenticated")).toBe(true);
  expect(await labels()).toEqual({ "kubernetes.io/legacy-token-last-used": "2026-03-02" });
});

test("use of a generated token secret is warned about, and of one marked invalid refused", async () => {
  const token = await tokenIn("robot-token");
  await patch(`${ACCOUNTS}/robot`, { secrets: [{ name: "robot-token" }] });
  const asRobot = () =>
    call(cluster.transport(), "GET", "/version", undefined, { headers: { authorization: `Bearer ${token}` } });
  const answer = await asRobot();
  expect([answer.status, answer.headers["warning"]]).toEqual([
    200,
    [
      '299 - "Use tokens from the TokenRequest API or manually created secret-based tokens instead of auto-generated secret-based tokens."',
    ],
  ]);
  await patch(`${SECRETS}/robot-token`, {
    metadata: { labels: { "kubernetes.io/legacy-token-invalid-since": "2026-03-01" } },
  });
  expect((await asRobot()).status).toBe(401);
  expect((await review(token)).at("status.error")).toBe(
    "[invalid bearer token, the token in secret default/robot-token for service account default/robot has been marked invalid. Use tokens from the TokenRequest API or manually created secret-based tokens, or remove the 'kubernetes.io/legacy-token-invalid-since' label from the secret to temporarily allow use of this token]",
  );
});

test("a deleted token secret leaves its account's list, and its token is refused", async () => {
  const token = await tokenIn("robot-token");
  await ask("DELETE", `${SECRETS}/robot-token`);
  await eventually(async () => expect((await ask("GET", `${ACCOUNTS}/robot`)).at("secrets")).toBeUndefined());
  expect((await review(token)).at("status.error")).toBe("[invalid bearer token, Token has been invalidated]");
});

test("a token secret is deleted with its account, and at once when the account does not exist", async () => {
  await ask("POST", ACCOUNTS, { metadata: { name: "brief" } });
  await ask("POST", SECRETS, tokenSecret("brief-token", "brief"));
  const token = await tokenIn("brief-token");
  const { data } = JSON.parse((await ask("GET", `${SECRETS}/brief-token`)).text) as { data: JsonObject };
  await patch(`${SECRETS}/brief-token`, { data: { token: Buffer.from("another").toString("base64") } });
  expect((await review(token)).at("status.error")).toBe("[invalid bearer token, Token does not match server's copy]");
  await patch(`${SECRETS}/brief-token`, { data });
  await ask("DELETE", `${ACCOUNTS}/brief`);
  await ask("POST", SECRETS, tokenSecret("lonely", "no-such-account"));
  for (const name of ["brief-token", "lonely"]) {
    await eventually(async () => expect((await ask("GET", `${SECRETS}/${name}`)).status).toBe(404));
  }
});

test("the ConfigMap that records since when token use is tracked is created, and again when deleted", async () => {
  expect((await ask("GET", TRACKING)).at("data")).toEqual({ since: "2026-03-01" });
  await patch(TRACKING, { data: { since: "never" } });
  await eventually(async () => expect((await ask("GET", TRACKING)).at("data")).toEqual({ since: "2026-03-02" }));
});

test("an unused generated token secret is marked invalid after a year, and deleted after another", async () => {
  const run = await manualControllers(legacyTokenCleaner);
  const get = (path: string) => call(run.api, "GET", path);
  await call(run.api, "POST", ACCOUNTS, { metadata: { name: "old" }, secrets: [{ name: "old-token" }] });
  for (const name of ["old-token", "manual"]) await call(run.api, "POST", SECRETS, tokenSecret(name, "old"));
  const day = 86_400_000;
  await run.pass(367 * day, 367 * day);
  await eventually(async () =>
    expect((await get(`${SECRETS}/old-token`)).at("metadata.labels")).toEqual({
      "kubernetes.io/legacy-token-invalid-since": "2027-01-03",
    }),
  );
  await run.pass(366 * day, 183 * day);
  await eventually(async () => expect((await get(`${SECRETS}/old-token`)).status).toBe(404));
  expect((await get(`${SECRETS}/manual`)).at("metadata.labels")).toBeUndefined();
  // Half a year goes by while a request is under way.
  expect(run.problems.filter((problem) => object(problem)["type"] !== "reconcile-running")).toEqual([]);
  await run.close();
});
