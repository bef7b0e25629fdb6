import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Transport } from "../../../src/client/transport/transport.js";
import type { ServerOptions } from "../../../src/cluster/options/server-options.js";
import type { RunningServer } from "../../../src/cluster/running-server.js";
import { startServer } from "../../../src/cluster/start-server.js";
import type { Authorizer } from "../../../src/server/authz/authorizer.js";
import { FILTER_NAMES, type OwnFilter } from "../../../src/server/filters/own-filter.js";
import type { ApiRequest } from "../../../src/server/request/api-request.js";
import { respondText } from "../../../src/server/request/respond.js";
import { call, type CallOptions } from "../../helpers/api-caller.js";
import { COLLECTION, GROUP, widgets } from "../api-registry/widgets.js";

/** What the server let the test see, in order. */
const seen: string[] = [];
/** The last request that came through authorization. */
let last: ApiRequest | undefined;

/** Notes each request on its way in, and one with the header x-onion on its way out too, which the client does not wait for. */
const recorder = (name: string, after: string): OwnFilter => ({
  name,
  after,
  filter: (next) => async (request) => {
    seen.push(`> ${name}`);
    await next(request);
    if (request.exchange.headers["x-onion"] !== undefined) seen.push(`< ${name}`);
  },
});

const recorders = FILTER_NAMES.map((name) => recorder(`behind ${name}`, name));

/** Refuses a request with the header before anything behind the filter has read its body. */
const gate: OwnFilter = {
  name: "gate",
  after: "panic-recovery",
  filter: (next) => (request) =>
    request.exchange.headers["x-refuse"] === undefined ? next(request) : respondText(request, 418, "not here"),
};

const keeper: OwnFilter = {
  name: "keeper",
  filter: (next) => (request) => {
    last = request;
    if (request.exchange.query.has("panic")) throw new Error("the handler has a bug");
    return next(request);
  },
};

/** Jane may do everything, bob nothing, and for eve the authorizer fails. */
const authorizer: Authorizer = ({ user: { name } }) => {
  if (name === "jane") return { decision: "allow", reason: "she is jane" };
  if (name === "eve") return { decision: "no-opinion", error: "the policy cannot be read" };
  return { decision: "deny", reason: "he is not jane" };
};

const options: ServerOptions = {
  port: false,
  resources: [widgets],
  authentication: { anonymous: false },
  authenticators: [
    ({ headers: { authorization = "" } }) => {
      const [, name] = /^Test (.+)$/.exec(authorization) ?? [];
      return name === undefined ? undefined : { name, groups: ["system:authenticated"] };
    },
  ],
  authorizers: [authorizer],
  filters: [gate, ...recorders, keeper],
  admission: {
    plugins: [
      {
        plugin: {
          name: "Recorder",
          validate: ({ operation, object }) => void seen.push(`${operation} ${object?.metadata?.name ?? "nothing"}`),
        },
      },
    ],
  },
  conduct: {
    corsAllowedOrigins: ["^https://shop\\.example\\.com$"],
    strictTransportSecurity: ["max-age=31536000"],
    goawayChance: 0.02,
    shutdownSendRetryAfter: true,
    shutdownWatchTerminationGracePeriod: 1000,
  },
};

let server: RunningServer;
let api: Transport;
beforeAll(async () => {
  server = await startServer(options);
  api = server.transport();
});
afterAll(() => server.close());
beforeEach(() => {
  seen.length = 0;
  last = undefined;
});

const as = (name: string, more: Readonly<Record<string, string>> = {}): CallOptions => ({
  headers: { authorization: `Test ${name}`, ...more },
});
const STRANGER: CallOptions = { headers: { authorization: "Bearer unknown" } };
const widget = (name: string) => ({ apiVersion: `${GROUP}/v1`, kind: "Widget", metadata: { name } });
const MERGE = "application/merge-patch+json";

describe("the server's filters", () => {
  test("FLT-1: run on requests of every verb and every path", async () => {
    const requests: readonly (readonly [method: string, path: string, body?: unknown, type?: string])[] = [
      ["GET", COLLECTION],
      ["POST", COLLECTION, widget("each")],
      ["GET", `${COLLECTION}/each`],
      ["PUT", `${COLLECTION}/each`, widget("each")],
      ["PATCH", `${COLLECTION}/each`, { metadata: { labels: { a: "b" } } }, MERGE],
      ["GET", `${COLLECTION}?watch=true&timeoutSeconds=1`],
      ["DELETE", `${COLLECTION}/each`],
      ["DELETE", COLLECTION],
      ["GET", "/version"],
      ["GET", "/healthz"],
      ["GET", "/nothing"],
    ];
    for (const [method, path, body, type] of requests) {
      seen.length = 0;
      await call(api, method, path, body, { ...as("jane"), ...(type !== undefined && { type }) });
      expect([method, path, seen.filter((line) => line.startsWith("> ")).length]).toEqual([
        method,
        path,
        FILTER_NAMES.length,
      ]);
    }
  });

  test("FLT-1, FLT-9: run before the body is decoded, and each of them may answer in place of the server", async () => {
    const broken = await call(api, "POST", COLLECTION, "{no json", as("jane"));
    expect([broken.status, seen.includes("> behind authorization")]).toEqual([400, true]);
    seen.length = 0;
    const refused = await call(api, "POST", COLLECTION, "{no json", as("jane", { "x-refuse": "1" }));
    expect([refused.status, refused.text]).toEqual([418, "not here"]);
    expect(seen).toEqual(["> behind panic-recovery"]);
  });

  test("FLT-2, FLT-3, HTTP-2: enclose each other in kube-apiserver's order", async () => {
    await call(api, "GET", "/version", undefined, as("jane", { "x-onion": "1" }));
    const order = [
      "panic-recovery",
      "hsts",
      "retry-after",
      "availability",
      "goaway",
      "deadline",
      "watch-termination",
      "cors",
      "authentication",
      "tracing",
      "audit",
      "max-in-flight",
      "impersonation",
      "priority-and-fairness",
      "authorization",
    ];
    const into = order.map((name) => `> behind ${name}`);
    const out = order.toReversed().map((name) => `< behind ${name}`);
    await expect.poll(() => seen).toEqual([...into, ...out]);
  });

  test.each<[behind: string, string, path: string, CallOptions, status: number]>([
    ["goaway", "a timeout that cannot be read stops in front of authentication", `${COLLECTION}?timeout=x`, {}, 400],
    ["cors", "a request without credentials stops in front of the limits", COLLECTION, STRANGER, 401],
    [
      "max-in-flight",
      "an impersonation that is not allowed stops in front of authorization",
      COLLECTION,
      as("bob", { "impersonate-user": "jane" }),
      403,
    ],
    [
      "priority-and-fairness",
      "a request that is not allowed stops in front of the resources",
      COLLECTION,
      as("bob"),
      403,
    ],
  ])("FLT-3, HTTP-2: behind %s, %s, and the answer has an HSTS header", async (behind, _, path, given, status) => {
    const answer = await call(api, "GET", path, undefined, given);
    expect([answer.status, answer.headers["strict-transport-security"]]).toEqual([status, "max-age=31536000"]);
    expect(seen.findLast((line) => line.startsWith("> "))).toBe(`> behind ${behind}`);
  });

  test("FLT-3, HTTP-2: answer a preflight request before authentication", async () => {
    const headers = { origin: "https://shop.example.com", authorization: "Test bob" };
    const answer = await call(api, "OPTIONS", COLLECTION, undefined, { headers });
    expect(answer.status).toBe(204);
    expect(seen.at(-1)).toBe("> behind watch-termination");
  });

  test("FLT-9: see every request, while admission plugins see only creates, updates and deletes, with decoded objects", async () => {
    const plugins = async (method: string, path: string, body?: unknown, type?: string) => {
      seen.length = 0;
      await call(api, method, path, body, { ...as("jane"), ...(type !== undefined && { type }) });
      expect(seen).toContain("> behind panic-recovery");
      return seen.filter((line) => !line.startsWith("> "));
    };
    expect(await plugins("POST", COLLECTION, widget("one"))).toEqual(["CREATE one"]);
    expect(await plugins("PATCH", `${COLLECTION}/one`, { metadata: { labels: { a: "b" } } }, MERGE)).toEqual([
      "UPDATE one",
    ]);
    expect(await plugins("GET", `${COLLECTION}/one`)).toEqual([]);
    expect(await plugins("GET", COLLECTION)).toEqual([]);
    expect(await plugins("GET", `${COLLECTION}?watch=true&timeoutSeconds=1`)).toEqual([]);
    expect(await plugins("POST", COLLECTION, "{no json")).toEqual([]);
    expect(await plugins("DELETE", `${COLLECTION}/one`)).toEqual(["DELETE nothing"]);
  });
});

describe("the authorization filter", () => {
  test("FLT-4: serves a user whom an authorizer allows, and answers 403 with the reason to others", async () => {
    expect((await call(api, "GET", COLLECTION, undefined, as("jane"))).status).toBe(200);
    const refused = await call(api, "GET", COLLECTION, undefined, as("bob"));
    expect(JSON.parse(refused.text)).toMatchObject({
      kind: "Status",
      reason: "Forbidden",
      code: 403,
      message: `widgets.${GROUP} is forbidden: User "bob" cannot list resource "widgets" in API group "${GROUP}" in the namespace "default": he is not jane`,
    });
  });

  test("FLT-4: answers 500 when an authorizer throws", async () => {
    const failed = await call(api, "GET", COLLECTION, undefined, as("eve"));
    expect([failed.status, failed.text]).toEqual([
      500,
      `Internal Server Error: "${COLLECTION}": the policy cannot be read\n`,
    ]);
  });

  test("FLT-4: accepts every request on a server without an authorizer", async () => {
    await using open = await startServer({ port: false, resources: [widgets] });
    expect((await call(open.transport(), "GET", COLLECTION)).status).toBe(200);
  });
});

describe("the authentication filter", () => {
  test("FLT-8: answers 401 with a Status to a request whose credentials it does not accept", async () => {
    const answer = await call(api, "GET", COLLECTION, undefined, STRANGER);
    expect(JSON.parse(answer.text)).toMatchObject({
      kind: "Status",
      reason: "Unauthorized",
      code: 401,
      message: "Unauthorized",
    });
  });

  test("FLT-8: puts the user on the request, and takes the credentials off it", async () => {
    const front = { "x-remote-user": "root", "x-remote-group": "system:masters", "x-remote-extra-a": "b" };
    await call(api, "GET", COLLECTION, undefined, as("jane", { ...front, "x-other": "stays" }));
    expect(last?.user.name).toBe("jane");
    const names = Object.keys(last?.exchange.headers ?? {});
    expect(names).toContain("x-other");
    expect(names.filter((name) => name === "authorization" || name.startsWith("x-remote-"))).toEqual([]);
  });
});

describe("an impossible request is answered with a Status", () => {
  test.each<[status: number, reason: string, method: string, path: string, options: CallOptions]>([
    [404, "NotFound", "GET", `${COLLECTION}/nothing`, {}],
    [404, "NotFound", "GET", `/apis/${GROUP}/v1/namespaces/default/others`, {}],
    [405, "MethodNotAllowed", "POST", `${COLLECTION}/one`, {}],
    [406, "NotAcceptable", "GET", COLLECTION, { accept: "text/html" }],
    [415, "UnsupportedMediaType", "POST", COLLECTION, { type: "text/plain" }],
    [500, "InternalError", "GET", `${COLLECTION}?panic=1`, {}],
  ])("WEB-2, WEB-3: %i %s to %s %s", async (code, reason, method, path, given) => {
    const body = method === "POST" ? widget("one") : undefined;
    const answer = await call(api, method, path, body, { ...given, ...as("jane") });
    expect(answer.status).toBe(code);
    expect(JSON.parse(answer.text)).toMatchObject({
      kind: "Status",
      apiVersion: "v1",
      status: "Failure",
      reason,
      code,
    });
  });

  test("WEB-2, WEB-3: and a handler that throws fails only its own request", async () => {
    expect((await call(api, "GET", `${COLLECTION}?panic=1`, undefined, as("jane"))).status).toBe(500);
    expect((await call(api, "GET", COLLECTION, undefined, as("jane"))).status).toBe(200);
  });
});
