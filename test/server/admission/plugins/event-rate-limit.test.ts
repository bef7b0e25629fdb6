import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { readConfigurationDocument } from "../../../../src/machinery/text/yaml/configuration-document.js";
import {
  eventRateLimit,
  type EventRateLimitConfiguration,
  readEventRateLimitConfiguration,
} from "../../../../src/server/admission/plugins/event-rate-limit.js";
import { admittingServer, type AdmittingServer, done } from "../../../helpers/admitting-server.js";
import { type Answer, call } from "../../../helpers/api-caller.js";
import { ManualTime } from "../../../helpers/manual-time.js";

type Limit = EventRateLimitConfiguration["limits"][number];

let time: ManualTime;
const servers: AdmittingServer[] = [];
let count = 0;

beforeEach(() => {
  time = new ManualTime();
});

afterAll(async () => {
  for (const server of servers) await server[Symbol.asyncDispose]();
});

async function limitedTo(...limits: readonly Limit[]): Promise<AdmittingServer> {
  const options = { enable: ["EventRateLimit"], configuration: { EventRateLimit: { limits } } };
  const server = await admittingServer(options, undefined, undefined, { clock: time });
  servers.push(server);
  for (const name of ["one", "two", "three"]) {
    await done(server.api, "POST", "/api/v1/namespaces", { metadata: { name } });
  }
  return server;
}

interface Sent {
  readonly namespace?: string;
  readonly about?: object;
  readonly source?: object;
  readonly query?: string;
}

function send(
  server: AdmittingServer,
  { namespace = "default", about, source, query = "" }: Sent = {},
): Promise<Answer> {
  const involvedObject = { kind: "Pod", name: "p", namespace, apiVersion: "v1", uid: "u", ...about };
  const body = { metadata: { name: `event-${++count}` }, involvedObject, source: { component: "c", ...source } };
  return call(server.api, "POST", `/api/v1/namespaces/${namespace}/events${query}`, body);
}

const statuses = async (server: AdmittingServer, ...all: readonly Sent[]): Promise<number[]> => {
  const answers: number[] = [];
  for (const sent of all) answers.push((await send(server, sent)).status);
  return answers;
};

describe("the admission plugin EventRateLimit", () => {
  test("accepts a burst of events and refuses further ones", async () => {
    const server = await limitedTo({ type: "Server", qps: 1, burst: 2 });
    expect(await statuses(server, {}, { namespace: "one" })).toEqual([201, 201]);
    const refusal = await send(server, { namespace: "two" });
    expect([refusal.status, refusal.at("reason"), refusal.at("message")]).toEqual([
      429,
      "TooManyRequests",
      "Too many requests: limit reached on type Server for key ",
    ]);
  });

  const passing: readonly (readonly [milliseconds: number, statuses: readonly number[]])[] = [
    [499, [429, 429]],
    [500, [201, 429]],
    [1000, [201, 201, 429]],
    [60_000, [201, 201, 201, 429]],
  ];
  test.each(passing)(
    "at two events a second and a burst of three answers after %i ms: %j",
    async (milliseconds, expected) => {
      const server = await limitedTo({ type: "Server", qps: 2, burst: 3 });
      await statuses(server, {}, {}, {});
      time.pass(milliseconds);
      expect(await statuses(server, ...expected.map(() => ({})))).toEqual(expected);
    },
  );

  test("accepts an event again a second after the limit was reached, even after many refusals", async () => {
    const server = await limitedTo({ type: "Server", qps: 1, burst: 1 });
    await statuses(server, {}, {}, {}, {});
    time.pass(1000);
    expect(await statuses(server, {})).toEqual([201]);
  });

  test("counts each namespace on its own", async () => {
    const server = await limitedTo({ type: "Namespace", qps: 1, burst: 1 });
    expect(await statuses(server, { namespace: "one" }, { namespace: "two" }, { namespace: "one" })).toEqual([
      201, 201, 429,
    ]);
    expect((await send(server, { namespace: "two" })).at("message")).toBe(
      "Too many requests: limit reached on type Namespace for key two",
    );
  });

  test("counts each user on its own", async () => {
    const server = await limitedTo({ type: "User", qps: 1, burst: 1 });
    await send(server);
    expect((await send(server, { namespace: "one" })).at("message")).toBe(
      "Too many requests: limit reached on type User for key admin",
    );
  });

  const sources: readonly (readonly [name: string, other: Sent])[] = [
    ["component", { source: { component: "d" } }],
    ["host", { source: { host: "h" } }],
    ["kind", { about: { kind: "Node" } }],
    ["name", { about: { name: "q" } }],
    ["uid", { about: { uid: "w" } }],
    ["version", { about: { apiVersion: "v2" } }],
  ];
  test.each(sources)("counts each source and object on its own, also by %s", async (_, other) => {
    const server = await limitedTo({ type: "SourceAndObject", qps: 1, burst: 1 });
    expect(await statuses(server, {}, other, {}, other)).toEqual([201, 201, 429, 429]);
    expect((await send(server, { source: { host: "" } })).at("message")).toBe(
      "Too many requests: limit reached on type SourceAndObject for key cPoddefaultpuv1",
    );
  });

  test("returns all limits that are reached, and charges those that are not", async () => {
    const server = await limitedTo(
      { type: "Server", qps: 1, burst: 2 },
      { type: "Namespace", qps: 1, burst: 1 },
      { type: "User", qps: 1, burst: 9 },
    );
    expect(await statuses(server, {}, {})).toEqual([201, 429]);
    expect((await send(server)).at("message")).toBe(
      "Too many requests: [limit reached on type Server for key , limit reached on type Namespace for key default]",
    );
    expect((await send(server, { namespace: "one" })).at("message")).toBe(
      "Too many requests: limit reached on type Server for key ",
    );
  });

  test("drops the counter that was not used for longest, which later starts anew", async () => {
    const server = await limitedTo({ type: "Namespace", qps: 1, burst: 1, cacheSize: 2 });
    const [one, two, three] = ["one", "two", "three"].map((namespace) => ({ namespace })) as [Sent, Sent, Sent];
    expect(await statuses(server, one, two, three, three, two, one)).toEqual([201, 201, 201, 429, 429, 201]);
  });

  test("counts updates as well, and no dry runs", async () => {
    const server = await limitedTo({ type: "Server", qps: 1, burst: 2 });
    const dry = { query: "?dryRun=All" };
    expect(await statuses(server, dry, dry, dry, {})).toEqual([201, 201, 201, 201]);
    const path = `/api/v1/namespaces/default/events/event-${count}`;
    const type = "application/merge-patch+json";
    expect((await call(server.api, "PATCH", path, { message: "a" }, { type })).status).toBe(200);
    expect((await call(server.api, "PATCH", path, { message: "b" }, { type })).status).toBe(429);
    expect((await call(server.api, "DELETE", path)).status).toBe(200);
  });

  test("does not limit events of events.k8s.io, nor other objects", async () => {
    const server = await limitedTo({ type: "Server", qps: 1, burst: 1 });
    await send(server);
    const body = {
      metadata: { name: "new" },
      eventTime: "2026-01-01T00:00:00.000000Z",
      reportingController: "example.com/c",
      reportingInstance: "i",
      action: "A",
      reason: "R",
      type: "Normal",
      regarding: { kind: "Pod", name: "p", namespace: "default" },
    };
    await done(server.api, "POST", "/apis/events.k8s.io/v1/namespaces/default/events", body);
    await done(server.api, "POST", "/api/v1/namespaces/default/configmaps", { metadata: { name: "c" } });
  });

  test("is off by default", async () => {
    await using server = await admittingServer({
      configuration: { EventRateLimit: { limits: [{ type: "Server", qps: 1, burst: 1 }] } },
    });
    expect(await statuses(server, {}, {})).toEqual([201, 201]);
  });
});

describe("the configuration of EventRateLimit", () => {
  const fine = { type: "Server", qps: 1, burst: 1 };
  const faults: readonly (readonly [name: string, limits: readonly object[], message: string])[] = [
    ["nothing", [], "limits: Invalid value: []: must not be empty"],
    [
      "an unknown type",
      [{ ...fine, type: "server" }],
      'limits[0].type: Unsupported value: "server": supported values: "Namespace", "Server", "SourceAndObject", "User"',
    ],
    ["no burst", [{ ...fine, burst: 0 }], "limits[0].burst: Invalid value: 0: must be positive"],
    ["a negative burst", [fine, { ...fine, burst: -1 }], "limits[1].burst: Invalid value: -1: must be positive"],
    ["no rate", [{ ...fine, qps: 0 }], "limits[0].qps: Invalid value: 0: must be positive"],
    [
      "a negative size",
      [{ ...fine, type: "User", cacheSize: -1 }],
      "limits[0].cacheSize: Invalid value: -1: must not be negative",
    ],
    [
      "several faults",
      [{ type: "User" }],
      "[limits[0].burst: Invalid value: 0: must be positive, limits[0].qps: Invalid value: 0: must be positive]",
    ],
  ];
  test.each(faults)("is refused with %s", (_, limits, message) => {
    expect(() => eventRateLimit({ limits: limits as readonly Limit[] })).toThrow(new Error(message));
  });

  test("may have a negative cache size where it is not used", () => {
    expect(() => eventRateLimit({ limits: [{ type: "Server", qps: 1, burst: 1, cacheSize: -1 }] })).not.toThrow();
  });

  const head = "apiVersion: eventratelimit.admission.k8s.io/v1alpha1\nkind: Configuration\n";
  test("is read from a document", () => {
    const text = `${head}limits:\n- {type: Namespace, qps: 50, burst: 100, cacheSize: 2000}\n- {type: User, qps: 10, burst: 50}\n`;
    expect(readEventRateLimitConfiguration(readConfigurationDocument(text))).toEqual({
      limits: [
        { type: "Namespace", qps: 50, burst: 100, cacheSize: 2000 },
        { type: "User", qps: 10, burst: 50 },
      ],
    });
    expect(readEventRateLimitConfiguration(readConfigurationDocument(head))).toEqual({ limits: [] });
  });

  const scheme = 'in scheme "pkg/admission/eventratelimit/config.go:32"';
  const documents: readonly (readonly [name: string, text: string, message: string])[] = [
    ["nothing", "", "Object 'Kind' is missing in ''"],
    ["another kind", "apiVersion: v1\nkind: Pod\n", `no kind "Pod" is registered for version "v1" ${scheme}`],
    ["an unknown field", `${head}limit: []\n`, 'strict decoding error: unknown field "limit"'],
    [
      "an unknown field of a limit",
      `${head}limits:\n- {type: User, rate: 1}\n`,
      'strict decoding error: unknown field "limits[0].rate"',
    ],
    [
      "a text for a number",
      `${head}limits:\n- {type: User, qps: fast}\n`,
      "json: cannot unmarshal string into Go struct field Limit.limits.qps of type int32",
    ],
  ];
  test.each(documents)("cannot be read from %s", (_, text, message) => {
    expect(() => readEventRateLimitConfiguration(readConfigurationDocument(text))).toThrow(message);
  });
});
