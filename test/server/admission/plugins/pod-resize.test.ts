import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Answer } from "../../../helpers/api-caller.js";
import { call } from "../../../helpers/api-caller.js";
import { create, expectAnswer, expectRefused, expectTaken, merge, PODS } from "../../../helpers/admission-rows.js";
import { admittingServer, type AdmittingServer } from "../../../helpers/admitting-server.js";

const STRATEGIC = "application/strategic-merge-patch+json";
const POD_LEVEL = "InPlacePodLevelResourcesVerticalScaling";
const LINUX = { "kubernetes.io/os": "linux" };

let server: AdmittingServer;

interface NodeFacts {
  readonly labels?: Readonly<Record<string, string>>;
  readonly allocatable?: Readonly<Record<string, string>>;
  readonly declaredFeatures?: readonly string[];
}

const AMPLE = { cpu: "4", memory: "1Gi" };
const NODES: Readonly<Record<string, NodeFacts>> = {
  linux: { labels: LINUX, allocatable: AMPLE, declaredFeatures: [POD_LEVEL] },
  old: { labels: LINUX, allocatable: AMPLE },
  windows: { labels: { "kubernetes.io/os": "windows" }, allocatable: AMPLE },
  unknown: { allocatable: AMPLE },
  empty: { labels: LINUX },
};

beforeAll(async () => {
  server = await admittingServer({});
  for (const [name, { labels = {}, ...status }] of Object.entries(NODES)) {
    await expectTaken(create(server.api, "/api/v1/nodes", { metadata: { name, labels } }));
    await expectTaken(merge(server.api, `/api/v1/nodes/${name}/status`, { status }));
  }
});
afterAll(() => server[Symbol.asyncDispose]());

const requests = (cpu: string, memory: string): object => ({ requests: { cpu, memory } });
const container = (name: string, cpu: string, memory: string, more: object = {}): object => ({
  name,
  image: "i",
  resources: requests(cpu, memory),
  ...more,
});

let count = 0;

/** Creates a pod and resizes it. */
async function resized(spec: object, patch: object): Promise<Answer> {
  const name = `p${count++}`;
  await expectTaken(create(server.api, PODS, { metadata: { name }, spec }));
  return call(server.api, "PATCH", `${PODS}/${name}/resize`, { spec: patch }, { type: STRATEGIC });
}

const on = (nodeName: string, more: object = {}): object => ({
  nodeName,
  containers: [container("c", "1", "128Mi")],
  ...more,
});
const to = (cpu: string, memory = "128Mi"): object => ({
  containers: [{ name: "c", resources: requests(cpu, memory) }],
});
const refusal = (message: string): string => `pods "p${count}" is forbidden: ${message}`;

describe("the resize of a pod is accepted", () => {
  const rows: readonly (readonly [title: string, spec: object, patch: object])[] = [
    ["within what its node has", on("linux"), to("2")],
    ["to all that its node has", on("linux"), to("4", "1Gi")],
    ["to less", on("linux"), to("500m", "64Mi")],
    ["before it has a node, to any size", { containers: [container("c", "1", "128Mi")] }, to("400")],
    ["to what it has, on whatever node", on("windows"), to("1")],
    ["on a node that does not exist, to what it has", on("gone"), to("1")],
    ["on an old node, by its containers", on("old"), to("2")],
    [
      "as a whole on a node that declares it",
      on("linux", { resources: requests("2", "256Mi") }),
      { resources: requests("3", "256Mi") },
    ],
    [
      "as a whole to what it has, on an old node",
      on("old", { resources: requests("2", "256Mi") }),
      { resources: requests("2", "256Mi") },
    ],
    [
      "as a whole before it has a node",
      { containers: [container("c", "1", "128Mi")], resources: requests("2", "256Mi") },
      { resources: requests("3", "256Mi") },
    ],
  ];
  test.each(rows)("%s", async (_, spec, patch) => {
    await expectTaken(resized(spec, patch));
  });
});

describe("the resize of a pod is refused", () => {
  const lacks = (what: string): string => `Node didn't have enough allocatable resources: ${what}`;
  const rows: readonly (readonly [title: string, spec: object, patch: object, message: string])[] = [
    ["for more CPU than the node has", on("linux"), to("4001m"), lacks("cpu, requested: 4001, allocatable: 4000")],
    [
      "for more memory than the node has",
      on("linux"),
      to("1", "1025Mi"),
      lacks("memory, requested: 1074790400, allocatable: 1073741824"),
    ],
    [
      "for too much of both",
      on("linux"),
      to("5", "2Gi"),
      lacks("cpu, requested: 5000, allocatable: 4000; memory, requested: 2147483648, allocatable: 1073741824"),
    ],
    [
      "for too much together with the other containers",
      on("linux", { containers: [container("c", "1", "128Mi"), container("d", "2", "128Mi")] }),
      to("3"),
      lacks("cpu, requested: 5000, allocatable: 4000"),
    ],
    [
      "for too much together with a sidecar",
      on("linux", { initContainers: [container("s", "2", "128Mi", { restartPolicy: "Always" })] }),
      to("3"),
      lacks("cpu, requested: 5000, allocatable: 4000"),
    ],
    [
      "on a node that has nothing",
      on("empty"),
      to("1500m"),
      lacks("cpu, requested: 1500, allocatable: 0; memory, requested: 134217728, allocatable: 0"),
    ],
    [
      "on a node of Windows",
      on("windows"),
      to("2"),
      'pod resize is only supported on linux nodes, node "windows" is "windows"',
    ],
    [
      "on a node that does not say its system",
      on("unknown"),
      to("2"),
      'pod resize is only supported on linux nodes, node "unknown" is ""',
    ],
    ["for too much, whatever the system is", on("windows"), to("5"), lacks("cpu, requested: 5000, allocatable: 4000")],
    ["on a node that does not exist", on("gone"), to("2"), 'node "gone" not found'],
    [
      "of the pod as a whole on a node that does not declare it",
      on("old", { resources: requests("2", "256Mi") }),
      { resources: requests("3", "256Mi") },
      `pod update requires features ${POD_LEVEL} which are not available on node "old"`,
    ],
    [
      "of the pod as a whole on a node that does not exist",
      on("gone", { resources: requests("2", "256Mi") }),
      { resources: requests("3", "256Mi") },
      'node "gone" not found',
    ],
    [
      "of the pod as a whole beyond what the node has",
      on("linux", { resources: requests("2", "256Mi") }),
      { resources: requests("5", "256Mi") },
      lacks("cpu, requested: 5000, allocatable: 4000"),
    ],
  ];
  test.each(rows)("%s", async (_, spec, patch, message) => {
    const expected = refusal(message);
    await expectRefused(resized(spec, patch), expected);
  });
});

test("an update other than a resize is accepted for a pod on a missing node", async () => {
  await expectTaken(create(server.api, PODS, { metadata: { name: "other" }, spec: on("gone") }));
  await expectAnswer(merge(server.api, `${PODS}/other`, { metadata: { labels: { a: "b" } } }), "");
  await expectAnswer(merge(server.api, `${PODS}/other`, { spec: { activeDeadlineSeconds: 30 } }), "");
});

test("each admission plugin for resizes can be disabled", async () => {
  await using lax = await admittingServer({ disable: ["PodResizeValidator", "NodeDeclaredFeatureValidator"] });
  await expectTaken(create(lax.api, PODS, { metadata: { name: "p" }, spec: on("gone") }));
  const answer = await call(lax.api, "PATCH", `${PODS}/p/resize`, { spec: to("400") }, { type: STRATEGIC });
  expect(answer.status, answer.text).toBe(200);
});
