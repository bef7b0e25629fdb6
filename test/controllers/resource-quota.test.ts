import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { countedResources, NO_DEVICES, objectUsage, quotaStatus } from "../../src/api/quota/index.js";
import type { Container, Pod, ResourceQuota } from "../../src/api/types/core/v1.js";
import { resourceQuotaController } from "../../src/controllers/resource-quota/resource-quota-controller.js";
import { formatQuantity, parseQuantity, type Quantity } from "../../src/machinery/text/quantity/quantity.js";
import { object } from "../../src/machinery/meta/access.js";
import { call } from "../helpers/api-caller.js";
import { eventually } from "../helpers/eventually.js";
import { type ManualControllers, manualControllers } from "../helpers/manual-controllers.js";

const NOW = Date.UTC(2026, 0, 1);

test.each([
  ["pods", "pods"],
  ["cpu", "pods"],
  ["requests.memory", "pods"],
  ["limits.ephemeral-storage", "pods"],
  ["requests.hugepages-2Mi", "pods"],
  ["requests.nvidia.com/gpu", "pods"],
  ["requests.deviceclass.resource.kubernetes.io/gpu", "pods"],
  ["count/pods", "pods"],
  ["services.nodeports", "services"],
  ["requests.storage", "persistentvolumeclaims"],
  ["gold.storageclass.storage.k8s.io/requests.storage", "persistentvolumeclaims"],
  ["secrets", "secrets"],
  ["count/deployments.apps", "deployments.apps"],
  ["gpu.deviceclass.resource.k8s.io/devices", "resourceclaims.resource.k8s.io"],
  ["count/resourceclaims.resource.k8s.io", "resourceclaims.resource.k8s.io"],
  ["nvidia.com/gpu", undefined],
  ["deployments", undefined],
])("the quota name %s counts the resource %s", (name, resource) => {
  expect(countedResources(name)).toEqual(resource === undefined ? [] : [resource]);
});

const container = (requests: Record<string, string>, limits: Record<string, string> = {}): Container =>
  ({ name: "c", image: "i", resources: { requests, limits } }) as Container;
const pod = (spec: object, rest: object = {}): Pod => ({
  metadata: { name: "p", namespace: "default" },
  spec: { containers: [], ...spec },
  ...rest,
});
const usage = (resource: string, one: object): Record<string, string> =>
  Object.fromEntries([...objectUsage(resource, one, NOW)].map(([name, amount]) => [name, formatQuantity(amount)]));

describe("the CPU that a quota counts for a pod", () => {
  const sidecar = { ...container({ cpu: "100m" }), restartPolicy: "Always" };
  test.each([
    ["containers together", pod({ containers: [container({ cpu: "1" }), container({ cpu: "500m" })] }), "1500m"],
    [
      "an init container that takes more",
      pod({ containers: [container({ cpu: "1" })], initContainers: [container({ cpu: "2" })] }),
      "2",
    ],
    [
      "init containers after one another",
      pod({ initContainers: [container({ cpu: "2" }), container({ cpu: "2" })] }),
      "2",
    ],
    ["sidecars beside containers", pod({ containers: [container({ cpu: "1" })], initContainers: [sidecar] }), "1100m"],
    ["an init container beside a sidecar", pod({ initContainers: [sidecar, container({ cpu: "1" })] }), "1100m"],
    ["overhead", pod({ containers: [container({ cpu: "1" })], overhead: { cpu: "250m" } }), "1250m"],
    ["the pod as a whole", pod({ containers: [container({ cpu: "1" })], resources: { requests: { cpu: "3" } } }), "3"],
    ["nothing", pod({ containers: [container({})] }), undefined],
    [
      "a pod that has ended",
      pod({ containers: [container({ cpu: "1" })] }, { status: { phase: "Succeeded" } }),
      undefined,
    ],
    ["a pod that failed", pod({ containers: [container({ cpu: "1" })] }, { status: { phase: "Failed" } }), undefined],
  ])("with %s", (_, one, cpu) => {
    expect(usage("pods", one)["requests.cpu"]).toBe(cpu);
    expect(usage("pods", one)["cpu"]).toBe(cpu);
  });

  test.each([
    [-31, undefined],
    [-30, "1"],
    [0, "1"],
  ])("deleted %i s ago with 30 s of grace, is %s", (seconds, pods) => {
    const deletionTimestamp = new Date(NOW + seconds * 1000).toISOString();
    const one = { ...pod({}), metadata: { name: "p", deletionTimestamp, deletionGracePeriodSeconds: 30 } };
    expect(usage("pods", one)["pods"]).toBe(pods);
    expect(usage("pods", one)["count/pods"]).toBe("1");
  });

  const resizing = (rest: object): Pod => {
    const containerStatuses = [{ name: "c", resources: { requests: { cpu: "2" } }, allocatedResources: { cpu: "3" } }];
    return pod({ containers: [container({ cpu: "1" })] }, { status: { containerStatuses, ...rest } });
  };
  const infeasible = [{ type: "PodResizePending", status: "True", reason: "Infeasible" }];
  const more = { ...resizing({ conditions: infeasible }), spec: { containers: [container({ cpu: "9" })] } };
  test.each([
    ["what it has while it is to get less", resizing({}), "3"],
    ["what it is to get while it has less", { ...resizing({}), spec: { containers: [container({ cpu: "9" })] } }, "9"],
    ["what it has where it can never get more", more, "3"],
  ])("during a resize: %s", (_, one, cpu) => {
    expect(usage("pods", one)["requests.cpu"]).toBe(cpu);
  });

  test("includes overhead on top of a limit, but not as a limit of its own", () => {
    const overhead = { cpu: "1", memory: "1Mi" };
    const limited = pod({ containers: [container({}, { cpu: "1", memory: "0" })], overhead });
    expect(usage("pods", limited)).toMatchObject({ "limits.cpu": "2", "limits.memory": "0" });
  });

  test("and its limits and extended resources have their own names in a quota", () => {
    const one = pod({ containers: [container({ "nvidia.com/gpu": "2", "hugepages-2Mi": "4Mi" }, { memory: "1Gi" })] });
    expect(usage("pods", one)).toEqual({
      "count/pods": "1",
      pods: "1",
      "requests.nvidia.com/gpu": "2",
      "hugepages-2Mi": "4Mi",
      "requests.hugepages-2Mi": "4Mi",
      "limits.memory": "1Gi",
    });
  });
});

test.each([
  ["ClusterIP", {}, "0", "0"],
  ["NodePort", {}, "0", "2"],
  ["LoadBalancer", {}, "1", "2"],
  ["LoadBalancer", { allocateLoadBalancerNodePorts: false }, "1", "1"],
])(
  "a quota counts for a service of type %s %j %s load balancers and %s node ports",
  (type, rest, balancers, nodePorts) => {
    const used = usage("services", { spec: { type, ports: [{ port: 1, nodePort: 30000 }, { port: 2 }], ...rest } });
    expect([used["services.loadbalancers"], used["services.nodeports"], used["services"]]).toEqual([
      balancers,
      nodePorts,
      "1",
    ]);
  },
);

test.each([
  ["100m", "1"],
  ["1.5", "2"],
  ["1.5Gi", "1536Mi"],
  ["2Ki", "2Ki"],
])("a quota rounds a claim of %s up to whole bytes: %s", (storage, used) => {
  const spec = { resources: { requests: { storage } } };
  expect(usage("persistentvolumeclaims", { spec })["requests.storage"]).toBe(used);
});

test("a quota counts most resources only as count/NAME, and a few by their bare name too", () => {
  expect(usage("secrets", {})).toEqual({ secrets: "1", "count/secrets": "1" });
  expect(usage("deployments.apps", {})).toEqual({ "count/deployments.apps": "1" });
});

test.each([
  [{}, {}, "5Gi"],
  [{}, { allocatedResources: { storage: "8Gi" } }, "8Gi"],
  [{}, { allocatedResources: { storage: "2Gi" } }, "5Gi"],
  [{ storageClassName: "gold" }, {}, "5Gi"],
])("a quota counts a claim with %j %j as %s", (spec, status, storage) => {
  const used = usage("persistentvolumeclaims", {
    spec: { resources: { requests: { storage: "5Gi" } }, ...spec },
    status,
  });
  expect(used["requests.storage"]).toBe(storage);
  expect(used["gold.storageclass.storage.k8s.io/requests.storage"]).toBe(
    "storageClassName" in spec ? storage : undefined,
  );
});

describe("the scopes of a quota", () => {
  const plain = pod({ containers: [container({})] });
  const asking = pod({ containers: [container({ cpu: "1" })], activeDeadlineSeconds: 5, priorityClassName: "high" });
  const term = { topologyKey: "zone", namespaceSelector: {} };
  const across = pod({ affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } } });
  const counted = (spec: object): string | number | undefined => {
    const quota = { spec: { hard: { pods: "9" }, ...spec } } as ResourceQuota;
    return quotaStatus(quota, () => [plain, asking, across], NOW)?.used?.["pods"];
  };
  test.each([
    ["Terminating", "1"],
    ["NotTerminating", "2"],
    ["BestEffort", "2"],
    ["NotBestEffort", "1"],
    ["PriorityClass", "1"],
    ["CrossNamespacePodAffinity", "1"],
    ["VolumeAttributesClass", "0"],
  ])("match a pod: %s", (scope, used) => {
    expect(counted({ scopes: [scope] })).toBe(used);
  });

  test.each([
    ["In", ["high"], "1"],
    ["In", ["low"], "0"],
    ["NotIn", ["high"], "2"],
    ["Exists", undefined, "1"],
    ["DoesNotExist", undefined, "2"],
  ])("match a priority class %s %j", (operator, values, used) => {
    expect(counted({ scopeSelector: { matchExpressions: [{ scopeName: "PriorityClass", operator, values }] } })).toBe(
      used,
    );
  });

  test("must all match a pod", () => {
    expect(counted({ scopes: ["BestEffort", "NotTerminating"] })).toBe("2");
    expect(counted({ scopes: ["BestEffort", "Terminating"] })).toBe("0");
  });

  test("match only pods and claims", () => {
    const quota = { spec: { hard: { secrets: "9" }, scopes: ["BestEffort"] } } as ResourceQuota;
    expect(quotaStatus(quota, () => [{}], NOW)?.used).toEqual({ secrets: "0" });
  });

  const none = {};
  const slow = { spec: { volumeAttributesClassName: "slow" } };
  const changing = {
    spec: { volumeAttributesClassName: "slow" },
    status: {
      currentVolumeAttributesClassName: "fast",
      modifyVolumeStatus: { targetVolumeAttributesClassName: "new" },
    },
  };
  test.each([
    ["Exists", undefined, "2"],
    ["DoesNotExist", undefined, "1"],
    ["In", ["slow"], "2"],
    ["In", ["fast"], "1"],
    ["In", ["new"], "1"],
    ["In", ["other"], "0"],
    ["NotIn", ["slow"], "2"],
    ["NotIn", ["slow", "fast", "new"], "1"],
  ])("match a claim's VolumeAttributesClass %s %j", (operator, values, used) => {
    const matchExpressions = [{ scopeName: "VolumeAttributesClass", operator, values }];
    const spec = { hard: { persistentvolumeclaims: "9" }, scopeSelector: { matchExpressions } };
    const status = quotaStatus({ spec } as ResourceQuota, () => [none, slow, changing], NOW);
    expect(status?.used).toEqual({ persistentvolumeclaims: used });
  });
});

describe("the status of a quota when it", () => {
  const quota = (used?: Record<string, string>): ResourceQuota => ({
    spec: { hard: { pods: "4", "odd.io/name": "1" } },
    ...(used && { status: { hard: { pods: "4", "odd.io/name": "1" }, used } }),
  });
  test.each([
    ["is new", undefined, [pod({})], { pods: "1" }],
    ["is the same", { pods: "1" }, [pod({})], undefined],
    ["is the same amount", { pods: "1000m" }, [pod({})], undefined],
    ["has changed", { pods: "3" }, [pod({})], { pods: "1" }],
    ["is kept for what is not known now", { pods: "3" }, undefined, undefined],
    ["keeps what nothing counts", { pods: "2", "odd.io/name": "7" }, [], { pods: "0", "odd.io/name": "7" }],
  ])("%s", (_, before, pods, used) => {
    expect(quotaStatus(quota(before), () => pods, NOW)?.used).toEqual(used);
  });
});

describe("the charges of unfinished writes in a quota", () => {
  const charged = (used: string): ResourceQuota => ({
    spec: { hard: { pods: "9" } },
    status: { hard: { pods: "9" }, used: { pods: used } },
  });
  const underWay = (pods: string): ReadonlyMap<string, Quantity> => new Map([["pods", parseQuantity(pods)]]);
  test.each([
    ["stay in the status", "3", "1", "2", undefined],
    ["leave what is more than they are", "5", "1", "2", "3"],
    ["do not raise it", "1", "1", "2", undefined],
    ["come on top where it is below the objects", "0", "1", "2", "3"],
    ["that are over leave nothing", "3", "1", "0", "1"],
  ])("%s", (_, used, objects, charge, expected) => {
    const pods = Array.from({ length: Number(objects) }, () => pod({}));
    expect(quotaStatus(charged(used), () => pods, NOW, underWay(charge))?.used?.["pods"]).toBe(expected);
  });
});

describe("a quota on a server with controllers", () => {
  let run: ManualControllers;
  const QUOTAS = "/api/v1/namespaces/default/resourcequotas";
  const SECRETS = "/api/v1/namespaces/default/secrets";
  const used = async () => object((await call(run.api, "GET", `${QUOTAS}/all`)).at("status"))["used"];

  beforeAll(async () => {
    run = await manualControllers(resourceQuotaController);
  });

  afterAll(() => run.close());

  test("follows objects that are created and deleted", async () => {
    const hard = { secrets: "5", "count/deployments.apps": "2", "requests.cpu": "4" };
    await call(run.api, "POST", QUOTAS, { metadata: { name: "all" }, spec: { hard } });
    await eventually(async () => {
      expect(await used()).toEqual({ secrets: "0", "count/deployments.apps": "0", "requests.cpu": "0" });
    });
    await call(run.api, "POST", SECRETS, { metadata: { name: "one" } });
    const spec = { containers: [{ name: "c", image: "i", resources: { requests: { cpu: "1500m" } } }] };
    await call(run.api, "POST", "/api/v1/namespaces/default/pods", { metadata: { name: "p" }, spec });
    await eventually(async () => {
      expect(await used()).toEqual({ secrets: "1", "count/deployments.apps": "0", "requests.cpu": "1500m" });
    });
    await call(run.api, "DELETE", `${SECRETS}/one`);
    await run.pass(2000, 500);
    await eventually(async () => expect(object(await used())["secrets"]).toBe("0"));
    expect(run.problems).toEqual([]);
  });

  test("counts claims as the extended resource that their class stands for now", async () => {
    const GROUP = "/apis/resource.k8s.io/v1";
    const [card, ofClass] = ["requests.example.com/card", "requests.deviceclass.resource.kubernetes.io/card"];
    const shown = async () => (await call(run.api, "GET", `${QUOTAS}/cards`)).at("status.used");
    const hard = { [card]: "9", [ofClass]: "9" };
    expect((await call(run.api, "POST", QUOTAS, { metadata: { name: "cards" }, spec: { hard } })).status).toBe(201);
    await eventually(async () => expect(await shown()).toEqual({ [card]: "0", [ofClass]: "0" }));
    const requests = [{ name: "r", exactly: { deviceClassName: "card", count: 2 } }];
    const claim = { metadata: { name: "c" }, spec: { devices: { requests } } };
    expect((await call(run.api, "POST", `${GROUP}/namespaces/default/resourceclaims`, claim)).status).toBe(201);
    const deviceClass = { metadata: { name: "card" }, spec: {} };
    expect((await call(run.api, "POST", `${GROUP}/deviceclasses`, deviceClass)).status).toBe(201);
    await eventually(async () => expect(await shown()).toEqual({ [card]: "0", [ofClass]: "2" }));
    const named = { spec: { extendedResourceName: "example.com/card" } };
    const merge = { type: "application/merge-patch+json" };
    expect((await call(run.api, "PATCH", `${GROUP}/deviceclasses/card`, named, merge)).status).toBe(200);
    await eventually(async () => expect(await shown()).toEqual({ [card]: "2", [ofClass]: "2" }));
    expect((await call(run.api, "DELETE", `${GROUP}/namespaces/default/resourceclaims/c`)).status).toBe(200);
    await eventually(async () => expect(await shown()).toEqual({ [card]: "0", [ofClass]: "0" }));
    expect(run.problems).toEqual([]);
  });

  test("takes back a charge whose object was never created", async () => {
    const path = `${QUOTAS}/all`;
    const { text } = await call(run.api, "GET", path);
    const quota = JSON.parse(text) as { status: { used: Record<string, string> } };
    const charged = { ...quota, status: { ...quota.status, used: { ...quota.status.used, secrets: "3" } } };
    expect((await call(run.api, "PUT", `${path}/status`, charged)).status).toBe(200);
    await run.pass(2000);
    await eventually(async () => expect(object(await used())["secrets"]).toBe("0"));
  });
});

test.each([
  [
    "two containers that swap",
    [
      ["1", "3", ""],
      ["3", "1", ""],
    ],
    false,
    "6",
    "4",
  ],
  ["a container that has more than it asks for", [["1", "", "4"]], false, "4", "4"],
  ["a resize that can never be had", [["5", "", "2"]], true, "2", "2"],
  ["such a resize before the first status", [["5", "", ""]], true, "5", "0"],
] as const)("K37-166: a quota counts %s", (_title, containers, isInfeasible, older, newer) => {
  const list = (cpu: string) => (cpu === "" ? {} : { cpu });
  const resized = {
    spec: { containers: containers.map(([cpu], index) => ({ name: `c${index}`, resources: { requests: { cpu } } })) },
    status: {
      containerStatuses: containers.flatMap(([, allocated, actual], index) =>
        allocated + actual === ""
          ? []
          : [{ name: `c${index}`, allocatedResources: list(allocated), resources: { requests: list(actual) } }],
      ),
      ...(isInfeasible && { conditions: [{ type: "PodResizePending", status: "True", reason: "Infeasible" }] }),
    },
  };
  const cpuOf = (resizes: "by-container" | "by-pod"): string => {
    const usage = objectUsage("pods", resized as never, NOW, { ...NO_DEVICES, resizes });
    return formatQuantity(usage.get("requests.cpu") ?? parseQuantity("0"));
  };
  expect([cpuOf("by-container"), cpuOf("by-pod")]).toEqual([older, newer]);
});
