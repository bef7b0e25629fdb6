import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Pod, PodResourceClaim } from "../../../src/api/types/core/v1.js";
import type {
  DeviceTaint,
  DeviceToleration,
  ResourceClaim,
  ResourceSlice,
} from "../../../src/api/types/resource/v1.js";
import type { Transport } from "../../../src/client/transport/transport.js";
import { type Cluster, startCluster } from "../../../src/cluster/index.js";
import {
  evictionTime,
  taintsIn,
  tolerates,
} from "../../../src/controllers/device-taint-eviction/device-taint-eviction.js";
import {
  claimOfEntry,
  generatedClaim,
  generatedName,
  isPodDone,
  isLeftOver,
  isReservationValid,
  reservedFor,
  withoutProtection,
  withReservations,
} from "../../../src/controllers/resource-claim/pod-claims.js";
import { object, objects, text } from "../../../src/machinery/meta/access.js";
import type { JsonObject } from "../../../src/machinery/meta/json.js";
import { call } from "../../helpers/api-caller.js";
import { eventually } from "../../helpers/eventually.js";

const FINALIZER = "resource.kubernetes.io/delete-protection";
const consumer = (name: string, uid = `${name}-uid`) => ({ resource: "pods", name, uid });
const allocation = { devices: { results: [{ request: "r", driver: "gpu", pool: "p", device: "d0" }] } };

function podNamed(name: string, fields: Partial<Pod> = {}): Pod {
  return {
    metadata: { name, namespace: "shop", uid: `${name}-uid` },
    spec: { containers: [], nodeName: "n" },
    status: { phase: "Running" },
    ...fields,
  };
}

function claimWith(status: ResourceClaim["status"], metadata: ResourceClaim["metadata"] = {}): ResourceClaim {
  return { metadata: { name: "c", namespace: "shop", ...metadata }, spec: {}, ...(status && { status }) };
}

const owned = (uid: string) => ({
  ownerReferences: [{ apiVersion: "v1", kind: "Pod", name: "web", uid, controller: true }],
});
const pending = podNamed("web", { spec: { containers: [] }, status: { phase: "Pending" } });
const deleted = { name: "web", namespace: "shop", uid: "web-uid", deletionTimestamp: "2026-01-01T00:00:00Z" };

describe("the ResourceClaim for an entry of a pod", () => {
  const shown = (claim?: string): Pod =>
    podNamed("web", {
      status: { resourceClaimStatuses: [{ name: "gpu", ...(claim && { resourceClaimName: claim }) }] },
    });
  const byName: PodResourceClaim = { name: "gpu", resourceClaimName: "shared" };
  const byTemplate: PodResourceClaim = { name: "gpu", resourceClaimTemplateName: "one" };
  test.each([
    ["is the one that it names", podNamed("web"), byName, { state: "named", name: "shared", generated: false }],
    ["is missing until the status shows it", podNamed("web"), byTemplate, { state: "missing", template: "one" }],
    [
      "is the one that the status shows",
      shown("web-gpu-x"),
      byTemplate,
      { state: "named", name: "web-gpu-x", generated: true },
    ],
    ["is not needed where the status shows none", shown(), byTemplate, { state: "unneeded" }],
    ["is not needed where the entry says nothing", podNamed("web"), { name: "gpu" }, { state: "unneeded" }],
  ] as const)("%s", (_title, pod, entry, claim) => {
    expect(claimOfEntry(pod, entry)).toEqual(claim);
  });

  test("is made from a template with its labels, annotations and spec, and the pod as its controller", () => {
    const spec = { devices: { requests: [] } };
    const template = { spec: { metadata: { labels: { a: "b" }, annotations: { c: "d" } }, spec } };
    expect(generatedClaim(podNamed("web"), byTemplate, template)).toMatchObject({
      metadata: {
        namespace: "shop",
        generateName: "web-gpu-",
        labels: { a: "b" },
        annotations: { c: "d", "resource.kubernetes.io/pod-claim-name": "gpu" },
        ownerReferences: [{ kind: "Pod", name: "web", uid: "web-uid", controller: true, blockOwnerDeletion: true }],
      },
      spec,
    });
  });

  test.each([
    ["web", "gpu", "web-gpu-"],
    ["p".repeat(50), "gpu", `${"p".repeat(50)}-gpu-`],
    ["p".repeat(60), "c".repeat(40), `${"p".repeat(33)}-${"c".repeat(22)}`],
  ])("for pod %s and entry %s is named %s", (pod, entry, name) => {
    expect(generatedName(pod, entry)).toBe(name);
    expect(generatedName(pod, entry).length).toBeLessThanOrEqual(57);
  });
});

describe("a pod no longer needs its ResourceClaims", () => {
  test.each([
    ["when it succeeded", podNamed("web", { status: { phase: "Succeeded" } }), true],
    ["when it failed", podNamed("web", { status: { phase: "Failed" } }), true],
    ["not while it runs", podNamed("web"), false],
    ["not while it waits", pending, false],
    ["when it was deleted before it had a node", { ...pending, metadata: deleted }, true],
    ["not while it ends on its node", podNamed("web", { metadata: deleted }), false],
  ])("%s", (_title, pod, done) => {
    expect(isPodDone(pod)).toBe(done);
  });
});

describe("a ResourceClaim", () => {
  test("is reserved for a pod that reached its node without the scheduler", () => {
    const claim = claimWith({ allocation, reservedFor: [consumer("a")] });
    expect(reservedFor(claim, podNamed("web")).status?.reservedFor).toEqual([consumer("a"), consumer("web")]);
  });

  test.each([
    ["is not allocated", claimWith({})],
    ["is reserved for the pod already", claimWith({ allocation, reservedFor: [consumer("web")] })],
    [
      "has 256 consumers",
      claimWith({ allocation, reservedFor: Array.from({ length: 256 }, (_, i) => consumer(`p${i}`)) }),
    ],
  ])("is left alone when it %s", (_title, claim) => {
    expect(reservedFor(claim, podNamed("web"))).toBe(claim);
  });

  test.each([
    ["holds while its pod runs", podNamed("web"), true],
    ["ends when its pod is gone", undefined, false],
    ["ends when another pod has the name", podNamed("web", { metadata: { name: "web", uid: "new" } }), false],
    ["ends when its pod is over", podNamed("web", { status: { phase: "Succeeded" } }), false],
    ["holds while its pod is being ended", podNamed("web", { metadata: deleted }), true],
  ])("whose reservation %s", (_title, pod, valid) => {
    expect(isReservationValid(consumer("web"), pod)).toBe(valid);
  });

  test("cannot be reserved for an object that is not a pod", () => {
    expect(() => isReservationValid({ ...consumer("web"), resource: "jobs" }, undefined)).toThrow(
      "unsupported ReservedFor entry",
    );
  });

  const both = [consumer("a"), consumer("b")];
  const kept = { finalizers: [FINALIZER] };
  test.each([
    [
      "keeps its devices with its last consumer but one",
      claimWith({ allocation, reservedFor: both }, kept),
      [consumer("a")],
      { allocation, reservedFor: [consumer("a")] },
    ],
    ["gives its devices back with the last", claimWith({ allocation, reservedFor: both }, kept), [], {}],
    [
      "keeps its devices where another program gave them",
      claimWith({ allocation, reservedFor: both }),
      [],
      { allocation },
    ],
    [
      "gives its devices back when it is deleted unused",
      claimWith({ allocation }, { ...kept, deletionTimestamp: "t" }),
      [],
      {},
    ],
  ] as const)("%s", (_title, claim, left, status) => {
    expect(withReservations(claim, left).status).toEqual(status);
  });

  test.each([
    ["all its consumers are there", claimWith({ allocation, reservedFor: both }, kept), both],
    ["it waits for its first consumer", claimWith({ allocation }, kept), []],
    ["it was never allocated", claimWith(undefined), []],
  ] as const)("stays the same while %s", (_title, claim, left) => {
    expect(withReservations(claim, left)).toBe(claim);
  });

  test.each([
    ["loses its finalizer with its last consumer", claimWith({}, kept), true, true],
    ["loses its finalizer when it is deleted", claimWith({}, { ...kept, deletionTimestamp: "t" }), false, true],
    ["keeps its finalizer while the scheduler is about to allocate it", claimWith({}, kept), false, false],
    ["keeps its finalizer while it is allocated", claimWith({ allocation }, kept), true, false],
    ["keeps its finalizer while it has a consumer", claimWith({ reservedFor: both }, kept), true, false],
  ])("%s", (_title, claim, wasReserved, loses) => {
    expect(withoutProtection(claim, wasReserved) !== claim).toBe(loses);
  });

  test.each([
    ["its pod is over", claimWith({}, owned("web-uid")), podNamed("web", { status: { phase: "Failed" } }), true],
    ["its pod was replaced", claimWith({}, owned("old-uid")), podNamed("web"), true],
    ["never while its pod may run", claimWith({}, owned("web-uid")), pending, false],
    ["never by this controller when its pod is gone", claimWith({}, owned("web-uid")), undefined, false],
    ["never when a user made it", claimWith({}), podNamed("web", { status: { phase: "Failed" } }), false],
  ])("that was made for a pod is deleted when %s", (_title, claim, pod, left) => {
    expect(isLeftOver(claim, pod)).toBe(left);
  });
});

describe("a pod whose device has a taint is evicted", () => {
  const NOW = Date.parse("2026-01-01T00:01:00Z");
  const taint = {
    key: "broken",
    value: "yes",
    effect: "NoExecute",
    timeAdded: "2026-01-01T00:00:00Z",
  } satisfies DeviceTaint;
  const slice = (taints: DeviceTaint[], generation = 1): ResourceSlice =>
    ({
      metadata: { name: `s${generation}` },
      spec: {
        driver: "gpu",
        pool: { name: "p", generation, resourceSliceCount: 1 },
        devices: [{ name: "d0", taints }],
      },
    }) as ResourceSlice;
  const claim = (tolerations: DeviceToleration[] = [], uid = "web-uid") =>
    claimWith({
      allocation: { devices: { results: [{ request: "r", driver: "gpu", pool: "p", device: "d0", tolerations }] } },
      reservedFor: [consumer("web", uid)],
    });
  const forever: DeviceToleration = { key: "broken", operator: "Exists" };
  const rows: readonly [string, Pod, ResourceClaim, readonly ResourceSlice[], number | undefined][] = [
    ["goes from the taint's time on", podNamed("web"), claim(), [slice([taint])], 0],
    ["goes now when the taint has no time", podNamed("web"), claim(), [slice([{ key: "k", effect: "NoExecute" }])], 60],
    ["stays when nothing is tainted", podNamed("web"), claim(), [slice([])], undefined],
    [
      "stays when the taint only keeps new pods away",
      podNamed("web"),
      claim(),
      [slice([{ ...taint, effect: "NoSchedule" }])],
      undefined,
    ],
    ["stays when its claim tolerates the taint", podNamed("web"), claim([forever]), [slice([taint])], undefined],
    [
      "goes after the time that its claim tolerates",
      podNamed("web"),
      claim([{ ...forever, tolerationSeconds: 90 }]),
      [slice([taint])],
      90,
    ],
    [
      "goes after the shortest of these times",
      podNamed("web"),
      claim([
        { ...forever, tolerationSeconds: 90 },
        { ...forever, tolerationSeconds: 30 },
      ]),
      [slice([taint])],
      30,
    ],
    [
      "stays when the taint is of an older generation",
      podNamed("web"),
      claim(),
      [slice([taint], 1), slice([], 2)],
      undefined,
    ],
    ["stays when the claim is reserved for another", podNamed("web"), claim([], "other"), [slice([taint])], undefined],
    ["stays without a node", pending, claim(), [slice([taint])], undefined],
    [
      "stays when it is being deleted anyway",
      podNamed("web", { metadata: deleted }),
      claim(),
      [slice([taint])],
      undefined,
    ],
  ];

  test.each(rows)("or not: it %s", (_title, pod, used, slices, seconds) => {
    const time = seconds === undefined ? undefined : Date.parse("2026-01-01T00:00:00Z") + seconds * 1000;
    expect(evictionTime(pod, [used], taintsIn(slices), NOW)).toBe(time);
  });

  test.each([
    ["its key exists", { key: "broken", operator: "Exists" }, true],
    ["any key exists", { operator: "Exists" }, true],
    ["its value is equal", { key: "broken", operator: "Equal", value: "yes" }, true],
    ["its value is equal, by default", { key: "broken", value: "yes" }, true],
    ["its value differs", { key: "broken", operator: "Equal", value: "no" }, false],
    ["its key differs", { key: "else", operator: "Exists" }, false],
    ["its effect differs", { key: "broken", operator: "Exists", effect: "NoSchedule" }, false],
  ] as const)("unless it tolerates the taint, when %s: %s", (_title, toleration, answer) => {
    expect(tolerates(toleration, taint)).toBe(answer);
  });
});

describe("ResourceClaims on a cluster", () => {
  let cluster: Cluster;
  let api: Transport;

  beforeAll(async () => {
    cluster = await startCluster({ port: false });
    api = cluster.transport();
  });

  afterAll(() => cluster.close());

  const PODS = "/api/v1/namespaces/default/pods";
  const CLAIMS = "/apis/resource.k8s.io/v1/namespaces/default/resourceclaims";
  const read = async (path: string) => JSON.parse((await call(api, "GET", path)).text) as JsonObject;
  const created = async (path: string, body: unknown) => {
    const answer = await call(api, "POST", path, body);
    expect(answer.status, answer.text).toBe(201);
  };

  test("are created from a pod's template, and deleted when the pod has ended", async () => {
    const requests = [{ name: "r", exactly: { deviceClassName: "gpu" } }];
    await created("/apis/resource.k8s.io/v1/namespaces/default/resourceclaimtemplates", {
      metadata: { name: "one" },
      spec: { metadata: { labels: { made: "yes" } }, spec: { devices: { requests } } },
    });
    await created(PODS, {
      metadata: { name: "web" },
      spec: {
        containers: [{ name: "c", image: "i", resources: { claims: [{ name: "gpu" }] } }],
        resourceClaims: [{ name: "gpu", resourceClaimTemplateName: "one" }],
        schedulerName: "none",
      },
    });
    const name = await eventually(async () => {
      const [shown] = objects(object((await read(`${PODS}/web`))["status"])["resourceClaimStatuses"]);
      expect(text(shown?.["resourceClaimName"])).toMatch(/^web-gpu-[a-z0-9]{5}$/);
      return text(shown?.["resourceClaimName"]);
    });
    const claim = object((await read(`${CLAIMS}/${name}`))["metadata"]);
    expect(claim).toMatchObject({ labels: { made: "yes" }, ownerReferences: [{ name: "web", controller: true }] });
    await call(
      api,
      "PATCH",
      `${PODS}/web/status`,
      { status: { phase: "Succeeded" } },
      { type: "application/merge-patch+json" },
    );
    await eventually(async () => expect((await call(api, "GET", `${CLAIMS}/${name}`)).status).toBe(404));
  });

  test("cause an event that names a missing template", async () => {
    await created(PODS, {
      metadata: { name: "early" },
      spec: {
        containers: [{ name: "c", image: "i" }],
        resourceClaims: [{ name: "gpu", resourceClaimTemplateName: "absent" }],
        schedulerName: "none",
      },
    });
    await eventually(async () => {
      const events = await call(
        api,
        "GET",
        "/api/v1/namespaces/default/events?fieldSelector=involvedObject.name%3Dearly",
      );
      const failed = objects(events.at("items")).find(({ reason }) => reason === "FailedResourceClaimCreation");
      expect(text(failed?.["message"])).toContain('PodResourceClaim gpu: resource claim template "absent"');
    });
  });

  test("make their pod be evicted when the device gets a taint", async () => {
    const requests = [{ name: "r", exactly: { deviceClassName: "gpu" } }];
    await created(CLAIMS, { metadata: { name: "held" }, spec: { devices: { requests } } });
    await created(PODS, {
      metadata: { name: "uses" },
      spec: {
        nodeName: "n",
        containers: [{ name: "c", image: "i" }],
        resourceClaims: [{ name: "gpu", resourceClaimName: "held" }],
      },
    });
    const claim = await read(`${CLAIMS}/held`);
    const uid = text(object((await read(`${PODS}/uses`))["metadata"])["uid"]);
    const status = { allocation, reservedFor: [{ resource: "pods", name: "uses", uid }] };
    const written = await call(api, "PUT", `${CLAIMS}/held/status`, { ...claim, status });
    expect(written.status, written.text).toBe(200);
    await created("/apis/resource.k8s.io/v1/resourceslices", {
      metadata: { name: "s" },
      spec: {
        driver: "gpu",
        pool: { name: "p", generation: 1, resourceSliceCount: 1 },
        nodeName: "n",
        devices: [{ name: "d0", taints: [{ key: "broken", effect: "NoExecute" }] }],
      },
    });
    await eventually(async () => {
      const answer = await call(api, "GET", `${PODS}/uses`);
      if (answer.status === 404) return;
      expect(object(answer.at("metadata"))["deletionTimestamp"]).toBeDefined();
    });
  });
});
