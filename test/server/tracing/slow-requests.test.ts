import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { logSlowRequests } from "../../../src/cluster/stages/log-life-cycle.js";
import { ComponentLog } from "../../../src/component/logging/component-log.js";
import { callWith } from "../../../src/server/audit/backends/webhook-backend.js";
import { requestTracing } from "../../../src/server/tracing/request-tracing.js";
import { timed } from "../../../src/server/tracing/slow-request-log.js";
import { SlowTrace } from "../../../src/server/tracing/slow-trace.js";
import { type AdmittingServer, admittingServer } from "../../helpers/admitting-server.js";
import { call } from "../../helpers/api-caller.js";
import { configure } from "../../helpers/configured-webhooks.js";
import { eventually } from "../../helpers/eventually.js";
import { ManualTime } from "../../helpers/manual-time.js";
import { seededRandom } from "../../helpers/seeded-random.js";
import { allow, startWebhookServer, type WebhookServer } from "../../helpers/webhook-server.js";

const CONFIG_MAPS = "/api/v1/namespaces/default/configmaps";

describe("REQ-3: the server logs a request that took 500 ms or longer", () => {
  const time = new ManualTime();
  let server: AdmittingServer;
  let webhook: WebhookServer;
  let verbosity: number;
  let held: number;
  let texts: string[];

  beforeAll(async () => {
    const slow = { write: (text: string) => void texts.push(text), verbosity: () => verbosity };
    const tracing = requestTracing({
      recorder: undefined,
      slow,
      clock: time,
      timers: time,
      random: seededRandom("traces"),
    });
    server = await admittingServer({}, undefined, undefined, { tracing });
    webhook = await startWebhookServer();
    const clientConfig = webhook.on("/hold", (review) => {
      time.pass(held);
      return allow(review);
    });
    await configure(server.api, "mutating", [{ clientConfig }]);
  });

  afterAll(async () => {
    await webhook?.[Symbol.asyncDispose]();
    await server?.[Symbol.asyncDispose]();
  });

  beforeEach(() => {
    verbosity = 2;
    held = 0;
    texts = [];
  });

  const create = async (name: string): Promise<void> => {
    const headers = { "user-agent": "lamp/1.0", "audit-id": `id-of-${name}` };
    const { status, text } = await call(server.api, "POST", CONFIG_MAPS, { metadata: { name } }, { headers });
    expect(status, text).toBe(201);
  };

  /** Waits for a text about the object of this name, which comes when the client has its answer. */
  const logged = (name: string): Promise<void> =>
    eventually(() => expect(texts.join("\n")).toContain(`audit-id:id-of-${name},`));

  /** The log's texts without their numbers, times and uids. */
  const masked = (): string[] =>
    texts.map((text) =>
      text
        .replaceAll(/Trace\[\d+\]/g, "Trace[N]")
        .replaceAll(/\(\d\d-[A-Z][a-z]{2}-\d{4} \d\d:\d\d:\d\d\.\d{3}\)/g, "(DATE)")
        .replaceAll(/\(\d\d:\d\d:\d\d\.\d{3}\)/g, "(TIME)")
        .replaceAll(/UID:[0-9a-f-]{36}/g, "UID:U"),
    );

  const HEAD =
    'Trace[N]: "Create" accept:application/json,audit-id:id-of-NAME,client:127.0.0.1,api-group:,api-version:v1,name:,subresource:,namespace:default,protocol:,resource:configmaps,scope:resource,url:/api/v1/namespaces/default/configmaps,user-agent:lamp/1.0,verb:POST (DATE)';
  const WEBHOOK =
    '"Call mutating webhook" configuration:config,webhook:one.webhook.test,resource:/v1, Resource=configmaps,subresource:,operation:CREATE,UID:U';

  test("in one text whose steps name a slow webhook", async () => {
    held = 1900;
    await create("held");
    await logged("held");
    expect(masked()).toEqual([
      [
        `${HEAD.replace("NAME", "held")} (total time: 1900ms):`,
        `Trace[N]: [${WEBHOOK} 1900ms (TIME)`,
        'Trace[N]:  ---"Request completed" 1900ms (TIME)]',
        "Trace[N]: [1.9s] [1.9s] END",
      ].join("\n"),
    ]);
  });

  test("and does not log a fast request", async () => {
    held = 499;
    await create("fast");
    held = 500;
    await create("not-so-fast");
    await logged("not-so-fast");
    expect(texts).toHaveLength(1);
  });

  test("and 500 ms count as slow", async () => {
    held = 500;
    await create("just-slow");
    await logged("just-slow");
    expect(masked()[0]).toMatch(/\(total time: 500ms\):[^]*\nTrace\[N\]: \[500ms\] \[500ms\] END$/);
  });

  test("and measures nothing below -v=2", async () => {
    verbosity = 1;
    held = 1000;
    await create("quiet");
    verbosity = 2;
    await create("loud");
    await logged("loud");
    expect(texts).toHaveLength(1);
  });

  test("and at -v=4 logs every step", async () => {
    verbosity = 4;
    held = 1000;
    await create("all-steps");
    await logged("all-steps");
    const steps = [...(texts[0] ?? "").matchAll(/^Trace\[\d+\]: +(?:---|\[)"([^"]*)"/gm)].map(([, name]) => name);
    expect(steps).toEqual([
      "limitedReadBody succeeded",
      "About to convert to expected version",
      "Conversion done",
      "About to store object in database",
      // The namespace is looked up.
      "cacher.Get",
      "Call mutating webhook",
      "Request completed",
      "Create etcd3",
      "About to Encode",
      "Encode succeeded",
      "Txn call succeeded",
      "Write to database call succeeded",
      "About to write a response",
      "SerializeObject",
      "About to start writing response",
      "Write call succeeded",
      "Writing http response done",
    ]);
  });
});

describe("REQ-3: the server logs a call of the audit webhook that is slow for its number of events", () => {
  test.each([
    [1, 75, true],
    [1, 74, false],
    [2, 99, false],
    [2, 100, true],
  ])("%i events in %i ms: %s", async (count, took, isLogged) => {
    const time = new ManualTime();
    const texts: string[] = [];
    const slow = { write: (text: string) => void texts.push(text), verbosity: () => 2 };
    const surroundings = { slow, clock: time, timers: time, random: seededRandom("audit") };
    await timed(callWith(count), surroundings, async () => time.pass(took));
    const text = `"Call Audit Events webhook" name:webhook,event-count:${count} `;
    const found = texts.map((one) => one.includes(text) && one.includes(`(total time: ${took}ms)`));
    expect(found).toEqual(isLogged ? [true] : []);
  });
});

test("programs log slow requests at -v=2, in klog's format", () => {
  const lines: string[] = [];
  const clock = { now: () => new Date(2026, 0, 2, 3, 4, 5).getTime() };
  const log = new ComponentLog({ write: (line) => lines.push(line), clock, verbosity: 2 });
  const { onSlowRequest, verbosity } = logSlowRequests(log);
  onSlowRequest?.('Trace[1]: "Get" (total time: 600ms):\nTrace[1]: [600ms] [600ms] END');
  const pid = String(process.pid).padStart(7);
  expect(lines).toEqual([
    `I0102 03:04:05.000000 ${pid} trace.go:236] Trace[1]: "Get" (total time: 600ms):\nTrace[1]: [600ms] [600ms] END\n`,
  ]);
  expect(verbosity?.()).toBe(2);
  log.setVerbosity(1);
  onSlowRequest?.("Trace[2]");
  expect([lines.length, verbosity?.()]).toEqual([1, 1]);
});

describe("the logged text of a slow request is that of k8s.io/utils/trace", () => {
  const at = new Date(2026, 0, 2, 3, 4, 5, 6).getTime();
  const number = (): number => 7;

  test("without steps that took less than their share", () => {
    const trace = new SlowTrace("Get", { name: "web", limit: 500 }, at);
    trace.step("first", {}, at + 10);
    trace.step("second", { len: 3 }, at + 600);
    trace.end(at + 601.5, 500);
    expect(trace.texts(at + 601.5, false, number)).toEqual([
      [
        'Trace[7]: "Get" name:web,limit:500 (02-Jan-2026 03:04:05.006) (total time: 601ms):',
        'Trace[7]: ---"second" len:3 590ms (03:04:05.606)',
        "Trace[7]: [601.5ms] [601.5ms] END",
      ].join("\n"),
    ]);
  });

  test("and a slow part of a fast request is logged by itself", () => {
    const trace = new SlowTrace("List", {}, at);
    const part = trace.part("SerializeObject", {}, at);
    part.end(at + 400, 100);
    trace.end(at + 450, 500);
    expect(trace.texts(at + 450, false, number)).toEqual([
      [
        'Trace[7]: "SerializeObject" (02-Jan-2026 03:04:05.006) (total time: 400ms):',
        "Trace[7]: [400ms] [400ms] END",
      ].join("\n"),
    ]);
  });

  test("with parts indented, whose thresholds reduce the share of steps", () => {
    const trace = new SlowTrace("Update", {}, at);
    const part = trace.part("GuaranteedUpdate etcd3", { key: "/a" }, at);
    part.step("initial value restored", {}, at + 300);
    part.end(at + 700, 500);
    trace.step("done", {}, at + 701);
    trace.end(at + 1000, 500);
    expect(trace.texts(at + 1000, false, number)).toEqual([
      [
        'Trace[7]: "Update" (02-Jan-2026 03:04:05.006) (total time: 1000ms):',
        'Trace[7]: ["GuaranteedUpdate etcd3" key:/a 1000ms (03:04:05.006)',
        'Trace[7]:  ---"initial value restored" 300ms (03:04:05.306)]',
        "Trace[7]: [1s] [1s] END",
      ].join("\n"),
    ]);
  });
});
