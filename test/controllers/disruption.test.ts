import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Cluster, startCluster } from "../../src/cluster/index.js";
import type { Transport } from "../../src/client/transport/transport.js";
import { objects } from "../../src/machinery/meta/access.js";
import type { JsonObject } from "../../src/machinery/meta/json.js";
import { call } from "../helpers/api-caller.js";
import { eventually } from "../helpers/eventually.js";
import { quietCluster } from "../helpers/quiet-cluster.js";

let cluster: Cluster;
let api: Transport;

beforeAll(async () => {
  cluster = await startCluster({ port: false, ...quietCluster });
  api = cluster.transport();
});

afterAll(() => cluster.close());

const PODS = "/api/v1/namespaces/default/pods";
const BUDGETS = "/apis/policy/v1/namespaces/default/poddisruptionbudgets";
const SETS = "/apis/apps/v1/namespaces/default/replicasets";

async function runningPod(name: string, app: string, { ready = true, owner = undefined as object | undefined } = {}) {
  const metadata = { name, labels: { app }, ...(owner && { ownerReferences: [owner] }) };
  const spec = { nodeName: "node", containers: [{ name: "c", image: "i" }] };
  const created = await call(api, "POST", PODS, { metadata, spec });
  expect(created.status, created.text).toBe(201);
  const conditions = [{ type: "Ready", status: ready ? "True" : "False" }];
  await patchStatus(`${PODS}/${name}`, { phase: "Running", conditions });
}

async function patchStatus(path: string, status: JsonObject): Promise<void> {
  const answer = await call(api, "PATCH", `${path}/status`, { status }, { type: "application/merge-patch+json" });
  expect(answer.status, answer.text).toBe(200);
}

async function budget(name: string, spec: JsonObject): Promise<void> {
  const selector = { matchLabels: { app: name } };
  const answer = await call(api, "POST", BUDGETS, { metadata: { name }, spec: { selector, ...spec } });
  expect(answer.status, answer.text).toBe(201);
}

const statusOf = async (name: string) => (await call(api, "GET", `${BUDGETS}/${name}`)).at("status") as JsonObject;

async function expectNumbers(name: string, numbers: JsonObject): Promise<void> {
  await eventually(async () => expect(await statusOf(name)).toMatchObject(numbers));
}

const evict = (pod: string, more: JsonObject = {}, query = "") =>
  call(api, "POST", `${PODS}/${pod}/eviction${query}`, {
    apiVersion: "policy/v1",
    kind: "Eviction",
    metadata: { name: pod },
    ...more,
  });

describe("the counts in the status of a PodDisruptionBudget", () => {
  test("are zero without pods", async () => {
    await budget("none", { minAvailable: 1 });
    await eventually(async () => {
      const { conditions, ...numbers } = await statusOf("none");
      expect(numbers).toEqual({
        currentHealthy: 0,
        desiredHealthy: 1,
        disruptionsAllowed: 0,
        expectedPods: 0,
        observedGeneration: 1,
      });
      expect(conditions).toEqual([
        {
          type: "DisruptionAllowed",
          status: "False",
          observedGeneration: 1,
          lastTransitionTime: expect.any(String) as string,
          reason: "InsufficientPods",
          message: "",
        },
      ]);
    });
  });

  test("follow pods that are ready, not ready or gone", async () => {
    await budget("numbers", { minAvailable: 1 });
    await runningPod("numbers-1", "numbers");
    await runningPod("numbers-2", "numbers", { ready: false });
    await expectNumbers("numbers", { currentHealthy: 1, expectedPods: 2, disruptionsAllowed: 0 });
    await patchStatus(`${PODS}/numbers-2`, { conditions: [{ type: "Ready", status: "True" }] });
    await expectNumbers("numbers", { currentHealthy: 2, desiredHealthy: 1, disruptionsAllowed: 1 });
    await call(api, "DELETE", `${PODS}/numbers-1?gracePeriodSeconds=0`);
    await expectNumbers("numbers", { currentHealthy: 1, expectedPods: 1, disruptionsAllowed: 0 });
  });

  test("are for a percentage computed from the replicas of the pods' controllers", async () => {
    const template = { metadata: { labels: { app: "share" } }, spec: { containers: [{ name: "c", image: "i" }] } };
    const spec = { replicas: 5, selector: { matchLabels: { app: "share" } }, template };
    const set = await call(api, "POST", SETS, { metadata: { name: "share" }, spec });
    expect(set.status, set.text).toBe(201);
    const owner = {
      apiVersion: "apps/v1",
      kind: "ReplicaSet",
      name: "share",
      uid: set.at("metadata.uid"),
      controller: true,
    };
    for (const number of [1, 2, 3]) await runningPod(`share-${number}`, "share", { owner });
    await budget("share", { maxUnavailable: "50%" });
    await expectNumbers("share", { expectedPods: 5, desiredHealthy: 2, currentHealthy: 3, disruptionsAllowed: 1 });
  });

  test("allow no disruption, with a condition, when a pod's controller has no scale", async () => {
    const spec = { template: { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "i" }] } } };
    const job = await call(api, "POST", "/apis/batch/v1/namespaces/default/jobs", { metadata: { name: "job" }, spec });
    expect(job.status, job.text).toBe(201);
    const owner = { apiVersion: "batch/v1", kind: "Job", name: "job", uid: job.at("metadata.uid"), controller: true };
    await runningPod("job-1", "job", { owner });
    await budget("job", { maxUnavailable: 1 });
    await eventually(async () => {
      const { conditions, disruptionsAllowed } = await statusOf("job");
      expect([disruptionsAllowed, conditions]).toMatchObject([
        0,
        [{ reason: "SyncFailed", message: "jobs.batch does not implement the scale subresource" }],
      ]);
    });
  });
});

describe("an eviction of a pod", () => {
  test("is refused while its budget allows no disruption, and an allowed one is counted", async () => {
    await budget("two", { minAvailable: 1 });
    await runningPod("two-1", "two");
    await runningPod("two-2", "two");
    await expectNumbers("two", { disruptionsAllowed: 1 });
    const first = await evict("two-1");
    expect([first.status, JSON.parse(first.text)]).toEqual([
      201,
      { kind: "Status", apiVersion: "v1", metadata: {}, status: "Success", code: 201 },
    ]);
    const pod = await call(api, "GET", `${PODS}/two-1`);
    expect(pod.at("metadata.deletionGracePeriodSeconds")).toBe(30);
    expect(pod.at("status.conditions.1")).toMatchObject({
      type: "DisruptionTarget",
      status: "True",
      reason: "EvictionByEvictionAPI",
      message: "Eviction API: evicting",
    });
    await expectNumbers("two", { currentHealthy: 1, expectedPods: 2 });
    const second = await evict("two-2");
    expect(second.status).toBe(429);
    expect(second.headers["retry-after"]).toBeUndefined();
    expect(JSON.parse(second.text)).toEqual({
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Failure",
      message: "Cannot evict pod as it would violate the pod's disruption budget.",
      reason: "TooManyRequests",
      details: {
        causes: [
          { reason: "DisruptionBudget", message: "The disruption budget two needs 1 healthy pods and has 1 currently" },
        ],
      },
      code: 429,
    });
  });

  test("as a dry run takes nothing from the budget", async () => {
    await budget("dry", { minAvailable: 1 });
    await runningPod("dry-1", "dry");
    await runningPod("dry-2", "dry");
    await expectNumbers("dry", { disruptionsAllowed: 1 });
    expect((await evict("dry-1", {}, "?dryRun=All")).status).toBe(201);
    expect((await evict("dry-1", { deleteOptions: { dryRun: ["All"] } })).status).toBe(201);
    expect(await statusOf("dry")).toMatchObject({ disruptionsAllowed: 1 });
    expect((await call(api, "GET", `${PODS}/dry-1`)).at("metadata.deletionTimestamp")).toBeUndefined();
  });

  test("needs no budget when the pod has ended or not begun", async () => {
    await budget("over", { minAvailable: 5 });
    await runningPod("over-1", "over");
    await patchStatus(`${PODS}/over-1`, { phase: "Succeeded" });
    expect((await evict("over-1")).status).toBe(201);
    expect((await call(api, "GET", `${PODS}/over-1`)).status).toBe(404);
    const spec = { containers: [{ name: "c", image: "i" }] };
    await call(api, "POST", PODS, { metadata: { name: "over-2", labels: { app: "over" } }, spec });
    expect((await evict("over-2")).status).toBe(201);
  });

  test("that is not ready is allowed only if enough others are healthy, or always with AlwaysAllow", async () => {
    await budget("ill", { minAvailable: 1 });
    await runningPod("ill-1", "ill", { ready: false });
    await expectNumbers("ill", { expectedPods: 1, desiredHealthy: 1 });
    expect((await evict("ill-1")).status).toBe(429);
    const patch = { spec: { unhealthyPodEvictionPolicy: "AlwaysAllow" } };
    await call(api, "PATCH", `${BUDGETS}/ill`, patch, { type: "application/merge-patch+json" });
    expect((await evict("ill-1")).status).toBe(201);
  });

  test("is answered with a retry time while the controller has not computed its budget yet", async () => {
    await budget("new", { minAvailable: 0 });
    await runningPod("new-1", "new");
    await expectNumbers("new", { disruptionsAllowed: 1 });
    await patchStatus(`${BUDGETS}/new`, { observedGeneration: 0 }).then(async () => {
      const answer = await evict("new-1");
      // The controller may be faster, and then it is allowed.
      if (answer.status === 201) return;
      expect([answer.status, answer.headers["retry-after"]]).toEqual([429, "10"]);
      expect(answer.at("details")).toEqual({
        causes: [
          { reason: "DisruptionBudget", message: "The disruption budget new is still being processed by the server." },
        ],
        retryAfterSeconds: 10,
      });
    });
  });

  test("fails when two budgets select the pod", async () => {
    await runningPod("both-1", "both");
    await budget("both", { minAvailable: 0 });
    const selector = { matchLabels: { app: "both" } };
    await call(api, "POST", BUDGETS, { metadata: { name: "both-again" }, spec: { selector, minAvailable: 0 } });
    const answer = await evict("both-1");
    expect(JSON.parse(answer.text)).toEqual({
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Failure",
      message: "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.",
      code: 500,
    });
  });

  test("fails when the uid or the name does not match", async () => {
    await runningPod("exact", "exact");
    const wrong = await evict("exact", { deleteOptions: { preconditions: { uid: "another" } } });
    expect([wrong.status, wrong.at("reason")]).toEqual([409, "Conflict"]);
    const misnamed = await evict("exact", { metadata: { name: "other" } });
    expect([misnamed.status, misnamed.at("message")]).toEqual([
      400,
      "name in URL does not match name in Eviction object",
    ]);
    expect((await evict("exact", { apiVersion: "policy/v1beta1" })).status).toBe(201);
    expect((await evict("nobody")).status).toBe(404);
  });
});

describe("the disruption controller records an event for", () => {
  const eventsOf = async (name: string, reason: string) =>
    objects(
      (
        await call(
          api,
          "GET",
          `/api/v1/namespaces/default/events?fieldSelector=involvedObject.name%3D${name}%2Creason%3D${reason}`,
        )
      ).at("items"),
    );
  const expectEvent = (name: string, reason: string, event: JsonObject) =>
    eventually(async () => {
      const source = { component: "controllermanager" };
      const reporting = { source, reportingComponent: "controllermanager" };
      expect(await eventsOf(name, reason)).toMatchObject([{ ...reporting, ...event }]);
    });
  const UNMANAGED = (selector: string) =>
    `Pods selected by this PodDisruptionBudget (selector: ${selector}) were found to be unmanaged. As a result, the status of the PDB cannot be calculated correctly, which may result in undefined behavior. To account for these pods please set ".spec.minAvailable" field of the PDB to an integer value.`;

  test("a budget that selects no pods", async () => {
    await budget("nobody", { minAvailable: 1 });
    await expectEvent("nobody", "NoPods", { type: "Normal", message: "No matching pods found" });
  });

  test("a pod without a controller, when the budget needs the expected number of pods", async () => {
    await runningPod("lonely-1", "lonely");
    await budget("lonely", { maxUnavailable: 0 });
    const selector =
      "&LabelSelector{MatchLabels:map[string]string{app: lonely,},MatchExpressions:[]LabelSelectorRequirement{},}";
    await expectEvent("lonely", "UnmanagedPods", { type: "Warning", message: UNMANAGED(selector) });
    expect(await eventsOf("lonely", "NoPods")).toEqual([]);
  });

  test("a budget's selector, printed as Go prints it", async () => {
    await runningPod("printed-1", "printed");
    const matchExpressions = [
      { key: "app", operator: "In", values: ["printed", "x"] },
      { key: "gone", operator: "DoesNotExist" },
    ];
    await budget("printed", { minAvailable: "50%", selector: { matchExpressions } });
    const shown =
      "LabelSelectorRequirement{Key:app,Operator:In,Values:[printed x],},LabelSelectorRequirement{Key:gone,Operator:DoesNotExist,Values:[],},";
    const selector = `&LabelSelector{MatchLabels:map[string]string{},MatchExpressions:[]LabelSelectorRequirement{${shown}},}`;
    await expectEvent("printed", "UnmanagedPods", { message: UNMANAGED(selector) });
  });

  test("a pod whose controller cannot be scaled", async () => {
    await expectEvent("job", "CalculateExpectedPodCountFailed", {
      type: "Warning",
      message: "Failed to calculate the number of expected pods: jobs.batch does not implement the scale subresource",
    });
  });

  test("a pod that two budgets select", async () => {
    await runningPod("twice-1", "twice");
    await budget("twice", { minAvailable: 1 });
    expect(await eventsOf("twice-1", "MultiplePodDisruptionBudgets")).toEqual([]);
    await budget("twice-again", { minAvailable: 1, selector: { matchLabels: { app: "twice" } } });
    await eventually(async () => {
      const type = "application/merge-patch+json";
      await call(api, "PATCH", `${PODS}/twice-1`, { metadata: { labels: { at: `${performance.now()}` } } }, { type });
      expect(await eventsOf("twice-1", "MultiplePodDisruptionBudgets")).toMatchObject([
        {
          type: "Warning",
          message: expect.stringMatching(
            /^Pod "default"\/"twice-1" matches multiple PodDisruptionBudgets\. {2}Chose "twice(-again)?" arbitrarily\.$/,
          ) as string,
        },
      ]);
    });
  });
});
