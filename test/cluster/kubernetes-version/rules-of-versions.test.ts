import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Cluster, startCluster } from "../../../src/cluster/index.js";
import { type Answer, call } from "../../helpers/api-caller.js";

type Version = "1.36" | "1.37";
const VERSIONS = ["1.36", "1.37"] as const;
const clusters = new Map<Version, Cluster>();

beforeAll(async () => {
  await Promise.all(
    VERSIONS.map(async (kubernetesVersion) => {
      const runtimeConfig = { "api/all": true };
      const parts = { port: false, controllers: false, scheduler: false } as const;
      clusters.set(kubernetesVersion, await startCluster({ ...parts, kubernetesVersion, nodes: 1, runtimeConfig }));
    }),
  );
  for (const version of VERSIONS) {
    await ask(version, "POST", `${CORE}/serviceaccounts`, { metadata: { name: "default" } });
  }
});

afterAll(() => Promise.all([...clusters.values()].map((cluster) => cluster.close())));

const ask = (version: Version, method: string, path: string, body?: unknown): Promise<Answer> =>
  call((clusters.get(version) as Cluster).transport(), method, path, body, {
    ...(method === "PATCH" && { type: "application/merge-patch+json" }),
  });

/** What a path of the answers of both versions is. */
async function inBoth(method: string, path: string, body: unknown, at: string): Promise<Record<Version, unknown>> {
  const [older, newer] = [await ask("1.36", method, path, body), await ask("1.37", method, path, body)];
  return { "1.36": older.at(at), "1.37": newer.at(at) };
}

const CORE = "/api/v1/namespaces/default";
const APPS = "/apis/apps/v1/namespaces/default";
const CONTAINERS = [{ name: "c", image: "i" }];
const template = { metadata: { labels: { app: "a" } }, spec: { containers: CONTAINERS } };
const selector = { matchLabels: { app: "a" } };

const pod = (spec: object) => ({ metadata: { generateName: "p-" }, spec: { containers: CONTAINERS, ...spec } });
const deployment = (volumes: readonly object[]) => ({
  metadata: { generateName: "d-" },
  spec: { selector, template: { ...template, spec: { ...template.spec, volumes } } },
});
const autoscaler = (minReplicas: number, metrics: readonly object[], name = "h") => ({
  metadata: { name },
  spec: {
    minReplicas,
    maxReplicas: 3,
    scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "d" },
    metrics,
  },
});
const EXTERNAL = [{ type: "External", external: { metric: { name: "q" }, target: { type: "Value", value: "1" } } }];
const AUTOSCALERS = "/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers";

describe("a server of Kubernetes 1.37, compared with one of 1.36", () => {
  test("K37-030: gives an autoscaler a generation, and its conditions the generation that they describe", async () => {
    const object = autoscaler(1, EXTERNAL);
    expect(await inBoth("POST", AUTOSCALERS, object, "metadata.generation")).toEqual({ "1.36": undefined, "1.37": 1 });
    const changed = { spec: { maxReplicas: 4 } };
    const path = `${AUTOSCALERS}/h`;
    expect((await inBoth("PATCH", path, changed, "metadata.generation"))["1.37"]).toBe(2);
    const labelled = { metadata: { labels: { a: "b" } } };
    expect((await inBoth("PATCH", path, labelled, "metadata.generation"))["1.37"]).toBe(2);
    const condition = { type: "AbleToScale", status: "True", observedGeneration: 2 };
    const status = {
      status: { currentReplicas: 1, desiredReplicas: 1, observedGeneration: 2, conditions: [condition] },
    };
    expect(await inBoth("PATCH", `${path}/status`, status, "status.conditions.0.observedGeneration")).toEqual({
      "1.36": undefined,
      "1.37": 2,
    });
    expect((await ask("1.37", "GET", path.replace("v2", "v1"))).at("metadata.generation")).toBe(2);
  });

  test("K37-038: accepts an autoscaler that scales to zero by an external metric", async () => {
    const path = `${AUTOSCALERS}?dryRun=All`;
    const refused = "spec.minReplicas: Invalid value: 0: must be greater than or equal to 1";
    const told = await inBoth("POST", path, autoscaler(0, EXTERNAL, "zero"), "message");
    expect(told).toEqual({ "1.36": expect.stringContaining(refused) as string, "1.37": undefined });
    const cpu = [
      { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 5 } } },
    ];
    expect((await ask("1.37", "POST", path, autoscaler(0, cpu, "zero"))).at("message")).toContain(
      "spec.metrics: Forbidden: must specify at least one Object or External metric to support scaling to zero replicas",
    );
  });

  test("K37-037: keeps the field maxUnavailable of a StatefulSet", async () => {
    const set = {
      metadata: { generateName: "s-" },
      spec: { selector, template, updateStrategy: { rollingUpdate: { maxUnavailable: 2 } } },
    };
    const path = `${APPS}/statefulsets?dryRun=All`;
    expect(await inBoth("POST", path, set, "spec.updateStrategy.rollingUpdate.maxUnavailable")).toEqual({
      "1.36": undefined,
      "1.37": 2,
    });
  });

  test("K37-039: keeps projected trust bundles", async () => {
    const volumes = [{ name: "v", projected: { sources: [{ clusterTrustBundle: { name: "b", path: "ca.pem" } }] } }];
    const at = "spec.volumes.0.projected.sources.0.clusterTrustBundle.name";
    expect(await inBoth("POST", `${CORE}/pods?dryRun=All`, pod({ volumes }), at)).toEqual({
      "1.36": undefined,
      "1.37": "b",
    });
  });

  test("K37-040: keeps hostnameOverride, as 1.36 does", async () => {
    const at = "spec.hostnameOverride";
    const told = await inBoth("POST", `${CORE}/pods?dryRun=All`, pod({ hostnameOverride: "h" }), at);
    expect(told).toEqual({ "1.36": "h", "1.37": "h" });
  });

  test("K37-035, K37-036: accepts new condition types, as 1.36 does", async () => {
    const conditions = ["DrainInProgress", "Drained", "GracefulNodeShutdownInProgress"].map((type) => ({
      type,
      status: "True",
    }));
    const created = await ask("1.37", "POST", "/api/v1/nodes", { metadata: { name: "c" }, status: { conditions } });
    expect(created.at("status.conditions.1.type")).toBe("Drained");
    const spec = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } };
    await ask("1.37", "POST", `${CORE}/persistentvolumeclaims`, { metadata: { name: "c" }, spec });
    const unused = [{ type: "Unused", status: "True", lastTransitionTime: "2026-09-01T00:00:00Z", reason: "NoPods" }];
    const path = `${CORE}/persistentvolumeclaims/c/status`;
    const patched = await ask("1.37", "PATCH", path, { status: { conditions: unused } });
    expect({ shown: patched.at("status.conditions") }).toMatchObject({ shown: unused });
  });

  test("K37-050: publishes other required fields in OpenAPI, and refuses and accepts the same objects", async () => {
    const required = async (version: Version, path: string, type: string): Promise<unknown> =>
      (JSON.parse((await ask(version, "GET", `/openapi/v3/apis/${path}`)).text) as { components: { schemas: object } })
        .components.schemas[`io.k8s.api.${type}` as never]?.["required"] ?? [];
    for (const [path, type, older, newer] of [
      ["apps/v1", "apps.v1.StatefulSet", [], ["spec"]],
      ["apps/v1", "apps.v1.Deployment", [], ["spec"]],
      ["apps/v1", "apps.v1.DeploymentCondition", ["status", "type"], []],
      ["apps/v1", "apps.v1.ControllerRevision", ["revision"], ["data"]],
      ["flowcontrol.apiserver.k8s.io/v1", "flowcontrol.v1.FlowSchema", [], ["spec"]],
      ["resource.k8s.io/v1", "resource.v1.DeviceClass", ["spec"], []],
    ] as const) {
      expect([await required("1.36", path, type), await required("1.37", path, type)]).toEqual([older, newer]);
    }
    const told = await inBoth("POST", `${APPS}/deployments`, { metadata: { name: "d" } }, "message");
    expect(told["1.37"]).toBe(told["1.36"]);
    const claim = await ask("1.37", "POST", "/apis/resource.k8s.io/v1/deviceclasses", { metadata: { name: "c" } });
    expect(claim.status).toBe(201);
  });

  test("K37-051: shows the missing data of a ControllerRevision as null", async () => {
    const object = { metadata: { name: "r" }, revision: 1 };
    const shown = await inBoth("POST", `${APPS}/controllerrevisions`, object, "data");
    // Go shows a struct that may be left out, too: the mark makes a difference in OpenAPI alone.
    expect(shown).toEqual({ "1.36": null, "1.37": null });
  });

  test("K37-070: requires a reference in image volumes of pod templates", async () => {
    const path = `${APPS}/deployments?dryRun=All`;
    const told = await inBoth("POST", path, deployment([{ name: "v", image: {} }]), "message");
    expect(told).toEqual({
      "1.36": undefined,
      "1.37": expect.stringContaining("spec.template.spec.volumes[0].image.reference: Required value") as string,
    });
  });

  test("K37-071: accepts a Service name that begins with a digit", async () => {
    const service = { metadata: { name: "1st" }, spec: { ports: [{ port: 80 }] } };
    expect((await ask("1.37", "POST", `${CORE}/services?dryRun=All`, service)).status).toBe(201);
    const upper = { ...service, metadata: { name: "First" } };
    expect((await ask("1.37", "POST", `${CORE}/services?dryRun=All`, upper)).at("message")).toContain(
      "a lowercase RFC 1123 label must consist of",
    );
  });

  test("K37-073: limits user ids of containers to 32 bits", async () => {
    const created = await ask("1.37", "POST", `${CORE}/pods`, pod({}));
    const path = `${CORE}/pods/${created.at("metadata.name") as string}/status`;
    const status = (uid: number) => ({
      status: {
        containerStatuses: [
          { name: "c", image: "i", imageID: "", ready: false, restartCount: 0, user: { linux: { uid, gid: 0 } } },
        ],
      },
    });
    expect((await ask("1.37", "PATCH", path, status(2 ** 32 - 1))).status).toBe(200);
    expect((await ask("1.37", "PATCH", path, status(2 ** 32))).at("message")).toContain(
      "status.containerStatuses[0].user.linux.uid: Invalid value: 4294967296: must be between 0 and 4294967295, inclusive",
    );
  });

  test("K37-074: names the real limit in the error about a VolumeAttachment", async () => {
    const path = "/apis/storage.k8s.io/v1/volumeattachments";
    const object = {
      metadata: { name: "a" },
      spec: { attacher: "d.example.com", nodeName: "n", source: { persistentVolumeName: "v" } },
    };
    const status = { status: { attached: false, attachError: { message: "x".repeat(1025) } } };
    for (const version of VERSIONS) await ask(version, "POST", path, object);
    const told = await inBoth("PATCH", `${path}/a/status`, status, "message");
    expect(told["1.36"]).toContain("status.attachError.message: Too long: may not be more than 262144 bytes");
    expect(told["1.37"]).toContain("status.attachError.message: Too long: may not be more than 1024 bytes");
  });

  test("K37-075: refuses a binding to an invalid node name", async () => {
    const name = async (version: Version): Promise<unknown> =>
      (await ask(version, "POST", `${CORE}/pods`, pod({}))).at("metadata.name");
    const bind = async (version: Version): Promise<Answer> => {
      const [one, target] = [await name(version), { kind: "Node", name: "Node_1" }];
      return ask(version, "POST", `${CORE}/pods/${one}/binding`, { metadata: { name: one }, target });
    };
    expect((await bind("1.36")).status).toBe(201);
    const refused = await bind("1.37");
    expect(refused.status).toBe(422);
    expect(refused.at("details.causes.0.field")).toBe("target.name");
  });

  test("K37-076: ignores empty pod-level resources when it sets the QoS class", async () => {
    const resources = { requests: { cpu: "1", memory: "1Gi" }, limits: { cpu: "1", memory: "1Gi" } };
    const object = pod({ resources: {}, containers: [{ name: "c", image: "i", resources }] });
    expect(await inBoth("POST", `${CORE}/pods?dryRun=All`, object, "status.qosClass")).toEqual({
      "1.36": "BestEffort",
      "1.37": "Guaranteed",
    });
  });

  test("K37-077: adds a cause when it refuses an eviction because of a budget in a wrong state", async () => {
    const labels = { app: "evicted" };
    const budgets = "/apis/policy/v1/namespaces/default/poddisruptionbudgets";
    const causes = async (version: Version): Promise<unknown> => {
      const one = { ...pod({}), metadata: { name: "evicted", labels } };
      await ask(version, "POST", `${CORE}/pods`, one);
      await ask(version, "PATCH", `${CORE}/pods/evicted/status`, {
        status: { phase: "Running", conditions: [{ type: "Ready", status: "True" }] },
      });
      await ask(version, "POST", budgets, { metadata: { name: "b" }, spec: { selector: { matchLabels: labels } } });
      const disruptedPods = Object.fromEntries(
        Array.from({ length: 2001 }, (_, at) => [`pod-${at}`, "2026-09-01T00:00:00Z"]),
      );
      await ask(version, "PATCH", `${budgets}/b/status`, {
        status: {
          observedGeneration: 1,
          disruptionsAllowed: 1,
          disruptedPods,
          currentHealthy: 1,
          desiredHealthy: 0,
          expectedPods: 1,
        },
      });
      const refused = await ask(version, "POST", `${CORE}/pods/evicted/eviction`, { metadata: { name: "evicted" } });
      expect(refused.status, refused.text).toBe(403);
      return refused.at("details.causes");
    };
    expect(await causes("1.36")).toBeUndefined();
    expect(await causes("1.37")).toEqual([
      {
        reason: "DisruptionBudget",
        message:
          "The disruption budget b does not allow evicting pods currently: too many pending evictions not confirmed by PDB controller",
      },
    ]);
  });

  test("K37-078: accepts another scheduling of a suspended Job before the Job has the condition", async () => {
    const jobs = "/apis/batch/v1/namespaces/default/jobs";
    const spec = { suspend: true, template: { spec: { containers: CONTAINERS, restartPolicy: "Never" } } };
    await ask("1.37", "POST", jobs, { metadata: { name: "j" }, spec });
    const nodeSelector = { disk: "fast" };
    const patched = await ask("1.37", "PATCH", `${jobs}/j`, { spec: { template: { spec: { nodeSelector } } } });
    expect(patched.at("spec.template.spec.nodeSelector")).toEqual(nodeSelector);
  });

  test("K37-011: selects ResourceSlices by the name of their pool", async () => {
    const slice = (name: string, pool: string) => ({
      metadata: { name },
      spec: { driver: "d.example.com", pool: { name: pool, generation: 1, resourceSliceCount: 1 }, allNodes: true },
    });
    const path = "/apis/resource.k8s.io";
    for (const [name, pool] of [["a", "one"] as const, ["b", "two"] as const]) {
      await ask("1.37", "POST", `${path}/v1/resourceslices`, slice(name, pool));
    }
    for (const version of ["v1", "v1beta1", "v1beta2"]) {
      const query = `${path}/${version}/resourceslices?fieldSelector=spec.pool.name%3Dtwo`;
      const found = await ask("1.37", "GET", query);
      expect([found.at("items.0.metadata.name"), found.at("items.1")]).toEqual(["b", undefined]);
      expect((await ask("1.36", "GET", query)).status).toBe(400);
    }
  });

  test("K37-008: serves a DeviceTaintRule in all its versions", async () => {
    const spec = {
      taint: { key: "example.com/broken", effect: "NoSchedule" },
      deviceSelector: { driver: "d.example.com" },
    };
    const path = "/apis/resource.k8s.io";
    const created = await ask("1.37", "POST", `${path}/v1/devicetaintrules`, { metadata: { name: "t" }, spec });
    expect(created.status, created.text).toBe(201);
    for (const version of ["v1alpha3", "v1beta2", "v1"]) {
      const read = await ask("1.37", "GET", `${path}/${version}/devicetaintrules/t`);
      expect(read.at("spec.deviceSelector.driver")).toBe("d.example.com");
      expect(read.at("spec.taint.key")).toBe("example.com/broken");
    }
  });

  test("K37-009: serves the metrics API as v1 and as v1beta1", async () => {
    const versions = async (version: Version): Promise<unknown> =>
      JSON.parse((await ask(version, "GET", "/apis/metrics.k8s.io")).text);
    const names = (group: unknown): readonly string[] =>
      (group as { versions: { version: string }[] }).versions.map(({ version }) => version);
    expect(names(await versions("1.36"))).toEqual(["v1beta1"]);
    const group = await versions("1.37");
    expect(names(group)).toEqual(["v1", "v1beta1"]);
    expect(group).toMatchObject({ preferredVersion: { version: "v1" } });
    for (const version of ["v1", "v1beta1"]) {
      const list = await ask("1.37", "GET", `/apis/metrics.k8s.io/${version}/nodes`);
      expect(list.at("apiVersion")).toBe(`metrics.k8s.io/${version}`);
      const one = await ask("1.37", "GET", `/apis/metrics.k8s.io/${version}/nodes/node-1`);
      expect([one.at("kind"), one.at("apiVersion")]).toEqual(["NodeMetrics", `metrics.k8s.io/${version}`]);
    }
  });

  test("K37-062: validates an EvictionRequest, counts its generation, and changes its status only by the status subresource", async () => {
    const path = "/apis/lifecycle.k8s.io/v1alpha1/namespaces/default/evictionrequests";
    const pod = { name: "web-0", uid: "0f8fad5b-d9cb-469f-a165-70867728950e" };
    const spec = { target: { pod }, requester: "example.com/drainer", intent: "Eviction" };
    const refused = await ask("1.37", "POST", path, {
      metadata: { name: "e" },
      spec: { ...spec, requester: "drainer" },
    });
    expect(refused.at("message")).toContain("must include a prefix (e.g. 'example.com/key')");
    const status = { observedGeneration: 1 };
    const created = await ask("1.37", "POST", path, { metadata: { name: "e" }, spec, status });
    expect([created.status, created.at("metadata.generation")]).toEqual([201, 1]);
    expect(created.at("status.observedGeneration")).toBeUndefined();
    const told = await ask("1.37", "PATCH", `${path}/e/status`, { metadata: { labels: { a: "b" } }, status });
    expect([told.at("status.observedGeneration"), told.at("metadata.labels")]).toEqual([1, undefined]);
    const withdrawn = await ask("1.37", "PATCH", `${path}/e`, { spec: { intent: "Withdrawn" } });
    expect(withdrawn.at("metadata.generation")).toBe(2);
    expect((await ask("1.37", "PUT", `${path}/e`, { metadata: { name: "e" }, spec })).at("message")).toContain(
      "metadata.resourceVersion: Invalid value",
    );
  });

  test("K37-063: drops fields of a PodGroup whose gates are off, and validates the rest", async () => {
    const path = "/apis/scheduling.k8s.io/v1beta1/namespaces/default/podgroups";
    const spec = {
      schedulingPolicy: { gang: { minCount: 2 } },
      schedulingConstraints: { topology: [{ key: "example.com/rack" }] },
      preemptionPolicy: "Never",
    };
    const created = await ask("1.37", "POST", path, { metadata: { name: "g" }, spec });
    expect(created.at("spec")).toEqual({ schedulingPolicy: spec.schedulingPolicy, disruptionMode: { single: {} } });
    const composite = { compositePodGroupTemplates: [{ name: "a", schedulingPolicy: { basic: {} } }] };
    const workloads = path.replace("podgroups", "workloads");
    expect(
      (await ask("1.37", "POST", workloads, { metadata: { name: "w" }, spec: composite })).at("message"),
    ).toContain("spec.compositePodGroupTemplates: Forbidden");
    const refused = await ask("1.37", "PATCH", `${path}/g`, { spec: { priorityClassName: "high" } });
    expect(refused.at("message")).toContain("spec.priorityClassName: Invalid value: null: field is immutable");
  });

  test("K37-010: orders the APIService of lifecycle.k8s.io after that of storagemigration.k8s.io", async () => {
    const priority = async (name: string): Promise<unknown> =>
      (await ask("1.37", "GET", `/apis/apiregistration.k8s.io/v1/apiservices/${name}`)).at("spec.groupPriorityMinimum");
    expect(await priority("v1.storagemigration.k8s.io")).toBe(15_800);
    expect(await priority("v1alpha1.lifecycle.k8s.io")).toBe(15_700);
  });
});
