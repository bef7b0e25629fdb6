import {
  ApiException,
  AppsV1Api,
  CoreV1Api,
  KubeConfig,
  type KubernetesObject,
  KubernetesObjectApi,
  PatchStrategy,
  PolicyV1Api,
  setHeaderOptions,
  type V1ConfigMap,
  type V1Pod,
  type V1Status,
  Watch,
} from "@kubernetes/client-node";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Cluster, startCluster } from "../../src/cluster/index.js";
import type { KubeObject } from "../../src/machinery/meta/object.js";
import { call } from "../helpers/api-caller.js";
import { eventually } from "../helpers/eventually.js";
import { fieldOwners } from "../helpers/field-owners.js";
import { quietCluster } from "../helpers/quiet-cluster.js";

const namespace = "default";
const as = (type: PatchStrategy) => setHeaderOptions("Content-Type", type);

const labels = { app: "web" };
const container = { name: "c", image: "i" };
const deployment = (name: string) => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name },
  spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers: [container] } } },
});
const pod = (name: string): V1Pod => ({
  metadata: { name, labels },
  spec: { nodeName: "node", containers: [container] },
});

describe("@kubernetes/client-node 1.4.0 as a client of the server", () => {
  let cluster: Cluster;
  let config: KubeConfig;
  let core: CoreV1Api;
  let apps: AppsV1Api;

  beforeAll(async () => {
    cluster = await startCluster({ ...quietCluster });
    config = new KubeConfig();
    config.loadFromString(cluster.kubeconfig());
    core = config.makeApiClient(CoreV1Api);
    apps = config.makeApiClient(AppsV1Api);
  });
  afterAll(() => cluster.close());

  /** The Status that a call was refused with, and its code. */
  async function refusal(call: Promise<unknown>): Promise<V1Status> {
    const error: unknown = await call.then(
      () => new Error("the call was not refused"),
      (reason: unknown) => reason,
    );
    if (!(error instanceof ApiException)) throw error;
    const status = JSON.parse(error.body as string) as V1Status;
    expect(status).toMatchObject({ apiVersion: "v1", kind: "Status", status: "Failure", code: error.code });
    return status;
  }
  const map = (name: string, data: Record<string, string>) => ({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name },
    data,
  });
  const applied = (name: string, data: Record<string, string> | undefined, fieldManager: string, force?: boolean) =>
    core.patchNamespacedConfigMap(
      { namespace, name, body: { ...map(name, {}), data }, fieldManager, ...(force !== undefined && { force }) },
      as(PatchStrategy.ServerSideApply),
    );

  describe("sends the four kinds of patches:", () => {
    test("apply creates, reports conflicts, takes over by force, and removes fields that its manager left out", async () => {
      const created = await applied("applied", { a: "1", b: "1" }, "one");
      expect(created.data).toEqual({ a: "1", b: "1" });
      expect(await refusal(applied("applied", { a: "2" }, "two"))).toEqual({
        apiVersion: "v1",
        kind: "Status",
        metadata: {},
        status: "Failure",
        message: 'Apply failed with 1 conflict: conflict with "one": .data.a',
        reason: "Conflict",
        details: { causes: [{ reason: "FieldManagerConflict", message: 'conflict with "one"', field: ".data.a" }] },
        code: 409,
      });
      expect((await applied("applied", { a: "2" }, "two", true)).data).toEqual({ a: "2", b: "1" });
      await applied("applied", undefined, "one");
      const { metadata, data } = await core.readNamespacedConfigMap({ namespace, name: "applied" });
      expect(data).toEqual({ a: "2" });
      expect(metadata?.managedFields?.map(({ manager, operation, time }) => [manager, operation, time])).toEqual([
        ["two", "Apply", expect.any(Date)],
      ]);
      const typed = { fieldManager: "one", force: true };
      expect(await refusal(applied("applied", {}, ""))).toMatchObject({
        code: 422,
        message: 'PatchOptions.meta.k8s.io "" is invalid: fieldManager: Required value: is required for apply patch',
      });
      const merging = core.patchNamespacedConfigMap(
        { namespace, name: "applied", body: {}, ...typed },
        as(PatchStrategy.MergePatch),
      );
      expect(await refusal(merging)).toMatchObject({
        code: 422,
        message: 'PatchOptions.meta.k8s.io "" is invalid: force: Forbidden: may not be specified for non-apply patch',
      });
    });

    test("strategic merge merges containers by name, merge patch replaces them, JSON patch changes one", async () => {
      await apps.createNamespacedDeployment({ namespace, body: deployment("patched") });
      const patch = async (body: unknown, type: PatchStrategy) => {
        const answer = await apps.patchNamespacedDeployment({ namespace, name: "patched", body }, as(type));
        return answer.spec?.template.spec?.containers.map(({ name, image }) => `${name} ${image}`);
      };
      const containers = (...list: readonly object[]) => ({ spec: { template: { spec: { containers: list } } } });
      const side = { name: "side", image: "s" };
      expect(await patch(containers(side), PatchStrategy.StrategicMergePatch)).toEqual(["side s", "c i"]);
      expect(await patch(containers(side), PatchStrategy.MergePatch)).toEqual(["side s"]);
      const path = "/spec/template/spec/containers/0/image";
      expect(await patch([{ op: "replace", path, value: "t" }], PatchStrategy.JsonPatch)).toEqual(["side t"]);
    });

    test("each of them for any kind, through KubernetesObjectApi", async () => {
      const objects = KubernetesObjectApi.makeApiClient(config);
      const spec: KubernetesObject = map("any", { a: "1" });
      const created = await objects.patch(spec, undefined, undefined, "any", true, PatchStrategy.ServerSideApply);
      expect(created.metadata?.uid).toBeDefined();
      const found = await objects.read<V1ConfigMap>({ ...spec, metadata: { name: "any", namespace } });
      expect(found.data).toEqual({ a: "1" });
      const replaced = await objects.replace(Object.assign(found, { data: { a: "2" } }));
      expect(replaced.data).toEqual({ a: "2" });
      const { items } = await objects.list(
        "v1",
        "ConfigMap",
        namespace,
        undefined,
        undefined,
        undefined,
        "metadata.name=any",
      );
      expect(items).toHaveLength(1);
      expect(await objects.delete(found)).toMatchObject({ status: "Success" });
    });

    test("receives for a dry run the result, and nothing is stored", async () => {
      const body = map("dry", { a: "1" });
      const dry = await core.createNamespacedConfigMap({ namespace, body, dryRun: "All" });
      expect([dry.metadata?.uid === undefined, dry.metadata?.resourceVersion]).toEqual([false, undefined]);
      expect((await refusal(core.readNamespacedConfigMap({ namespace, name: "dry" }))).code).toBe(404);
    });
  });

  describe("receives an error", () => {
    const where = { namespace, name: "refused" };
    beforeAll(async () => {
      await apps.createNamespacedDeployment({ namespace, body: deployment("refused") });
    });

    test("404 that names the resource", async () => {
      expect(await refusal(apps.readNamespacedDeployment({ namespace, name: "nope" }))).toEqual({
        apiVersion: "v1",
        kind: "Status",
        metadata: {},
        status: "Failure",
        message: 'deployments.apps "nope" not found',
        reason: "NotFound",
        details: { name: "nope", group: "apps", kind: "deployments" },
        code: 404,
      });
    });

    test("409 for an object that already exists", async () => {
      expect(await refusal(apps.createNamespacedDeployment({ namespace, body: deployment("refused") }))).toMatchObject({
        message: 'deployments.apps "refused" already exists',
        reason: "AlreadyExists",
        details: { name: "refused", group: "apps", kind: "deployments" },
        code: 409,
      });
    });

    test("409 for an outdated resourceVersion", async () => {
      const live = await apps.readNamespacedDeployment(where);
      Object.assign(live.metadata ?? {}, { resourceVersion: "1" });
      expect(await refusal(apps.replaceNamespacedDeployment({ ...where, body: live }))).toMatchObject({
        message:
          'Operation cannot be fulfilled on deployments.apps "refused": the object has been modified; please apply your changes to the latest version and try again',
        reason: "Conflict",
        details: { name: "refused", group: "apps", kind: "deployments" },
        code: 409,
      });
    });

    test("409 for a delete whose preconditions do not hold", async () => {
      const { metadata } = await apps.readNamespacedDeployment(where);
      const body = { preconditions: { uid: "other" } };
      const status = await refusal(apps.deleteNamespacedDeployment({ ...where, body }));
      expect([status.code, status.reason]).toEqual([409, "Conflict"]);
      expect(status.message).toBe(
        `Operation cannot be fulfilled on Deployment.apps "refused": the UID in the precondition (other) does not match the UID in record (${metadata?.uid}). The object might have been deleted and then recreated`,
      );
    });

    test("422 that lists every cause, with field and reason", async () => {
      const body = { spec: { replicas: -1, template: { spec: { containers: [{ name: "c", image: "" }] } } } };
      const patching = apps.patchNamespacedDeployment({ ...where, body }, as(PatchStrategy.StrategicMergePatch));
      expect(await refusal(patching)).toEqual({
        apiVersion: "v1",
        kind: "Status",
        metadata: {},
        status: "Failure",
        message:
          'Deployment.apps "refused" is invalid: [spec.replicas: Invalid value: -1: must be greater than or equal to 0, spec.template.spec.containers[0].image: Required value]',
        reason: "Invalid",
        details: {
          name: "refused",
          group: "apps",
          kind: "Deployment",
          causes: [
            {
              reason: "FieldValueInvalid",
              message: "Invalid value: -1: must be greater than or equal to 0",
              field: "spec.replicas",
            },
            {
              reason: "FieldValueRequired",
              message: "Required value",
              field: "spec.template.spec.containers[0].image",
            },
          ],
        },
        code: 422,
      });
    });
  });

  describe("uses a subresource:", () => {
    test("status is written separately from the rest", async () => {
      await apps.createNamespacedDeployment({ namespace, body: deployment("status") });
      const where = { namespace, name: "status" };
      const live = await apps.readNamespacedDeploymentStatus(where);
      const body = Object.assign(live, { status: { replicas: 3 } });
      Object.assign(body.spec ?? {}, { replicas: 9 });
      const answer = await apps.replaceNamespacedDeploymentStatus({ ...where, body });
      expect([answer.spec?.replicas, answer.status?.replicas, answer.metadata?.generation]).toEqual([1, 3, 1]);
      const merge = { status: { readyReplicas: 2 } };
      await apps.patchNamespacedDeploymentStatus({ ...where, body: merge }, as(PatchStrategy.MergePatch));
      // A write of the rest leaves the status alone.
      const whole = await apps.replaceNamespacedDeployment({ ...where, body: { ...deployment("status"), status: {} } });
      expect(whole.status).toEqual({ replicas: 3, readyReplicas: 2 });
    });

    test("scale exists for every kind that can be scaled", async () => {
      const { spec } = deployment("scale");
      const named = { metadata: { name: "scale" } };
      await apps.createNamespacedReplicaSet({ namespace, body: { ...named, spec } });
      await apps.createNamespacedStatefulSet({ namespace, body: { ...named, spec: { ...spec, serviceName: "s" } } });
      const controller = { ...named, spec: { selector: labels, template: spec.template } };
      await core.createNamespacedReplicationController({ namespace, body: controller });
      const where = { namespace, name: "scale" };
      const body = { spec: { replicas: 3 } };
      const merge = as(PatchStrategy.MergePatch);
      const scales = [
        await apps.patchNamespacedReplicaSetScale({ ...where, body }, merge),
        await apps.patchNamespacedStatefulSetScale({ ...where, body }, merge),
        await core.patchNamespacedReplicationControllerScale({ ...where, body }, merge),
      ];
      expect(scales.map(({ spec: scaled, status }) => [scaled?.replicas, status?.selector])).toEqual(
        Array.from({ length: 3 }, () => [3, "app=web"]),
      );
      const stale = { metadata: { name: "scale", namespace, resourceVersion: "1" }, spec: { replicas: 4 } };
      expect(await refusal(apps.replaceNamespacedReplicaSetScale({ ...where, body: stale }))).toMatchObject({
        code: 409,
        reason: "Conflict",
      });
    });

    test("eviction is refused by a disruption budget", async () => {
      const policy = config.makeApiClient(PolicyV1Api);
      const budget = { metadata: { name: "budget" }, spec: { minAvailable: 1, selector: { matchLabels: labels } } };
      await policy.createNamespacedPodDisruptionBudget({ namespace, body: budget });
      await core.createNamespacedPod({ namespace, body: pod("evicted") });
      const where = { namespace, name: "evicted" };
      const ready = { status: { phase: "Running", conditions: [{ type: "Ready", status: "True" }] } };
      await core.patchNamespacedPodStatus({ ...where, body: ready }, as(PatchStrategy.MergePatch));
      await eventually(async () => {
        const { status } = await policy.readNamespacedPodDisruptionBudget({ namespace, name: "budget" });
        expect([status?.currentHealthy, status?.disruptionsAllowed]).toEqual([1, 0]);
      });
      const body = { metadata: { name: "evicted" } };
      expect(await refusal(core.createNamespacedPodEviction({ ...where, body }))).toMatchObject({
        code: 429,
        reason: "TooManyRequests",
        message: "Cannot evict pod as it would violate the pod's disruption budget.",
        details: {
          causes: [
            {
              reason: "DisruptionBudget",
              message: "The disruption budget budget needs 1 healthy pods and has 1 currently",
            },
          ],
        },
      });
      await policy.deleteNamespacedPodDisruptionBudget({ namespace, name: "budget" });
      await core.createNamespacedPodEviction({ ...where, body });
      expect((await core.readNamespacedPod(where)).metadata?.deletionTimestamp).toBeInstanceOf(Date);
    });

    test("ephemeral containers are added, and stay", async () => {
      await core.createNamespacedPod({ namespace, body: pod("debugged") });
      const where = { namespace, name: "debugged" };
      const add = (name: string) => ({ spec: { ephemeralContainers: [{ name, image: "busybox" }] } });
      const strategic = as(PatchStrategy.StrategicMergePatch);
      await core.patchNamespacedPodEphemeralcontainers({ ...where, body: add("one") }, strategic);
      const { spec } = await core.patchNamespacedPodEphemeralcontainers({ ...where, body: add("two") }, strategic);
      expect(spec?.ephemeralContainers?.map(({ name }) => name).toSorted()).toEqual(["one", "two"]);
      const none = { spec: { ephemeralContainers: [] } };
      const removing = core.patchNamespacedPodEphemeralcontainers(
        { ...where, body: none },
        as(PatchStrategy.MergePatch),
      );
      expect(await refusal(removing)).toMatchObject({ code: 422, reason: "Invalid" });
    });

    test("a binding puts a pod on its node", async () => {
      const body = { metadata: { name: "bound" }, spec: { containers: [container] } };
      await core.createNamespacedPod({ namespace, body });
      const target = { apiVersion: "v1", kind: "Node", name: "node" };
      await core.createNamespacedPodBinding({
        namespace,
        name: "bound",
        body: { metadata: { name: "bound" }, target },
      });
      expect((await core.readNamespacedPod({ namespace, name: "bound" })).spec?.nodeName).toBe("node");
      const again = core.createNamespacedPodBinding({
        namespace,
        name: "bound",
        body: { metadata: { name: "bound" }, target },
      });
      expect(await refusal(again)).toMatchObject({ code: 409, reason: "Conflict" });
    });

    test("a token is the service account's, for the requested audiences", async () => {
      const body = { spec: { audiences: ["https://example.com"], expirationSeconds: 1200 } };
      const answer = await core.createNamespacedServiceAccountToken({ namespace, name: "default", body });
      const [, claims = ""] = (answer.status?.token ?? "").split(".");
      expect(JSON.parse(Buffer.from(claims, "base64url").toString("utf8"))).toMatchObject({
        aud: ["https://example.com"],
        sub: "system:serviceaccount:default:default",
        "kubernetes.io": { namespace, serviceaccount: { name: "default" } },
      });
      expect(answer.status?.expirationTimestamp).toBeInstanceOf(Date);
      const short = { spec: { audiences: [], expirationSeconds: 60 } };
      expect(
        await refusal(core.createNamespacedServiceAccountToken({ namespace, name: "default", body: short })),
      ).toMatchObject({ code: 422, details: { causes: [{ field: "spec.expirationSeconds" }] } });
    });
  });

  test("deletes a collection by selectors, and nothing with a dry run", async () => {
    const body = (name: string, set: string) => ({ metadata: { name, labels: { set } } });
    for (const [name, set] of [
      ["many-1", "a"],
      ["many-2", "a"],
      ["many-3", "b"],
    ] as const) {
      await core.createNamespacedConfigMap({ namespace, body: body(name, set) });
    }
    const left = async () => {
      const { items } = await core.listNamespacedConfigMap({ namespace, labelSelector: "set in (a,b)" });
      return items.map(({ metadata }) => metadata?.name);
    };
    await core.deleteCollectionNamespacedConfigMap({ namespace, labelSelector: "set=a", dryRun: "All" });
    expect(await left()).toEqual(["many-1", "many-2", "many-3"]);
    await core.deleteCollectionNamespacedConfigMap({
      namespace,
      labelSelector: "set=a",
      fieldSelector: "metadata.name!=many-2",
    });
    expect(await left()).toEqual(["many-2", "many-3"]);
    await core.deleteCollectionNamespacedConfigMap({ namespace, labelSelector: "set" });
    expect(await left()).toEqual([]);
  });

  test("watches changes from a resourceVersion on, with bookmarks when it asks for them", async () => {
    const { metadata } = await core.listNamespacedConfigMap({ namespace });
    const seen: string[] = [];
    const ended: unknown[] = [];
    const query = { resourceVersion: metadata?.resourceVersion, labelSelector: "watched=yes" };
    const controller = await new Watch(config).watch(
      `/api/v1/namespaces/${namespace}/configmaps`,
      query,
      (phase: string, object: V1ConfigMap) => void seen.push(`${phase} ${object.metadata?.name}`),
      (error: unknown) => void ended.push(error),
    );
    const watched = { labels: { watched: "yes" } };
    await core.createNamespacedConfigMap({ namespace, body: { metadata: { name: "w-1", ...watched } } });
    await core.createNamespacedConfigMap({ namespace, body: { metadata: { name: "w-2" } } });
    const merge = as(PatchStrategy.MergePatch);
    await core.patchNamespacedConfigMap({ namespace, name: "w-2", body: { metadata: watched } }, merge);
    await core.patchNamespacedConfigMap({ namespace, name: "w-1", body: { data: { a: "1" } } }, merge);
    const unlabel = { metadata: { labels: { watched: null } } };
    await core.patchNamespacedConfigMap({ namespace, name: "w-2", body: unlabel }, merge);
    await core.deleteNamespacedConfigMap({ namespace, name: "w-1" });
    await expect.poll(() => seen).toEqual(["ADDED w-1", "ADDED w-2", "MODIFIED w-1", "DELETED w-2", "DELETED w-1"]);
    controller.abort();
    await expect.poll(() => ended).toHaveLength(1);
  });

  test("owns managed fields by its User-Agent or by a given name", async () => {
    const named = await core.createNamespacedConfigMap({
      namespace,
      body: map("named", { a: "1" }),
      fieldManager: "me",
    });
    expect(named.metadata?.managedFields?.map(({ manager }) => manager)).toEqual(["me"]);
    await core.createNamespacedConfigMap({ namespace, body: map("unnamed", { a: "1" }) });
    const { text } = await call(cluster.transport(), "GET", `/api/v1/namespaces/${namespace}/configmaps/unnamed`);
    expect(fieldOwners(JSON.parse(text) as KubeObject)).toEqual(['Update node-fetch {"f:data":{".":{},"f:a":{}}}']);
  });
});
