import { afterAll, beforeAll, expect, test } from "vitest";
import { deferred } from "../../../src/base/async/deferred.js";
import { type Cluster, startCluster } from "../../../src/cluster/index.js";
import { ShareOverTime } from "../../../src/server/flow-control/share-over-time.js";
import type { OwnFilter } from "../../../src/server/filters/own-filter.js";
import { MetricTable } from "../../../src/machinery/metrics/metric-table.js";
import { call } from "../../helpers/api-caller.js";
import { asUser } from "../../helpers/as-user.js";
import { eventually } from "../../helpers/eventually.js";
import { bindingWith, enforce, validatingPolicy } from "../../helpers/policies.js";
import { total, typesOf } from "../../helpers/scraped-metrics.js";

const FLOWCONTROL = "apiserver_flowcontrol_";
const OF_QUIET = { priority_level: "quiet", flow_schema: "of-tom" };

/** Requests with the header x-hold wait for this. */
const held = deferred<void>();
const holder: OwnFilter = {
  name: "holder",
  after: "priority-and-fairness",
  filter: (next) => async (request) => {
    if (request.exchange.headers["x-hold"] !== undefined) await held.promise;
    await next(request);
  },
};

let cluster: Cluster;
const admin = (method: string, path: string, body?: unknown) => call(cluster.transport(), method, path, body);
const scrape = async (): Promise<string> =>
  (await call(cluster.transport(), "GET", "/metrics", undefined, { accept: "text/plain" })).text;

beforeAll(async () => {
  cluster = await startCluster({
    controllers: false,
    scheduler: false,
    inFlight: { readOnly: 200, mutating: 45, fairness: true },
    filters: [holder],
    audit: {
      policy: { rules: [{ level: "None", nonResourceURLs: ["/metrics"] }, { level: "Metadata" }] },
      backends: [
        ({ requestURI, stage }) => {
          if (stage === "ResponseComplete" && requestURI.includes("lost")) throw new Error("disk full");
        },
      ],
    },
  });
  const apiVersion = "flowcontrol.apiserver.k8s.io/v1";
  const queuing = { queues: 1, handSize: 1, queueLengthLimit: 1 };
  await admin("POST", `/apis/${apiVersion}/prioritylevelconfigurations`, {
    metadata: { name: "quiet" },
    spec: {
      type: "Limited",
      limited: {
        nominalConcurrencyShares: 1,
        borrowingLimitPercent: 0,
        limitResponse: { type: "Queue", queuing },
      },
    },
  });
  await admin("POST", `/apis/${apiVersion}/flowschemas`, {
    metadata: { name: "of-tom" },
    spec: {
      priorityLevelConfiguration: { name: "quiet" },
      matchingPrecedence: 10,
      rules: [
        {
          subjects: [{ kind: "User", user: { name: "tom" } }],
          nonResourceRules: [{ verbs: ["*"], nonResourceURLs: ["*"] }],
        },
      ],
    },
  });
});
afterAll(() => cluster.close());

test("FLT-3: priority and fairness has metrics with kube-apiserver's names", async () => {
  await scrape();
  const tom = (headers: Record<string, string> = {}) =>
    asUser(cluster.transport(), "tom")("GET", "/version", undefined, { headers });
  await eventually(async () => expect(total(await scrape(), `${FLOWCONTROL}nominal_limit_seats`, OF_QUIET)).toBe(0));
  const seats = await eventually(async () => {
    const value = total(await scrape(), `${FLOWCONTROL}current_limit_seats`, { priority_level: "quiet" });
    expect(value).toBeGreaterThan(0);
    return value;
  });
  await eventually(async () => {
    await tom();
    expect(total(await scrape(), `${FLOWCONTROL}dispatched_requests_total`, OF_QUIET)).toBeGreaterThan(0);
  });
  const before = total(await scrape(), `${FLOWCONTROL}dispatched_requests_total`, OF_QUIET);
  // All seats are taken, one request waits, and the next one is refused.
  const running = Array.from({ length: seats + 1 }, () => tom({ "x-hold": "1" }));
  await eventually(async () =>
    expect(total(await scrape(), `${FLOWCONTROL}current_inqueue_requests`, OF_QUIET)).toBe(1),
  );
  expect((await tom()).status).toBe(429);
  const under = await scrape();
  expect(total(under, `${FLOWCONTROL}current_executing_requests`, OF_QUIET)).toBe(seats);
  expect(total(under, `${FLOWCONTROL}current_executing_seats`, OF_QUIET)).toBe(seats);
  expect(total(under, `${FLOWCONTROL}rejected_requests_total`, { ...OF_QUIET, reason: "queue-full" })).toBe(1);
  const inPhase = (text: string, phase: string): number =>
    total(text, `${FLOWCONTROL}read_vs_write_current_requests_sum`, { phase, request_kind: "readOnly" });
  expect(inPhase(under, "waiting")).toBeGreaterThan(0);
  expect(inPhase(under, "executing")).toBeGreaterThan(0);
  expect(total(under, `${FLOWCONTROL}seat_fair_frac`)).toBeGreaterThan(0);
  held.resolve();
  await Promise.all(running);
  const after = await scrape();
  expect(total(after, `${FLOWCONTROL}dispatched_requests_total`, OF_QUIET)).toBe(before + seats + 1);
  for (const gauge of ["current_inqueue_requests", "current_inqueue_seats", "current_executing_seats"]) {
    expect(total(after, FLOWCONTROL + gauge, OF_QUIET), gauge).toBe(0);
  }
  const waited = { ...OF_QUIET, execute: "true" };
  expect(total(after, `${FLOWCONTROL}request_wait_duration_seconds_count`, waited)).toBe(before + seats + 1);
  const executed = { ...OF_QUIET, type: "regular" };
  expect(total(after, `${FLOWCONTROL}request_execution_seconds_count`, executed)).toBe(before + seats + 1);
  expect(typesOf(after).get(`${FLOWCONTROL}priority_level_seat_utilization`)).toBe("histogram");
  const ofLevel = (name: string, bound?: string): number =>
    total(after, FLOWCONTROL + name, { priority_level: "quiet", ...(bound !== undefined && { bound }) });
  expect(ofLevel("current_r")).toBeGreaterThanOrEqual(ofLevel("dispatch_r"));
  expect(ofLevel("dispatch_r")).toBeGreaterThan(0);
  // There is one queue.
  for (const bound of ["min", "max"]) expect(ofLevel("next_s_bounds", bound)).toBe(ofLevel("latest_s"));
  expect(ofLevel("next_discounted_s_bounds", "min")).toBeLessThanOrEqual(ofLevel("latest_s"));
});

test("FLT-5: audit events, levels and failures have metrics with kube-apiserver's names", async () => {
  await admin("GET", "/version?lost");
  const text = await scrape();
  expect(total(text, "apiserver_audit_event_total")).toBeGreaterThan(0);
  expect(total(text, "apiserver_audit_level_total", { level: "None" })).toBeGreaterThan(0);
  expect(total(text, "apiserver_audit_level_total", { level: "Metadata" })).toBeGreaterThan(0);
  expect(total(text, "apiserver_audit_error_total", { plugin: "function" })).toBe(1);
  expect(typesOf(text).get("apiserver_audit_requests_rejected_total")).toBe("counter");
});

test("A-ADM-06: ValidatingAdmissionPolicies have metrics with kube-apiserver's names", async () => {
  await scrape();
  const policies = [
    validatingPolicy({ validations: [{ expression: "!object.metadata.name.startsWith('bad')" }] }),
    validatingPolicy(
      { failurePolicy: "Ignore", validations: [{ expression: "object.data.missing == 'x'" }] },
      "lenient",
    ),
  ];
  const bindings = [
    bindingWith("validating", { validationActions: ["Deny", "Audit"] }),
    bindingWith("validating", { policyName: "lenient" }, "of-lenient"),
  ];
  await using _ = await enforce(cluster.transport(), "validating", policies, bindings);
  await admin("POST", "/api/v1/namespaces/default/configmaps", { metadata: { name: "good" } });
  expect((await admin("POST", "/api/v1/namespaces/default/configmaps", { metadata: { name: "bad" } })).status).toBe(
    422,
  );
  const text = await scrape();
  const checks = (labels: Record<string, string>): number =>
    total(text, "apiserver_validating_admission_policy_check_total", labels);
  const denied = { policy: "policy", policy_binding: "binding", error_type: "no_error" };
  expect(checks({ ...denied, enforcement_action: "deny" })).toBe(1);
  expect(checks({ ...denied, enforcement_action: "audit" })).toBe(1);
  const ignored = { policy: "lenient", error_type: "invalid_error", enforcement_action: "allow" };
  expect(checks(ignored)).toBe(2);
  expect(total(text, "apiserver_validating_admission_policy_check_duration_seconds_count", ignored)).toBe(2);
});

test("the CEL rules of definitions are timed by the place of the schema: compiled once, evaluated for each value", async () => {
  await scrape();
  const spec = {
    type: "object",
    properties: {
      size: { type: "integer", "x-kubernetes-validations": [{ rule: "self < 10" }, { rule: "self > 0" }] },
    },
    "x-kubernetes-validations": [{ rule: "has(self.size)" }],
  };
  const schema = { openAPIV3Schema: { type: "object", properties: { spec } } };
  const definition = {
    metadata: { name: "shelves.example.com" },
    spec: {
      group: "example.com",
      names: { plural: "shelves", kind: "Shelf" },
      scope: "Cluster",
      versions: [{ name: "v1", served: true, storage: true, schema }],
    },
  };
  await admin("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", definition);
  const create = (name: string, size: number) =>
    admin("POST", "/apis/example.com/v1/shelves", {
      apiVersion: "example.com/v1",
      kind: "Shelf",
      metadata: { name },
      spec: { size },
    });
  await eventually(async () => expect((await create("first", 1)).status).toBe(201));
  expect((await create("second", 12)).status).toBe(422);
  const text = await scrape();
  expect(total(text, "apiserver_cel_compilation_duration_seconds_count")).toBe(2);
  expect(total(text, "apiserver_cel_evaluation_duration_seconds_count")).toBe(4);
  expect(total(text, "apiserver_cel_evaluation_duration_seconds_bucket", { le: "+Inf" })).toBe(4);
});

test("a histogram of a share over time counts in nanoseconds", () => {
  const family = new MetricTable().family({ name: "share", type: "histogram", help: "h", buckets: [0, 0.5, 1] });
  const share = new ShareOverTime([0, 0.5, 1], 100);
  share.set(0.5, 110);
  share.set(2, 130);
  share.show(family, family.series(), 135);
  expect([...family.numbersOf(family.series())]).toEqual([10, 20, 0, 5, 20]);
});
