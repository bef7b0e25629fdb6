import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { admittingServer, type AdmittingServer, done } from "../../../helpers/admitting-server.js";
import { call } from "../../../helpers/api-caller.js";

let server: AdmittingServer;
let count = 0;
let namespace: string;

beforeAll(async () => {
  server = await admittingServer({});
});

afterAll(() => server[Symbol.asyncDispose]());

beforeEach(async () => {
  namespace = `space-${++count}`;
  await done(server.api, "POST", "/api/v1/namespaces", { metadata: { name: namespace } });
  await done(server.api, "POST", at("serviceaccounts"), { metadata: { name: "default" } });
});

const at = (path: string): string => `/api/v1/namespaces/${namespace}/${path}`;
const range = (limits: readonly object[], name = "range"): Promise<unknown> =>
  done(server.api, "POST", at("limitranges"), { metadata: { name }, spec: { limits } });

const container = (requests?: object, limits?: object, name = "a"): object => ({
  name,
  image: "i",
  resources: { requests, limits },
});
const pod = (spec: object = {}): object => ({ metadata: { name: "x" }, spec: { containers: [container()], ...spec } });
const asking = (requests?: object, limits?: object): object => pod({ containers: [container(requests, limits)] });
const claim = (storage: string): object => ({
  metadata: { name: "x" },
  spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage } } },
});
const sidecar = (requests: object, limits?: object): object => ({
  ...container(requests, limits, "s"),
  restartPolicy: "Always",
});
const containers = (limit: object): object => ({ type: "Container", ...limit });
const pods = (limit: object): object => ({ type: "Pod", ...limit });

type Row = readonly [name: string, limit: object, bad: object, message: string, good: object];
const perContainer: readonly Row[] = [
  [
    "a request below the minimum",
    containers({ min: { cpu: "100m" } }),
    asking({ cpu: "99m" }),
    "minimum cpu usage per Container is 100m, but request is 99m",
    asking({ cpu: "100m" }),
  ],
  [
    "a limit below the minimum of something without a request",
    containers({ min: { memory: "2Mi" } }),
    asking({}, { memory: "1Mi" }),
    "minimum memory usage per Container is 2Mi, but request is 1Mi",
    asking({}, { memory: "2Mi" }),
  ],
  [
    "a limit above the maximum",
    containers({ max: { cpu: "1" } }),
    asking({ cpu: "1" }, { cpu: "1001m" }),
    "maximum cpu usage per Container is 1, but limit is 1001m",
    asking({ cpu: "1" }, { cpu: "1" }),
  ],
  [
    "a maximum of ephemeral storage",
    containers({ max: { "ephemeral-storage": "1Gi" } }),
    asking({}, { "ephemeral-storage": "2Gi" }),
    "maximum ephemeral-storage usage per Container is 1Gi, but limit is 2Gi",
    asking({}, { "ephemeral-storage": "1Gi" }),
  ],
  [
    "a maximum of an extended resource",
    containers({ max: { "example.com/gpu": "1" } }),
    asking({ "example.com/gpu": "2" }, { "example.com/gpu": "2" }),
    "maximum example.com/gpu usage per Container is 1, but limit is 2",
    asking({ "example.com/gpu": "1" }, { "example.com/gpu": "1" }),
  ],
  [
    "a limit that is too many times the request",
    containers({ maxLimitRequestRatio: { cpu: "2" } }),
    asking({ cpu: "100m" }, { cpu: "250m" }),
    "cpu max limit to request ratio per Container is 2, but provided ratio is 2.500000",
    asking({ cpu: "100m" }, { cpu: "200m" }),
  ],
  [
    "a ratio that is no decimal",
    containers({ maxLimitRequestRatio: { cpu: "1" } }),
    asking({ cpu: "300m" }, { cpu: "400m" }),
    "cpu max limit to request ratio per Container is 1, but provided ratio is 1.333333",
    asking({ cpu: "400m" }, { cpu: "400m" }),
  ],
  [
    "a ratio whose seventh digit is a half",
    containers({ maxLimitRequestRatio: { memory: "1" } }),
    asking({ memory: "128" }, { memory: "129" }),
    "memory max limit to request ratio per Container is 1, but provided ratio is 1.007812",
    asking({ memory: "128" }, { memory: "128" }),
  ],
  [
    "a ratio that is a fraction",
    containers({ maxLimitRequestRatio: { memory: "1500m" } }),
    asking({ memory: "1Gi" }, { memory: "2Gi" }),
    "memory max limit to request ratio per Container is 1500m, but provided ratio is 2.000000",
    asking({ memory: "1Gi" }, { memory: "1536Mi" }),
  ],
  [
    "no limit where the ratio is bounded",
    containers({ maxLimitRequestRatio: { cpu: "2" } }),
    asking({ cpu: "1" }),
    "cpu max limit to request ratio per Container is 2, but no limit is specified or limit is 0",
    asking({ cpu: "1" }, { cpu: "2" }),
  ],
  [
    "no request where the ratio is bounded",
    containers({ maxLimitRequestRatio: { cpu: "2" } }),
    asking({ cpu: "0" }, { cpu: "1" }),
    "cpu max limit to request ratio per Container is 2, but no request is specified or request is 0",
    asking({ cpu: "500m" }, { cpu: "1" }),
  ],
  [
    "several problems, by bound and then by name",
    containers({ min: { cpu: "100m", memory: "1Mi" }, max: { cpu: "1", memory: "1Gi" } }),
    asking({ cpu: "50m", memory: "2Gi" }, { cpu: "2", memory: "2Gi" }),
    "[minimum cpu usage per Container is 100m, but request is 50m, maximum cpu usage per Container is 1, but limit is 2, maximum memory usage per Container is 1Gi, but limit is 2Gi]",
    asking({ cpu: "100m", memory: "1Mi" }, { cpu: "1", memory: "1Gi" }),
  ],
  [
    "a problem of two containers once",
    containers({ min: { cpu: "100m" } }),
    pod({ containers: [container({ cpu: "1m" }), container({ cpu: "1m" }, {}, "b")] }),
    "minimum cpu usage per Container is 100m, but request is 1m",
    pod({ containers: [container({ cpu: "1" }), container({ cpu: "1" }, {}, "b")] }),
  ],
  [
    "an init container out of bounds",
    containers({ min: { cpu: "100m" } }),
    pod({ containers: [container({ cpu: "1" })], initContainers: [container({ cpu: "2m" }, {}, "b")] }),
    "minimum cpu usage per Container is 100m, but request is 2m",
    pod({ containers: [container({ cpu: "1" })], initContainers: [container({ cpu: "1" }, {}, "b")] }),
  ],
  [
    "a sidecar out of bounds",
    containers({ max: { memory: "1Gi" } }),
    pod({ containers: [container({}, { memory: "1Mi" })], initContainers: [sidecar({}, { memory: "2Gi" })] }),
    "maximum memory usage per Container is 1Gi, but limit is 2Gi",
    pod({ containers: [container({}, { memory: "1Mi" })], initContainers: [sidecar({}, { memory: "1Gi" })] }),
  ],
  [
    "a difference of a thousandth",
    containers({ min: { memory: "1500m" } }),
    asking({ memory: "1" }),
    "minimum memory usage per Container is 1500m, but request is 1",
    asking({ memory: "2" }),
  ],
  [
    "amounts as they were written",
    containers({ min: { memory: "1024Mi" } }),
    asking({ memory: "0.5Gi" }),
    "minimum memory usage per Container is 1Gi, but request is 512Mi",
    asking({ memory: "1e10" }),
  ],
];

const perPod: readonly Row[] = [
  [
    "a sum below the minimum",
    pods({ min: { cpu: "1" } }),
    pod({ containers: [container({ cpu: "400m" }), container({ cpu: "500m" }, {}, "b")] }),
    "minimum cpu usage per Pod is 1, but request is 900m",
    pod({ containers: [container({ cpu: "500m" }), container({ cpu: "500m" }, {}, "b")] }),
  ],
  [
    "no request at all",
    pods({ min: { cpu: "1" } }),
    asking(),
    "minimum cpu usage per Pod is 1.  No request is specified",
    asking({ cpu: "1" }),
  ],
  [
    "a sum above the maximum",
    pods({ max: { memory: "1Gi" } }),
    pod({ containers: [container({}, { memory: "512Mi" }), container({}, { memory: "768Mi" }, "b")] }),
    "maximum memory usage per Pod is 1Gi, but limit is 1280Mi",
    pod({ containers: [container({}, { memory: "512Mi" }), container({}, { memory: "512Mi" }, "b")] }),
  ],
  [
    "no limit at all",
    pods({ max: { memory: "1Gi" } }),
    asking({ memory: "1Mi" }),
    "maximum memory usage per Pod is 1Gi.  No limit is specified",
    asking({ memory: "1Mi" }, { memory: "1Mi" }),
  ],
  [
    "an init container that is larger than all containers",
    pods({ max: { cpu: "1" } }),
    pod({ containers: [container({}, { cpu: "1" })], initContainers: [container({}, { cpu: "2" }, "b")] }),
    "maximum cpu usage per Pod is 1, but limit is 2",
    pod({ containers: [container({}, { cpu: "1" })], initContainers: [container({}, { cpu: "1" }, "b")] }),
  ],
  [
    "a sidecar beside the containers",
    pods({ max: { cpu: "1" } }),
    pod({ containers: [container({}, { cpu: "1" })], initContainers: [sidecar({}, { cpu: "1m" })] }),
    "maximum cpu usage per Pod is 1, but limit is 1001m",
    pod({ containers: [container({}, { cpu: "500m" })], initContainers: [sidecar({}, { cpu: "500m" })] }),
  ],
  [
    "an init container beside the sidecars before it",
    pods({ max: { cpu: "2" } }),
    pod({
      containers: [container({}, { cpu: "1" })],
      initContainers: [sidecar({}, { cpu: "1" }), container({}, { cpu: "1500m" }, "b")],
    }),
    "maximum cpu usage per Pod is 2, but limit is 2500m",
    pod({
      containers: [container({}, { cpu: "1" })],
      initContainers: [sidecar({}, { cpu: "1" }), container({}, { cpu: "1" }, "b")],
    }),
  ],
  [
    "what the pod says as a whole",
    pods({ max: { cpu: "2" } }),
    pod({ resources: { requests: { cpu: "1" }, limits: { cpu: "3" } } }),
    "maximum cpu usage per Pod is 2, but limit is 3",
    pod({ resources: { requests: { cpu: "1" }, limits: { cpu: "2" } } }),
  ],
  [
    "a ratio of the sums",
    pods({ maxLimitRequestRatio: { cpu: "2" } }),
    pod({ containers: [container({ cpu: "1" }, { cpu: "4" }), container({ cpu: "1" }, { cpu: "1" }, "b")] }),
    "cpu max limit to request ratio per Pod is 2, but provided ratio is 2.500000",
    pod({ containers: [container({ cpu: "1" }, { cpu: "3" }), container({ cpu: "1" }, { cpu: "1" }, "b")] }),
  ],
];

describe("LimitRanger refuses a container with", () => {
  test.each(perContainer)("%s", async (_, limit, bad, message, good) => {
    await range([limit]);
    await refusedAndTaken("pods", bad, message, good);
  });
});

describe("LimitRanger refuses a pod with", () => {
  test.each(perPod)("%s", async (_, limit, bad, message, good) => {
    await range([limit]);
    await refusedAndTaken("pods", bad, message, good);
  });
});

describe("LimitRanger refuses a claim with", () => {
  const rows: readonly Row[] = [
    [
      "less than the minimum",
      { min: { storage: "2Gi" } },
      claim("1Gi"),
      "minimum storage usage per PersistentVolumeClaim is 2Gi, but request is 1Gi",
      claim("2Gi"),
    ],
    [
      "more than the maximum",
      { max: { storage: "2Gi" } },
      claim("3Gi"),
      "maximum storage usage per PersistentVolumeClaim is 2Gi, but request is 3Gi",
      claim("2Gi"),
    ],
    [
      "both bounds missed by a byte",
      { min: { storage: "1Gi" }, max: { storage: "1Gi" } },
      claim("1073741825"),
      "maximum storage usage per PersistentVolumeClaim is 1Gi, but request is 1073741825",
      claim("1Gi"),
    ],
  ];
  test.each(rows)("%s", async (_, limit, bad, message, good) => {
    await range([{ type: "PersistentVolumeClaim", ...limit }]);
    await refusedAndTaken("persistentvolumeclaims", bad, message, good);
  });

  test("more than the maximum when it grows", async () => {
    await range([{ type: "PersistentVolumeClaim", max: { storage: "2Gi" } }]);
    await done(server.api, "POST", at("persistentvolumeclaims"), claim("1Gi"));
    const type = "application/merge-patch+json";
    const labels = { metadata: { labels: { a: "b" } } };
    await done(server.api, "PATCH", at("persistentvolumeclaims/x"), labels, type);
    await done(server.api, "DELETE", at("limitranges/range"));
    await range([{ type: "PersistentVolumeClaim", max: { storage: "512Mi" } }]);
    const refusal = await call(server.api, "PATCH", at("persistentvolumeclaims/x"), labels, { type });
    expect([refusal.status, refusal.at("message")]).toEqual([
      403,
      'persistentvolumeclaims "x" is forbidden: maximum storage usage per PersistentVolumeClaim is 512Mi, but request is 1Gi',
    ]);
  });
});

async function refusedAndTaken(resource: string, bad: object, message: string, good: object): Promise<void> {
  const refusal = await call(server.api, "POST", at(resource), bad);
  expect([refusal.status, refusal.at("reason"), refusal.at("message")]).toEqual([
    403,
    "Forbidden",
    `${resource} "x" is forbidden: ${message}`,
  ]);
  await done(server.api, "POST", at(resource), good);
}

describe("defaults of a LimitRange", () => {
  const defaults = {
    type: "Container",
    default: { cpu: "1", memory: "1Gi" },
    defaultRequest: { cpu: "100m", memory: "128Mi" },
  };
  const NOTE = "metadata.annotations";

  test("are given to containers without limits, and recorded in an annotation", async () => {
    await range([defaults]);
    const made = await done(server.api, "POST", at("pods"), pod());
    expect(made.at("spec.containers.0.resources")).toEqual({
      limits: { cpu: "1", memory: "1Gi" },
      requests: { cpu: "100m", memory: "128Mi" },
    });
    expect(made.at(NOTE)).toEqual({
      "kubernetes.io/limit-ranger":
        "LimitRanger plugin set: cpu, memory request for container a; cpu, memory limit for container a",
    });
  });

  test("do not replace a container's own values", async () => {
    await range([defaults]);
    const made = await done(server.api, "POST", at("pods"), asking({ cpu: "200m" }, { memory: "2Gi" }));
    expect(made.at("spec.containers.0.resources")).toEqual({
      limits: { cpu: "1", memory: "2Gi" },
      // The API's own defaults come first: a request without a value is the limit.
      requests: { cpu: "200m", memory: "2Gi" },
    });
    expect(made.at(NOTE)).toEqual({
      "kubernetes.io/limit-ranger": "LimitRanger plugin set: cpu limit for container a",
    });
  });

  test("are given to init containers and sidecars too", async () => {
    await range([{ type: "Container", defaultRequest: { memory: "1Mi" } }]);
    const made = await done(
      server.api,
      "POST",
      at("pods"),
      pod({ containers: [container({ memory: "2Mi" })], initContainers: [container({}, {}, "b"), sidecar({})] }),
    );
    expect(made.at("spec.initContainers.0.resources")).toEqual({ requests: { memory: "1Mi" } });
    expect(made.at("spec.initContainers.1.resources")).toEqual({ requests: { memory: "1Mi" } });
    expect(made.at(NOTE)).toEqual({
      "kubernetes.io/limit-ranger":
        "LimitRanger plugin set: memory request for init container b; memory request for init container s",
    });
  });

  test("come from the bounds when the range has no other defaults", async () => {
    await range([{ type: "Container", min: { cpu: "50m" }, max: { memory: "1Gi" } }]);
    const made = await done(server.api, "POST", at("pods"), pod());
    expect(made.at("spec.containers.0.resources")).toEqual({
      limits: { memory: "1Gi" },
      requests: { cpu: "50m", memory: "1Gi" },
    });
  });

  test("are those of the first range by name, completed by later ones", async () => {
    await range([{ type: "Container", defaultRequest: { cpu: "1" } }], "a");
    await range([{ type: "Container", defaultRequest: { cpu: "2", memory: "1Mi" } }], "b");
    const made = await done(server.api, "POST", at("pods"), pod());
    expect(made.at("spec.containers.0.resources.requests")).toEqual({ cpu: "1", memory: "1Mi" });
    expect(made.at(NOTE)).toEqual({
      "kubernetes.io/limit-ranger": "LimitRanger plugin set: memory request for container a",
    });
  });

  test("do not change a pod that needs none", async () => {
    await range([{ type: "Pod", max: { cpu: "9" } }]);
    const made = await done(server.api, "POST", at("pods"), asking({ cpu: "1" }, { cpu: "1" }));
    expect(made.at(NOTE)).toBeUndefined();
  });
});

describe("LimitRanger, for an existing pod,", () => {
  const MERGE = "application/merge-patch+json";
  const STRATEGIC = "application/strategic-merge-patch+json";
  const to = (cpu: string): object => ({
    spec: { containers: [{ name: "a", resources: { requests: { cpu }, limits: { cpu } } }] },
  });

  test("accepts any update but a resize", async () => {
    await done(server.api, "POST", at("pods"), asking({ cpu: "1" }, { cpu: "1" }));
    await range([{ type: "Container", max: { cpu: "500m" } }]);
    await done(server.api, "PATCH", at("pods/x"), { metadata: { labels: { a: "b" } } }, MERGE);
    await done(server.api, "PATCH", at("pods/x/status"), { status: { phase: "Running" } }, MERGE);
    const refusal = await call(server.api, "PATCH", at("pods/x/resize"), to("600m"), { type: STRATEGIC });
    expect([refusal.status, refusal.at("message")]).toEqual([
      403,
      'pods "x" is forbidden: maximum cpu usage per Container is 500m, but limit is 600m',
    ]);
    await done(server.api, "PATCH", at("pods/x/resize"), to("500m"), STRATEGIC);
  });

  test("ignores one that is being deleted", async () => {
    const body = { ...asking({ cpu: "1" }, { cpu: "1" }), metadata: { name: "x", finalizers: ["example.com/hold"] } };
    await done(server.api, "POST", at("pods"), body);
    await done(server.api, "DELETE", at("pods/x"));
    await range([{ type: "Container", max: { cpu: "500m" } }]);
    const answer = await call(server.api, "PATCH", at("pods/x/resize"), to("600m"), { type: STRATEGIC });
    expect(answer.text).not.toContain("maximum cpu usage");
  });
});

describe("a LimitRange", () => {
  test("limits only its own namespace", async () => {
    await range([{ type: "Pod", max: { cpu: "1m" } }]);
    namespace = "default";
    await done(server.api, "POST", at("pods?dryRun=All"), pod());
  });

  test("is enforced in a dry run too", async () => {
    await range([{ type: "Pod", min: { cpu: "1" } }]);
    const refusal = await call(server.api, "POST", at("pods?dryRun=All"), {
      ...pod(),
      metadata: { generateName: "w-" },
    });
    expect(refusal.at("message")).toMatch(
      /^pods "w-.*" is forbidden: minimum cpu usage per Pod is 1. {2}No request is specified$/,
    );
  });

  test("is checked with others by name, and the first broken one refuses", async () => {
    await range([{ type: "Pod", max: { cpu: "1" } }], "b");
    await range([{ type: "Pod", max: { cpu: "2" } }], "a");
    const refusal = await call(server.api, "POST", at("pods"), asking({}, { cpu: "3" }));
    expect(refusal.at("message")).toBe('pods "x" is forbidden: maximum cpu usage per Pod is 2, but limit is 3');
  });

  test("that was deleted limits nothing", async () => {
    await range([{ type: "Pod", max: { cpu: "1m" } }]);
    await done(server.api, "DELETE", at("limitranges/range"));
    await done(server.api, "POST", at("pods"), pod());
  });

  test("does not apply to pod templates", async () => {
    await range([{ type: "Container", default: { cpu: "1" } }]);
    const template = { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "c", image: "i" }] } };
    const body = { metadata: { name: "x" }, spec: { selector: { matchLabels: { a: "b" } }, template } };
    const made = await done(server.api, "POST", `/apis/apps/v1/namespaces/${namespace}/deployments`, body);
    expect(made.at("spec.template.spec.containers.0.resources")).toEqual({});
  });
});
