import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { configFromText } from "../../../src/client/config/load-config.js";
import { systemClock } from "../../../src/base/time/clock.js";
import { systemRandom } from "../../../src/base/numbers/random.js";
import type { Timers } from "../../../src/base/time/timers.js";
import { cachedTokens } from "../../../src/server/authn/cached-tokens.js";
import { webhookTokens, type WebhookVersion } from "../../../src/server/authn/webhook-token.js";
import { InvalidTokenError } from "../../../src/server/request/user.js";
import { type AnswerCall, startWebhookServer, type WebhookServer } from "../../helpers/webhook-server.js";

const TOKEN = "s3cret-token";
let server: WebhookServer;
const reports: string[] = [];
const waits: number[] = [];
/** Waits take no time, and are written down. */
const timers: Timers = {
  start(milliseconds, callback) {
    waits.push(milliseconds);
    queueMicrotask(callback);
    return () => {};
  },
};

beforeAll(async () => {
  server = await startWebhookServer();
});
afterAll(() => server[Symbol.asyncDispose]());
beforeEach(() => {
  server.calls.length = 0;
  reports.length = 0;
  waits.length = 0;
});

async function webhook(answer: AnswerCall, version: WebhookVersion = "v1") {
  const { url, caBundle } = server.on("/authenticate", answer);
  const kubeconfig = {
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "w", cluster: { server: url, "certificate-authority-data": caBundle } }],
    users: [{ name: "w", user: { token: "own-credentials" } }],
    contexts: [{ name: "w", context: { cluster: "w", user: "w" } }],
    "current-context": "w",
  };
  const client = await configFromText(JSON.stringify(kubeconfig), { env: {} });
  const report = (error: unknown) => void reports.push(String(error));
  return webhookTokens({
    client,
    version,
    audiences: ["api"],
    clock: systemClock,
    timers,
    random: systemRandom,
    env: {},
    report,
  });
}

const status = (fields: object, version = "v1") => ({
  apiVersion: `authentication.k8s.io/${version}`,
  kind: "TokenReview",
  status: fields,
});
const alice = { username: "alice", uid: "1", groups: ["g"], extra: { k: ["a", "b"] } };
const known = { name: "alice", uid: "1", groups: ["g"], extra: { k: ["a", "b"] } };

describe("the answer of an authentication webhook", () => {
  test.each<[string, object, readonly string[] | undefined, object | undefined]>([
    ["names a user", { authenticated: true, user: alice }, undefined, known],
    [
      "names a user for the API's audiences",
      { authenticated: true, user: alice },
      ["api", "x"],
      { ...known, audiences: ["api"] },
    ],
    [
      "names a user for audiences of its own",
      { authenticated: true, user: alice, audiences: ["x"] },
      ["api", "x"],
      { ...known, audiences: ["x"] },
    ],
    [
      "is nothing for audiences that it does not name",
      { authenticated: true, user: alice, audiences: ["y"] },
      ["x"],
      undefined,
    ],
    ["is nothing for audiences that are not the API's", { authenticated: true, user: alice }, ["x"], undefined],
    [
      "names a user with nothing but a name",
      { authenticated: true, user: { username: "bob" } },
      undefined,
      { name: "bob", groups: [] },
    ],
    ["knows no user", { authenticated: false }, undefined, undefined],
    ["knows no user though it names one", { user: alice }, undefined, undefined],
  ])("%s", async (_, fields, audiences, expected) => {
    const { lookup, close } = await webhook(() => status(fields));
    expect(await lookup(TOKEN, audiences)).toEqual(expected);
    await close();
  });

  test.each(["v1", "v1beta1"] as const)(
    "is asked for by a TokenReview of %s, with the kubeconfig's credentials",
    async (version) => {
      const { lookup, close } = await webhook(() => status({ authenticated: true, user: alice }, version), version);
      await lookup(TOKEN, ["a"]);
      const [sent] = server.calls;
      expect(sent?.path).toBe("/authenticate?timeout=30s");
      expect(sent?.headers["authorization"]).toBe("Bearer own-credentials");
      expect(JSON.parse(sent?.body ?? "")).toEqual({
        kind: "TokenReview",
        apiVersion: `authentication.k8s.io/${version}`,
        metadata: {},
        spec: { token: TOKEN, audiences: ["a"] },
        status: { user: {} },
      });
      await close();
    },
  );
});

const reasonOf = (running: Promise<unknown>): Promise<string> =>
  running.then(
    () => "no error",
    (error: unknown) => (error instanceof InvalidTokenError ? error.message : `another error: ${String(error)}`),
  );

describe("a failing review by an authentication webhook", () => {
  const code =
    (status_: number, headers: Record<string, string> = {}): AnswerCall =>
    (_, response) =>
      void response.writeHead(status_, headers).end(`echo ${TOKEN}`);
  test.each<[string, AnswerCall, RegExp, number]>([
    ["with the webhook's reason", () => status({ error: `no ${TOKEN}` }), /^no <masked>$/, 1],
    [
      "for a fault of the webhook, after five tries",
      code(500),
      /^an error on the server \("echo <masked>"\) has prevented the request from succeeding/,
      5,
    ],
    ["at once where the webhook refuses", code(403), /./, 1],
    ["at once where there is none", code(404), /./, 1],
    ["for an answer that is no JSON", () => "<html>", /^couldn't get version\/kind; json parse error: /, 1],
    [
      "for an answer of another version",
      () => status({ authenticated: true, user: alice }, "v1beta1"),
      /^converting \(v1beta1.TokenReview\) to \(v1.TokenReview\): unknown conversion$/,
      1,
    ],
    [
      "for a flag that is a text",
      () => status({ authenticated: "yes" }),
      /^json: cannot unmarshal string into Go struct field TokenReviewStatus.status.authenticated of type bool$/,
      1,
    ],
    [
      "for nothing",
      (_, response) => void response.end(),
      /^0-length response with status code: 200 and content type: $/,
      1,
    ],
    [
      "for an answer of another kind",
      () => ({ ...status({}), kind: "Pod" }),
      /^no kind "Pod" is registered for version "authentication.k8s.io\/v1" in scheme "/,
      1,
    ],
  ])("%s", async (_, answer, reason, calls) => {
    const { lookup, close } = await webhook(answer);
    const told = await reasonOf(lookup(TOKEN));
    expect(told).toMatch(reason);
    expect([told, ...reports].join()).not.toContain(TOKEN);
    expect(server.calls).toHaveLength(calls);
    await close();
  });

  test("is repeated after longer and longer waits", async () => {
    const { lookup, close } = await webhook(code(500));
    await reasonOf(lookup(TOKEN));
    expect(waits).toHaveLength(4);
    for (const [index, least] of [500, 750, 1125, 1687.5].entries()) {
      expect(waits[index]).toBeGreaterThanOrEqual(least);
      expect(waits[index]).toBeLessThanOrEqual(least * 1.2);
    }
    await close();
  });

  test("succeeds when a repetition does", async () => {
    let turn = 0;
    const { lookup, close } = await webhook((call_, response) =>
      (turn += 1) < 3 ? code(500)(call_, response) : status({ authenticated: true, user: alice }),
    );
    expect(await lookup(TOKEN)).toEqual(known);
    await close();
  });
});

describe("the server caches answers of an authentication webhook", () => {
  let now = 0;
  const counted = (answer: () => Promise<{ name: string; groups: string[] } | undefined>) => {
    let calls = 0;
    const lookup = cachedTokens(
      () => ((calls += 1), answer()),
      { success: 120_000, failure: 120_000 },
      () => now,
    );
    return { lookup, calls: () => calls };
  };
  const user = { name: "a", groups: [] };

  test("for two minutes, whether a user was found or not", async () => {
    for (const answer of [user, undefined]) {
      const { lookup, calls } = counted(() => Promise.resolve(answer));
      now = 0;
      expect([await lookup("t"), await lookup("t")]).toEqual([answer, answer]);
      now = 119_999;
      await lookup("t");
      expect(calls()).toBe(1);
      now = 120_000;
      await lookup("t");
      expect(calls()).toBe(2);
    }
  });
  test("for the same token and audiences", async () => {
    const { lookup, calls } = counted(() => Promise.resolve(user));
    for (const audiences of [undefined, [], ["a"], ["a", "b"], ["a,b"]]) await lookup("t", audiences);
    await lookup("u");
    expect(calls()).toBe(6);
  });
  test("but not when the call failed", async () => {
    const { lookup, calls } = counted(() => Promise.reject(new InvalidTokenError("down")));
    await reasonOf(lookup("t"));
    await reasonOf(lookup("t"));
    expect(calls()).toBe(2);
  });
  test("and calls it once for concurrent requests", async () => {
    const { lookup, calls } = counted(() => new Promise((resolve) => setImmediate(() => resolve(user))));
    await Promise.all(Array.from({ length: 50 }, () => lookup("t")));
    expect(calls()).toBe(1);
  });
});
