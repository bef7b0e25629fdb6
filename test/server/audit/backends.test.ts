import { describe, expect, test } from "vitest";
import { deferred } from "../../../src/base/async/deferred.js";
import { ManualTime } from "../../helpers/manual-time.js";
import {
  type AuditBackend,
  AuditCounts,
  ignoringErrors,
  reportLost,
  unionOf,
} from "../../../src/server/audit/backends/audit-backend.js";
import { BatchingBackend, type BatchLimits } from "../../../src/server/audit/backends/batching.js";
import { truncating } from "../../../src/server/audit/backends/truncating.js";
import { type EventParts, legacyLine, microTime, RecordedEvent } from "../../../src/server/audit/recorded-event.js";

const PARTS: EventParts = {
  level: "RequestResponse",
  auditId: "an-id",
  stage: "ResponseComplete",
  request: '"requestURI":"/a?b=c","verb":"get","user":{}',
  impersonated: "",
  source: "",
  objectRef: undefined,
  responseStatus: '{"metadata":{},"code":200}',
  requestObject: `{"a":"${"x".repeat(100)}"}`,
  responseObject: undefined,
  received: Date.UTC(2026, 0, 2, 3, 4, 5, 60),
  staged: Date.UTC(2026, 0, 2, 3, 4, 5, 70),
  annotations: [["a.b/c", "d"]],
  legacy: {
    ip: "10.0.0.1",
    method: "get",
    user: { name: "ana", groups: ["a", 'b"'] },
    impersonated: undefined,
    userAgent: "an agent",
    namespace: "",
    uri: "/a?b=c",
    code: 200,
  },
};

const event = (auditId: string, parts: Partial<EventParts> = {}): RecordedEvent =>
  new RecordedEvent({ ...PARTS, auditId, ...parts });

/** A backend that keeps what it gets. Its answer is `kept`, or comes when a test lets it. */
class Recorder implements AuditBackend {
  readonly batches: string[][] = [];
  constructor(private readonly kept: boolean | (() => Promise<boolean>) = true) {}

  process(events: readonly RecordedEvent[]): boolean | Promise<boolean> {
    this.batches.push(events.map(({ parts }) => parts.auditId));
    return typeof this.kept === "boolean" ? this.kept : this.kept();
  }

  async close(): Promise<void> {}
}

describe("an audit event as text", () => {
  test("has as JSON kube-apiserver's fields in their order", () => {
    expect(event("an-id", { requestObject: '{"kind":"Pod"}' }).json).toBe(
      '{"kind":"Event","apiVersion":"audit.k8s.io/v1","level":"RequestResponse","auditID":"an-id","stage":"ResponseComplete",' +
        '"requestURI":"/a?b=c","verb":"get","user":{},"responseStatus":{"metadata":{},"code":200},"requestObject":{"kind":"Pod"},' +
        '"requestReceivedTimestamp":"2026-01-02T03:04:05.060000Z","stageTimestamp":"2026-01-02T03:04:05.070000Z","annotations":{"a.b/c":"d"}}',
    );
  });

  test("has in the legacy format kube-apiserver's line", () => {
    expect(legacyLine(event("an-id"))).toBe(
      '2026-01-02T03:04:05.06Z AUDIT: id="an-id" stage="ResponseComplete" ip="10.0.0.1" method="get" user="ana" groups="\\"a\\",\\"b\\\\\\"\\"" ' +
        'as="<self>" asgroups="<lookup>" user-agent="an agent" namespace="<none>" uri="/a?b=c" response="200"',
    );
  });

  test("has a placeholder for unknown values", () => {
    const legacy = { ...PARTS.legacy, ip: undefined, user: { name: "", groups: [] }, code: undefined };
    const impersonated = { name: "bob", groups: ["c"] };
    expect(legacyLine(event("an-id", { received: 0, legacy: { ...legacy, impersonated } }))).toBe(
      '1970-01-01T00:00:00Z AUDIT: id="an-id" stage="ResponseComplete" ip="<unknown>" method="get" user="<none>" groups="<none>" ' +
        'as="bob" asgroups="\\"c\\"" user-agent="an agent" namespace="<none>" uri="/a?b=c" response="<deferred>"',
    );
  });

  test("has times in microseconds", () => {
    expect(microTime(1.25)).toBe("1970-01-01T00:00:00.001250Z");
    expect(microTime(1)).toBe("1970-01-01T00:00:00.001000Z");
  });
});

describe("several audit backends", () => {
  test("receive the same events, and fail together when one fails", async () => {
    const [good, bad] = [new Recorder(), new Recorder(() => Promise.resolve(false))];
    expect(await unionOf([good, bad]).process([event("a")])).toBe(false);
    expect([good.batches, bad.batches]).toEqual([[["a"]], [["a"]]]);
  });

  test("are waited for in the mode blocking, which ignores their failure", async () => {
    expect(await ignoringErrors(new Recorder(() => Promise.resolve(false))).process([event("a")])).toBe(true);
  });
});

describe("truncating audit events", () => {
  const limits = { maxEventSize: 400, maxBatchSize: 1000 };
  const size = Buffer.byteLength(event("a").json) + 1;

  test("removes the objects of an event that is too large, and marks it", () => {
    const kept: RecordedEvent[] = [];
    const backend = { process: (events: readonly RecordedEvent[]) => kept.push(...events) > 0, close: async () => {} };
    void truncating(backend, { ...limits, maxEventSize: size - 1 }, () => {}).process([event("a")]);
    expect(kept.map(({ json }) => JSON.parse(json) as object)).toEqual([
      expect.objectContaining({ annotations: { "a.b/c": "d", "audit.k8s.io/truncated": "true" } }),
    ]);
    expect(kept[0]?.json).not.toContain("requestObject");
  });

  test("keeps an event that fits exactly", () => {
    const recorder = new Recorder();
    void truncating(recorder, { ...limits, maxEventSize: size }, () => {}).process([event("a")]);
    expect(recorder.batches).toEqual([["a"]]);
  });

  test("drops and counts an event that is too large even without objects", () => {
    const counts = new AuditCounts();
    const faults: unknown[] = [];
    const recorder = new Recorder();
    const lost = reportLost(counts, (error) => faults.push(error));
    const kept = truncating(recorder, { ...limits, maxEventSize: 10 }, lost).process([event("a")]);
    expect([kept, recorder.batches, counts.errors.get("truncate")]).toEqual([true, [], 1]);
    expect(String(faults[0])).toMatch(
      /^Error: Error in audit plugin 'truncate' affecting 1 audit events: event is too large even after truncating\nImpacted events:\n2026.* AUDIT: id="a"/,
    );
  });

  test("splits batches that would be too large", () => {
    const recorder = new Recorder();
    void truncating(recorder, { maxEventSize: 1000, maxBatchSize: 2 * size }, () => {}).process(
      ["a", "b", "c", "d", "e"].map((id) => event(id)),
    );
    expect(recorder.batches).toEqual([["a", "b"], ["c", "d"], ["e"]]);
  });
});

describe("an audit backend in the mode batch", () => {
  const LIMITS: BatchLimits = { bufferSize: 4, maxSize: 2, maxWait: 1000, throttle: undefined, concurrency: 2 };

  function batching(recorder: AuditBackend, limits: Partial<BatchLimits> = {}) {
    const clock = new ManualTime();
    const counts = new AuditCounts();
    const lost = reportLost(counts, () => {});
    return {
      clock,
      counts,
      backend: new BatchingBackend(recorder, { ...LIMITS, ...limits }, { clock, timers: clock, lost }),
    };
  }

  test("sends a full batch at once, and others when their first event has waited", async () => {
    const recorder = new Recorder();
    const { clock, backend } = batching(recorder);
    backend.process([event("a"), event("b"), event("c")]);
    expect(recorder.batches).toEqual([["a", "b"]]);
    clock.pass(999);
    expect(recorder.batches).toHaveLength(1);
    clock.pass(1);
    expect(recorder.batches).toEqual([["a", "b"], ["c"]]);
  });

  test("drops and counts events that do not fit into its buffer, and no request fails", async () => {
    const held = deferred<boolean>();
    const recorder = new Recorder(() => held.promise);
    const { counts, backend } = batching(recorder);
    const all = Array.from({ length: 12 }, (_, index) => event(String(index)));
    expect(all.map((one) => backend.process([one]))).toEqual(all.map(() => true));
    // Two batches are under way, and four events wait.
    expect(counts.errors.get("buffered")).toBe(4);
    held.resolve(true);
    await backend.close();
    expect(recorder.batches).toEqual([
      ["0", "1"],
      ["2", "3"],
      ["4", "5"],
      ["6", "7"],
    ]);
  });

  test("sends no more batches a second than its limit", async () => {
    const recorder = new Recorder();
    const { clock, backend } = batching(recorder, { bufferSize: 100, throttle: { qps: 2, burst: 2 } });
    backend.process(Array.from({ length: 10 }, (_, index) => event(String(index))));
    expect(recorder.batches).toHaveLength(2);
    clock.pass(500);
    expect(recorder.batches).toHaveLength(3);
    clock.pass(1000);
    expect(recorder.batches).toHaveLength(5);
  });

  test("sends waiting events when it is closed, and accepts none afterwards", async () => {
    const recorder = new Recorder(() => Promise.resolve(true));
    const { counts, backend } = batching(recorder, { maxSize: 3 });
    backend.process([event("a")]);
    await backend.close();
    expect(recorder.batches).toEqual([["a"]]);
    expect(backend.process([event("b")])).toBe(true);
    expect(counts.errors.get("buffered")).toBe(1);
  });
});
