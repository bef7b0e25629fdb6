import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Timers } from "../../../../src/base/time/timers.js";
import { compileReviewCondition } from "../../../../src/server/authz/webhook/review-conditions.js";
import type { ReviewClient } from "../../../../src/server/authz/webhook/review-client.js";
import { asks, asksPath, user } from "../asked.js";
import { allowed, type Answered, clientOf, modeOf, review, ReviewWebhook } from "./review-webhook.js";

let webhook: ReviewWebhook;
let client: ReviewClient;

beforeAll(async () => {
  webhook = await ReviewWebhook.start();
  client = await clientOf(webhook.kubeconfig());
});

afterAll(async () => {
  client.retire();
  await webhook[Symbol.asyncDispose]();
});

beforeEach(() => {
  webhook.reviews.length = 0;
  webhook.answers = [allowed()];
});

const jane = {
  name: "jane",
  uid: "u-1",
  groups: ["devs", "system:authenticated"],
  extra: { "example.com/scope": ["a", "b"] },
};
const bob = user("bob");

const JANE = { user: "jane", uid: "u-1", groups: jane.groups, extra: jane.extra };
const BOB = { user: "bob", groups: ["system:authenticated"] };

/** AUZ-6 of the source code book: the attributes of a request. */
describe("an authorization webhook receives a SubjectAccessReview", () => {
  const selectors = {
    fieldSelector: [
      { field: "spec.nodeName", operator: "=" as const, value: "n1" },
      { field: "status.phase", operator: "!=" as const, value: "Failed" },
    ],
    labelSelector: [
      { key: "app", operator: "=" as const, values: ["web"] },
      { key: "tier", operator: "notin" as const, values: ["db", "cache"] },
      { key: "old", operator: "!" as const, values: [] },
      { key: "new", operator: "exists" as const, values: [] },
      { key: "size", operator: "gt" as const, values: ["3"] },
    ],
  };
  const rows = [
    [
      "of a resource",
      asks(jane, "get pods shop/web"),
      { ...JANE, resourceAttributes: { namespace: "shop", verb: "get", version: "v1", resource: "pods", name: "web" } },
    ],
    [
      "of a subresource",
      asks(bob, "update apps/deployments/scale shop/web"),
      {
        ...BOB,
        resourceAttributes: {
          namespace: "shop",
          verb: "update",
          group: "apps",
          version: "v1",
          resource: "deployments",
          subresource: "scale",
          name: "web",
        },
      },
    ],
    [
      "of the cluster",
      asks(bob, "list nodes /"),
      { ...BOB, resourceAttributes: { verb: "list", version: "v1", resource: "nodes" } },
    ],
    [
      "of a path",
      asksPath(bob, "get", "/metrics"),
      { ...BOB, nonResourceAttributes: { path: "/metrics", verb: "get" } },
    ],
    [
      "of a user without groups",
      asksPath({ name: "x", groups: [] }, "get", "/"),
      { user: "x", nonResourceAttributes: { path: "/", verb: "get" } },
    ],
    [
      "with the selectors of a list, but for what a review cannot say",
      asks(bob, "list pods shop/", selectors),
      {
        ...BOB,
        resourceAttributes: {
          namespace: "shop",
          verb: "list",
          version: "v1",
          resource: "pods",
          fieldSelector: {
            requirements: [
              { key: "spec.nodeName", operator: "In", values: ["n1"] },
              { key: "status.phase", operator: "NotIn", values: ["Failed"] },
            ],
          },
          labelSelector: {
            requirements: [
              { key: "app", operator: "In", values: ["web"] },
              { key: "tier", operator: "NotIn", values: ["db", "cache"] },
              { key: "old", operator: "DoesNotExist" },
              { key: "new", operator: "Exists" },
            ],
          },
        },
      },
    ],
  ] as const;
  test.each(rows)("%s", async (_, asked, spec) => {
    await modeOf(client).mode.authorize(asked);
    expect(webhook.reviews).toHaveLength(1);
    expect(webhook.reviews[0]).toMatchObject({ method: "POST", path: "/authorize?timeout=5s" });
    expect(webhook.reviews[0]?.body).toEqual({
      kind: "SubjectAccessReview",
      apiVersion: "authorization.k8s.io/v1",
      metadata: {},
      spec,
      status: { allowed: false },
    });
  });

  test('in v1beta1, which calls the groups "group"', async () => {
    const beta = await clientOf(webhook.kubeconfig(), { version: "v1beta1" });
    webhook.answers = [review({ allowed: true }, "v1beta1")];
    expect(await modeOf(beta).mode.authorize(asks(jane, "get pods shop/web"))).toEqual({ decision: "allow" });
    expect(webhook.reviews[0]?.body).toMatchObject({
      apiVersion: "authorization.k8s.io/v1beta1",
      spec: { group: jane.groups },
    });
    expect(webhook.reviews[0]?.body.spec).not.toHaveProperty("groups");
    beta.retire();
  });

  test("at the root path when its kubeconfig names no path", async () => {
    const atRoot = await clientOf(webhook.kubeconfig({}, webhook.url));
    await modeOf(atRoot).mode.authorize(asks(bob, "get pods a/b"));
    expect(webhook.reviews[0]?.path).toBe("/?timeout=5s");
    atRoot.retire();
  });
});

/** AUZ-3. */
describe("the answer of an authorization webhook", () => {
  const rows: readonly (readonly [name: string, status: object, decision: object])[] = [
    ["that allows", { allowed: true }, { decision: "allow" }],
    ["that allows with a reason", { allowed: true, reason: "she may" }, { decision: "allow", reason: "she may" }],
    [
      "that does not allow is no opinion",
      { allowed: false, reason: "who knows" },
      { decision: "no-opinion", reason: "who knows" },
    ],
    ["that denies", { allowed: false, denied: true, reason: "never" }, { decision: "deny", reason: "never" }],
    [
      "that allows and denies is a denial and an error",
      { allowed: true, denied: true },
      { decision: "deny", error: "webhook subject access review returned both allow and deny response" },
    ],
    ["without a status is no opinion", {}, { decision: "no-opinion" }],
    [
      "whose evaluation had errors is what it says beside them",
      { allowed: false, evaluationError: "lost" },
      { decision: "no-opinion" },
    ],
  ];
  test.each(rows)("%s", async (_, status, decision) => {
    webhook.answers = [review(status)];
    expect(await modeOf(client).mode.authorize(asks(bob, "get pods a/b"))).toEqual(decision);
  });

  test("may lack kind and version", async () => {
    webhook.answers = [{ status: { allowed: true } }];
    expect(await modeOf(client).mode.authorize(asks(bob, "get pods a/b"))).toEqual({ decision: "allow" });
  });
});

describe("a failure of an authorization webhook", () => {
  const rows: readonly (readonly [name: string, answer: Answered, error: RegExp, calls: number])[] = [
    [
      "of the server is tried five times",
      { code: 500, body: "broken" },
      /an error on the server \("broken"\) has prevented the request/,
      5,
    ],
    [
      "that says the server timed out is tried five times",
      { code: 504 },
      /request timed out|the server was unable to return a response/,
      5,
    ],
    ["that says that there are too many requests is tried five times", { code: 429 }, /too many requests/, 5],
    [
      "that says that the credentials are wrong is not tried again",
      { code: 401 },
      /must be logged in|Unauthorized|asked for the client to provide credentials/i,
      1,
    ],
    [
      "that says that the path is not there is not tried again",
      { code: 404 },
      /could not find the requested resource/,
      1,
    ],
    ["by a redirect, which is not followed", { code: 302 }, /./, 1],
    ["by a redirect that keeps the method, which is not followed", { code: 307 }, /./, 1],
    ["by no JSON", "<html>", /^couldn't get version\/kind; json parse error: /, 1],
    ["by nothing", "", /^0-length response with status code: 200 and content type: $/, 1],
    ["by half an answer", '{"status":{"allowed":tr', /^couldn't get version\/kind; json parse error: /, 1],
    [
      "by another kind",
      { apiVersion: "v1", kind: "Pod" },
      /^converting \(v1.Pod\) to \(v1.SubjectAccessReview\): unknown conversion$/,
      1,
    ],
    [
      "by another version",
      review({ allowed: true }, "v1beta1"),
      /^converting \(v1beta1.SubjectAccessReview\) to \(v1.SubjectAccessReview\): unknown conversion$/,
      1,
    ],
    [
      "by a review of another group",
      { apiVersion: "example.com/v1", kind: "SubjectAccessReview", status: { allowed: true } },
      /^no kind "SubjectAccessReview" is registered for version "example.com\/v1" in scheme "k8s.io\/client-go\/kubernetes\/scheme\/register.go:83"$/,
      1,
    ],
    [
      "by a flag that is a text",
      review({ allowed: "true" }),
      /^json: cannot unmarshal string into Go struct field .*allowed of type bool$/,
      1,
    ],
    ["by JSON that nests without end", `{"status":${"[".repeat(2000)}`, /exceeded max depth|json parse error/, 1],
  ];
  test.each(rows)("%s", async (_, answer, error, calls) => {
    webhook.answers = [answer];
    const { mode, faults } = modeOf(client);
    const decision = await mode.authorize(asks(bob, "get pods a/b"));
    expect(decision.decision).toBe("no-opinion");
    expect(decision.error).toMatch(error);
    expect(webhook.reviews).toHaveLength(calls);
    expect(faults).toEqual([`Failed to make webhook authorizer request: ${decision.error}`]);
  });

  test("that passes is repeated without an effect", async () => {
    webhook.answers = [{ code: 500 }, { code: 503, body: "" }, allowed()];
    const { mode, faults } = modeOf(client);
    const [first] = [await mode.authorize(asks(bob, "get pods a/b"))];
    // 503 without Retry-After is not tried again.
    expect(first.decision).toBe("no-opinion");
    webhook.answers = [{ code: 500 }, { code: 500 }, allowed()];
    expect(await mode.authorize(asks(bob, "get pods a/b"))).toEqual({ decision: "allow" });
    expect(faults).toHaveLength(1);
  });

  test("denies the request when the failure policy says so", async () => {
    webhook.answers = [{ code: 404 }];
    const { mode } = modeOf(client, { onFailure: "deny" });
    expect(await mode.authorize(asks(bob, "get pods a/b"))).toMatchObject({ decision: "deny" });
  });

  test("is not cached: the next request calls again", async () => {
    webhook.answers = [{ code: 404 }, allowed()];
    const { mode } = modeOf(client);
    expect(await mode.authorize(asks(bob, "get pods a/b"))).toMatchObject({ decision: "no-opinion" });
    expect(await mode.authorize(asks(bob, "get pods a/b"))).toEqual({ decision: "allow" });
  });

  test("comes at the time limit of a call that is not answered", async () => {
    const impatient = await clientOf(webhook.kubeconfig(), { timeout: 30 });
    webhook.answers = ["silence"];
    const { error } = await modeOf(impatient).mode.authorize(asks(bob, "get pods a/b"));
    expect(error).toMatch(/^Post "https:.*\/authorize\?timeout=30ms": net\/http: request canceled/);
    impatient.retire();
  });

  test("names the address that does not listen, and no credentials", async () => {
    const nowhere = await clientOf(webhook.kubeconfig({ token: "very-secret" }, "https://127.0.0.1:1/authorize"));
    const { mode, faults } = modeOf(nowhere);
    const { error } = await mode.authorize(asks(bob, "get pods a/b"));
    expect(error).toMatch(
      /^Post "https:\/\/127.0.0.1:1\/authorize\?timeout=5s": dial tcp 127.0.0.1:1: connect: connection refused$/,
    );
    expect(faults.join()).not.toContain("very-secret");
    nowhere.retire();
  });

  test("is also a certificate of another authority", async () => {
    await using other = await ReviewWebhook.start();
    const deceived = await clientOf(webhook.kubeconfig({}, `${other.url}/authorize`));
    const decision = await modeOf(deceived).mode.authorize(asks(bob, "get pods a/b"));
    expect(decision).toMatchObject({ decision: "no-opinion", error: expect.stringContaining("x509: ") as string });
    expect(other.reviews).toEqual([]);
    deceived.retire();
  });

  test("is repeated after kube-apiserver's waits, at most until the request ends", async () => {
    const waits: number[] = [];
    const timers: Timers = {
      start(milliseconds, callback) {
        waits.push(milliseconds);
        queueMicrotask(callback);
        return () => {};
      },
    };
    const random = { bytes: (length: number) => new Uint8Array(length) };
    const waiting = await clientOf(webhook.kubeconfig(), { timers, random, backoff: undefined });
    webhook.answers = [{ code: 500 }];
    await modeOf(waiting).mode.authorize(asks(bob, "get pods a/b"));
    expect(waits).toEqual([500, 750, 1125, 1687.5]);
    waiting.retire();
  });

  test("is not reported when the client disconnects", async () => {
    webhook.answers = ["silence"];
    const leaving = new AbortController();
    const { mode, faults } = modeOf(client);
    const deciding = mode.authorize(asks(bob, "get pods a/b", { signal: leaving.signal }));
    await expect.poll(() => webhook.reviews.length).toBe(1);
    leaving.abort(new Error("gone"));
    expect(await deciding).toMatchObject({ decision: "no-opinion" });
    expect(faults).toEqual([]);
  });
});

describe("the server caches answers of an authorization webhook", () => {
  const timed = (more: object = {}) => {
    let now = 0;
    const { mode } = modeOf(client, { clock: { now: () => now }, ...more });
    return { mode, advance: (milliseconds: number) => void (now += milliseconds) };
  };

  test("for five minutes when they allow", async () => {
    const { mode, advance } = timed();
    const asked = asks(bob, "get pods a/b");
    await mode.authorize(asked);
    advance(299_999);
    expect(mode.authorize(asked)).toEqual({ decision: "allow" });
    advance(1);
    await mode.authorize(asked);
    expect(webhook.reviews).toHaveLength(2);
  });

  test.each([
    ["they do not allow", { allowed: false, reason: "no" }, { decision: "no-opinion", reason: "no" }],
    ["they deny", { allowed: false, denied: true }, { decision: "deny" }],
  ])("for half a minute when %s", async (_, status, decision) => {
    const { mode, advance } = timed();
    webhook.answers = [review(status), allowed()];
    const asked = asks(bob, "get pods a/b");
    await mode.authorize(asked);
    advance(29_999);
    expect(mode.authorize(asked)).toEqual(decision);
    advance(1);
    expect(await mode.authorize(asked)).toEqual({ decision: "allow" });
  });

  test("not when their time to live is 0", async () => {
    const { mode } = timed({ authorizedTtl: 0 });
    await mode.authorize(asks(bob, "get pods a/b"));
    await mode.authorize(asks(bob, "get pods a/b"));
    expect(webhook.reviews).toHaveLength(2);
  });

  test.each([
    ["user", asks(user("carol"), "get pods a/b")],
    ["group", asks(user("bob", "devs"), "get pods a/b")],
    ["uid", asks({ ...bob, uid: "2" }, "get pods a/b")],
    ["extra", asks({ ...bob, extra: { a: ["b"] } }, "get pods a/b")],
    ["verb", asks(bob, "list pods a/b")],
    ["namespace", asks(bob, "get pods c/b")],
    ["name", asks(bob, "get pods a/c")],
    ["subresource", asks(bob, "get pods/log a/b")],
    ["selector", asks(bob, "get pods a/b", { fieldSelector: [{ field: "a", operator: "=", value: "b" }] })],
    ["path", asksPath(bob, "get", "/a")],
  ])("not for another %s", async (_, other) => {
    const { mode } = timed();
    await mode.authorize(asks(bob, "get pods a/b"));
    await mode.authorize(other);
    expect(webhook.reviews).toHaveLength(2);
  });

  test("not for very long requests", async () => {
    const { mode } = timed();
    const long = asksPath(bob, "get", `/${"a".repeat(10_000)}`);
    await mode.authorize(long);
    await mode.authorize(long);
    expect(webhook.reviews).toHaveLength(2);
  });

  test("up to 8192 of them, by last use", async () => {
    let calls = 0;
    const counting = {
      review: () => {
        calls += 1;
        return Promise.resolve({ allowed: true, denied: false, reason: "" });
      },
    };
    const { mode } = modeOf(counting);
    for (let index = 0; index < 8193; index++) await mode.authorize(asksPath(bob, "get", `/${index}`));
    await mode.authorize(asksPath(bob, "get", "/8192"));
    expect(calls).toBe(8193);
    await mode.authorize(asksPath(bob, "get", "/0"));
    expect(calls).toBe(8194);
  });
});

describe("match conditions of an authorization webhook", () => {
  const called = async (
    expressions: readonly string[],
    asked = asks(bob, "get pods shop/web"),
    onFailure: "deny" | "no-opinion" = "no-opinion",
  ) => {
    const { mode } = modeOf(client, { conditions: expressions.map(compileReviewCondition), onFailure });
    const decision = await mode.authorize(asked);
    return { calls: webhook.reviews.length, ...decision };
  };
  const selecting = asks(bob, "list pods shop/", { fieldSelector: [{ field: "a", operator: "=", value: "b" }] });
  const rows = [
    ["a resource", "request.resourceAttributes.resource == 'pods'", asks(bob, "get pods shop/web"), true],
    ["another resource", "request.resourceAttributes.resource == 'secrets'", asks(bob, "get pods shop/web"), false],
    ["whether it is a resource", "has(request.resourceAttributes)", asksPath(bob, "get", "/x"), false],
    [
      "a path",
      "has(request.nonResourceAttributes) && request.nonResourceAttributes.path.startsWith('/x')",
      asksPath(bob, "get", "/xy"),
      true,
    ],
    ["a group", "'devs' in request.groups", asks(user("a", "devs"), "get pods a/b"), true],
    ["a group that the user is not in", "'devs' in request.groups", asks(bob, "get pods a/b"), false],
    ["a user", "!request.user.startsWith('system:')", asks(bob, "get pods a/b"), true],
    [
      "a user's extra",
      "'scope' in request.extra && request.extra['scope'].exists(s, s == 'all')",
      asks({ ...bob, extra: { scope: ["all"] } }, "get pods a/b"),
      true,
    ],
    ["a uid that is not there, which is empty", "request.uid == ''", asks(bob, "get pods a/b"), true],
    [
      "a name that is not there, which is empty",
      "request.resourceAttributes.name == ''",
      asks(bob, "list pods a/"),
      true,
    ],
    [
      "a field selector",
      "has(request.resourceAttributes.fieldSelector) && request.resourceAttributes.fieldSelector.requirements.exists(r, r.key == 'a' && r.operator == 'In')",
      selecting,
      true,
    ],
    [
      "a field selector that is not there",
      "has(request.resourceAttributes.fieldSelector)",
      asks(bob, "list pods a/"),
      false,
    ],
  ] as const;
  test.each(rows)("can use %s", async (_, expression, asked, matches) => {
    expect(await called([expression], asked)).toEqual(
      matches ? { calls: 1, decision: "allow" } : { calls: 0, decision: "no-opinion" },
    );
  });

  test("must all be true", async () => {
    expect(await called(["true", "request.user == 'carol'"])).toEqual({ calls: 0, decision: "no-opinion" });
    expect(await called(["true", "request.user == 'bob'"])).toEqual({ calls: 1, decision: "allow" });
  });

  const failing = "request.nonResourceAttributes.path == '/'";
  const error = `cel evaluation error: expression '${failing}' resulted in error: no such key: nonResourceAttributes`;

  test("that fail give no opinion, or deny, by the failure policy", async () => {
    expect(await called([failing])).toEqual({ calls: 0, decision: "no-opinion", error });
    expect(await called([failing], undefined, "deny")).toEqual({ calls: 0, decision: "deny", error });
  });

  test("of which one is false skip the webhook, whatever another did before", async () => {
    expect(await called([failing, "false"], undefined, "deny")).toEqual({ calls: 0, decision: "no-opinion" });
  });

  test("fail when they cost too much", async () => {
    const all = "[1,2,3,4,5,6,7,8,9,10].all(";
    const dear = `${all}a,${all}b,${all}c,${all}d,${all}e,${all}f,true))))))`;
    const { decision, error: why, calls } = await called([dear], undefined, "deny");
    expect([decision, calls]).toEqual(["deny", 0]);
    expect(why).toContain("operation cancelled: actual cost limit exceeded");
  });
});

describe("the credentials for an authorization webhook", () => {
  test("are those of the kubeconfig: a token", async () => {
    const withToken = await clientOf(webhook.kubeconfig({ token: "webhooks-own" }));
    await modeOf(withToken).mode.authorize(asks(jane, "get pods shop/web"));
    expect(webhook.reviews[0]?.headers.authorization).toBe("Bearer webhooks-own");
    withToken.retire();
  });

  test("are those of the kubeconfig: a client certificate", async () => {
    const certified = await clientOf(webhook.kubeconfig(webhook.clientCertificate("the-apiserver")));
    await modeOf(certified).mode.authorize(asks(jane, "get pods shop/web"));
    expect(webhook.reviews[0]?.certificate).toBe("the-apiserver");
    certified.retire();
  });

  test("are those of the kubeconfig: what a plugin says", async () => {
    const credential = JSON.stringify({
      apiVersion: "client.authentication.k8s.io/v1",
      kind: "ExecCredential",
      status: { token: "plugins-own" },
    });
    const exec = {
      apiVersion: "client.authentication.k8s.io/v1",
      command: process.execPath,
      args: ["-e", `console.log(${JSON.stringify(credential)})`],
      interactiveMode: "Never",
    };
    const plugged = await clientOf(webhook.kubeconfig({ exec }), { env: { ...process.env } });
    await modeOf(plugged).mode.authorize(asks(jane, "get pods shop/web"));
    expect(webhook.reviews[0]?.headers.authorization).toBe("Bearer plugins-own");
    plugged.retire();
  });

  test("are none where the kubeconfig has none", async () => {
    await modeOf(client).mode.authorize(asks(jane, "get pods shop/web"));
    expect(webhook.reviews[0]?.headers).not.toHaveProperty("authorization");
    expect(webhook.reviews[0]?.certificate).toBe("");
  });
});

/** AUZ-7. */
test("an authorization webhook cannot list a user's rights", async () => {
  expect(await modeOf(client).mode.rightsOf?.(bob, "shop")).toEqual({
    resourceRules: [],
    nonResourceRules: [],
    incomplete: true,
    error: "webhook authorizer does not support user rule resolution",
  });
});
