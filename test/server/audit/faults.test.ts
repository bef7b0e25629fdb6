import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { startServer } from "../../../src/cluster/start-server.js";
import type { ServerOptions } from "../../../src/cluster/options/server-options.js";
import type { AuditEvent } from "../../../src/server/audit/audit-event.js";
import { respondText } from "../../../src/server/request/respond.js";
import { string, struct } from "../../../src/cluster/server.js";
import { call } from "../../helpers/api-caller.js";
import { eventually } from "../../helpers/eventually.js";
import { startWebhookServer, type WebhookServer } from "../../helpers/webhook-server.js";

// What becomes of requests and of their events when something fails.
const METADATA = { rules: [{ level: "Metadata" }] } as const;

let folder: string;
let webhook: WebhookServer;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "kubets-audit-faults-"));
  webhook = await startWebhookServer();
});
afterAll(async () => {
  await webhook[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});
afterEach(() => void webhook.calls.splice(0));

interface Audited {
  readonly options: ServerOptions;
  readonly events: AuditEvent[];
  readonly faults: string[];
}

/** Options of a server that keeps its events and faults for the test. */
function audited(options: ServerOptions): Audited {
  const events: AuditEvent[] = [];
  const faults: string[] = [];
  return {
    events,
    faults,
    options: {
      port: false,
      onError: (error) => faults.push(String(error)),
      ...options,
      audit: { policy: METADATA, backends: [(event) => void events.push(event)], ...options.audit },
    },
  };
}

const stagesOf = (events: readonly AuditEvent[]): readonly string[] => events.map(({ stage }) => stage);

/** A kubeconfig of the webhook at a path. */
function kubeconfig(path: string): string {
  const file = join(folder, `${path.slice(1)}.kubeconfig`);
  const cluster = { server: webhook.url + path, "certificate-authority-data": webhook.caBundle };
  const text = JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "w", cluster }],
    contexts: [{ name: "w", context: { cluster: "w", user: "" } }],
    "current-context": "w",
  });
  writeFileSync(file, text);
  return file;
}

const receivedEvents = (path: string): readonly AuditEvent[] =>
  webhook.calls
    .filter((one) => one.path.startsWith(path))
    .flatMap(({ body }) => (JSON.parse(body) as { items: readonly AuditEvent[] }).items);

describe("the audit log on a full disk", () => {
  test("in the mode blocking lets requests succeed, and reports and counts what is lost", async () => {
    const { options, faults } = audited({ audit: { policy: METADATA, log: { path: "/dev/full", maxSize: 0 } } });
    await using server = await startServer(options);
    expect((await call(server.transport(), "GET", "/version")).status).toBe(200);
    expect(faults).toHaveLength(2);
    expect(faults[0]).toMatch(
      /^Error: Error in audit plugin 'log' affecting 1 audit events: write \/dev\/full: no space left on device\nImpacted events:\n.* stage="RequestReceived"/,
    );
  });

  test("in the mode blocking-strict fails a request whose first event is not written", async () => {
    const log = { path: "/dev/full", maxSize: 0, mode: "blocking-strict" };
    const { options } = audited({ audit: { policy: METADATA, log } });
    await using server = await startServer(options);
    const answer = await call(server.transport(), "GET", "/version");
    expect([answer.status, answer.text]).toEqual([
      500,
      'Internal Server Error: "/version": failed to store audit event\n',
    ]);
  });

  test("in the mode blocking-strict answers a request whose later event is not written", async () => {
    const log = { path: "/dev/full", maxSize: 0, mode: "blocking-strict" };
    const policy = { omitStages: ["RequestReceived"], rules: [{ level: "Metadata" }] } as const;
    const { options, faults } = audited({ audit: { policy, log } });
    await using server = await startServer(options);
    expect((await call(server.transport(), "GET", "/version")).status).toBe(200);
    expect(faults).toHaveLength(1);
  });

  test("in the mode batch delays no request, and reports what is lost", async () => {
    const log = { path: "/dev/full", maxSize: 0, mode: "batch" };
    const { options, faults } = audited({ audit: { policy: METADATA, log } });
    await using server = await startServer(options);
    expect((await call(server.transport(), "GET", "/version")).status).toBe(200);
    await eventually(() => expect(faults).toHaveLength(2));
  });
});

describe("an audit webhook", () => {
  test("receives the waiting events in EventLists when the server stops", async () => {
    webhook.on("/batch", () => ({}));
    const { options } = audited({ audit: { policy: METADATA, webhook: { configFile: kubeconfig("/batch") } } });
    const server = await startServer(options);
    for (const path of ["/version", "/healthz"]) await call(server.transport(), "GET", path);
    expect(receivedEvents("/batch")).toEqual([]);
    await server.close();
    expect(webhook.calls.map(({ body }) => JSON.parse(body) as object)).toEqual([
      { kind: "EventList", apiVersion: "audit.k8s.io/v1", metadata: {}, items: expect.any(Array) as unknown },
    ]);
    const [first] = receivedEvents("/batch");
    expect(Object.keys(first ?? {})[0]).toBe("level");
    expect(receivedEvents("/batch").map(({ requestURI, stage }) => `${requestURI} ${stage}`)).toEqual([
      "/version RequestReceived",
      "/version ResponseComplete",
      "/healthz RequestReceived",
      "/healthz ResponseComplete",
    ]);
  });

  test("is called again after any failure", async () => {
    const answers = [403, 500];
    webhook.on("/again", (_, response) => {
      const code = answers.shift();
      if (code === undefined) return {};
      response.writeHead(code).end();
      return undefined;
    });
    const target = { configFile: kubeconfig("/again"), initialBackoff: 1, mode: "blocking-strict" };
    const { options } = audited({ audit: { policy: METADATA, webhook: target } });
    await using server = await startServer(options);
    expect((await call(server.transport(), "GET", "/version")).status).toBe(200);
    expect(webhook.calls).toHaveLength(4);
  });

  test("in the mode blocking-strict fails requests that it does not accept", async () => {
    webhook.on("/refusing", (_, response) => void response.writeHead(500).end());
    const target = { configFile: kubeconfig("/refusing"), initialBackoff: 1, mode: "blocking-strict" };
    const { options, faults } = audited({ audit: { policy: METADATA, webhook: target } });
    await using server = await startServer(options);
    expect((await call(server.transport(), "GET", "/version")).status).toBe(500);
    expect(webhook.calls).toHaveLength(5);
    expect(faults[0]).toMatch(/^Error: Error in audit plugin 'webhook' affecting 1 audit events: /);
  });

  test("that does not answer delays no request in the mode batch, and others at most by its time limit", async () => {
    const { options } = audited({
      audit: { policy: METADATA, webhook: { configFile: kubeconfig("/hanging"), mode: "blocking" } },
    });
    // Closing lets the last try end.
    webhook.on("/hanging", (_, response) => void held.push(() => response.end("{}")));
    const held: (() => void)[] = [];
    const server = await startServer(options);
    const answer = await call(server.transport(), "GET", "/version?timeout=1ms");
    expect([answer.status, answer.at("reason")]).toEqual([504, "Timeout"]);
    webhook.on("/hanging", () => ({}));
    for (const release of held) release();
    expect((await call(server.transport(), "GET", "/version")).status).toBe(200);
    await server.close();
    const batching = audited({
      audit: { policy: METADATA, webhook: { configFile: kubeconfig("/queued"), batch: { maxSize: 1 } } },
    });
    const waiting: (() => void)[] = [];
    webhook.on("/queued", (_, response) => void waiting.push(() => response.end("{}")));
    const other = await startServer(batching.options);
    expect((await call(other.transport(), "GET", "/version")).status).toBe(200);
    await eventually(() => expect(waiting).toHaveLength(2));
    for (const release of waiting) release();
    await other.close();
  });

  test("with an unreadable kubeconfig keeps the server from starting", async () => {
    const configFile = join(folder, "missing");
    await expect(
      startServer(audited({ audit: { policy: METADATA, webhook: { configFile } } }).options),
    ).rejects.toThrow(/^initializing audit webhook: .*missing/);
  });
});

describe("the audit event of a request that goes wrong", () => {
  test("by an internal error has the stage Panic", async () => {
    const { options, events, faults } = audited({});
    await using server = await startServer(options);
    server.paths.handle("/broken", () => Promise.reject(new TypeError("x is undefined")));
    expect((await call(server.transport(), "GET", "/broken")).status).toBe(500);
    expect(stagesOf(events)).toEqual(["RequestReceived", "Panic"]);
    expect(events[1]?.responseStatus).toEqual({
      metadata: {},
      status: "Failure",
      message: "APIServer panic'd: x is undefined",
      reason: "InternalError",
      code: 500,
    });
    expect(faults).toEqual(["TypeError: x is undefined"]);
  });

  test("by an error in a caller's filter has the stage Panic too", async () => {
    const filter = { name: "mine", filter: () => () => Promise.reject(new Error("no")) };
    const { options, events } = audited({ filters: [filter] });
    await using server = await startServer(options);
    expect((await call(server.transport(), "GET", "/version")).status).toBe(500);
    expect(events.at(-1)).toMatchObject({ stage: "Panic", responseStatus: { code: 500 } });
  });

  test("by its time limit has the answered status", async () => {
    const { options, events } = audited({});
    await using server = await startServer(options);
    server.paths.handle("/slow", async ({ signal }) => {
      await new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error)));
    });
    const answer = await call(server.transport(), "GET", "/slow?timeout=1ms");
    expect(answer.status).toBe(504);
    await eventually(() => expect(stagesOf(events)).toEqual(["RequestReceived", "ResponseComplete"]));
    expect(events[1]?.responseStatus).toMatchObject({ status: "Failure", reason: "Timeout", code: 504 });
  });

  test("by its client's disconnect names that", async () => {
    const { options, events } = audited({});
    await using server = await startServer(options);
    const leaving = new AbortController();
    server.paths.handle("/left", async ({ signal }) => {
      const ended = new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error)));
      leaving.abort();
      await ended;
    });
    const sent = server.transport().send({ method: "GET", path: "/left", headers: {}, signal: leaving.signal });
    await expect(sent).rejects.toThrow();
    await eventually(() => expect(stagesOf(events)).toEqual(["RequestReceived", "ResponseComplete"]));
    expect(events[1]?.responseStatus).toMatchObject({ reason: "Timeout", code: 504 });
    expect(events[1]?.responseStatus?.message).toMatch(/context canceled$/);
  });

  test("is recorded although the handler does not answer", async () => {
    const { options, events } = audited({});
    await using server = await startServer(options);
    server.paths.handle("/silent", ({ exchange }) => Promise.resolve(void exchange));
    void call(server.transport(), "GET", "/silent").catch(() => {});
    await eventually(() => expect(events).toHaveLength(2));
    expect(events[1]?.responseStatus).toEqual({
      metadata: {},
      status: "Success",
      message: "Connection closed early",
      code: 200,
    });
  });

  test("is recorded once behind a partly written answer", async () => {
    const { options, events } = audited({});
    await using server = await startServer(options);
    server.paths.handle("/parts", async ({ exchange }) => {
      const writer = exchange.respond(200, { "content-type": "text/plain" });
      await writer.write(Buffer.from("a"));
      await writer.end(Buffer.from("b"));
    });
    expect((await call(server.transport(), "GET", "/parts")).text).toBe("ab");
    expect(stagesOf(events)).toEqual(["RequestReceived", "ResponseComplete"]);
  });
});

test("the audit event of a slow request lists the time in each layer", async () => {
  let time = Date.UTC(2026, 0, 1);
  const { options, events } = audited({
    clock: { now: () => time },
    filters: [
      {
        name: "slow-authentication",
        before: "authentication",
        filter: (next) => (request) => {
          time += 400;
          return next(request);
        },
      },
    ],
  });
  await using server = await startServer(options);
  server.paths.handle("/slow", (request) => {
    time += 200;
    return respondText(request, 200, "ok");
  });
  await call(server.transport(), "GET", "/slow");
  expect(events.at(-1)?.annotations).toMatchObject({
    "apiserver.latency.k8s.io/authentication": "400ms",
    "apiserver.latency.k8s.io/total": "600ms",
  });
});

test("an audit function that throws does not affect the request, and is reported", async () => {
  const { options, faults } = audited({
    audit: { policy: METADATA, backends: [() => Promise.reject(new Error("no room"))] },
  });
  await using server = await startServer(options);
  expect((await call(server.transport(), "GET", "/version")).status).toBe(200);
  expect(faults[0]).toMatch(/^Error: Error in audit plugin 'function' affecting 1 audit events: no room/);
});

test("without an audit policy nothing is recorded, and the server warns", async () => {
  const warnings: string[] = [];
  const path = join(folder, "unused.log");
  await using server = await startServer({
    port: false,
    audit: { log: { path } },
    onWarning: (text: string) => warnings.push(text),
  });
  await call(server.transport(), "GET", "/version");
  expect(readFileSync(path, "utf8")).toBe("");
  expect(warnings).toEqual(["No audit policy file provided, no events will be recorded for log backend"]);
});

test("A-AGG-07: a server that a user composes records its own objects", async () => {
  const menus = {
    group: "cafe.example.com",
    resource: "menus",
    kind: "Menu",
    namespaced: false,
    versions: [{ version: "v1", schema: struct("Menu", { spec: struct("MenuSpec", { season: string }) }) }],
  };
  const { options, events } = audited({
    resources: [menus],
    audit: { policy: { rules: [{ level: "Request" }] } },
  });
  await using server = await startServer(options);
  await call(server.transport(), "POST", "/apis/cafe.example.com/v1/menus", {
    apiVersion: "cafe.example.com/v1",
    kind: "Menu",
    metadata: { name: "lunch" },
    spec: { season: "spring" },
  });
  expect(events.at(-1)).toMatchObject({
    objectRef: { resource: "menus", name: "lunch", apiGroup: "cafe.example.com", apiVersion: "v1" },
    requestObject: { kind: "Menu", spec: { season: "spring" } },
  });
});
