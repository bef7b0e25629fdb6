import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { nodeLifecycleController } from "../../src/controllers/node-lifecycle/node-lifecycle-controller.js";
import { podGarbageCollector } from "../../src/controllers/pod-garbage-collector/pod-garbage-collector.js";
import { taintEvictionController } from "../../src/controllers/taint-eviction/taint-eviction-controller.js";
import { list, object, objects, text } from "../../src/machinery/meta/access.js";
import type { JsonObject } from "../../src/machinery/meta/json.js";
import { call } from "../helpers/api-caller.js";
import { eventually } from "../helpers/eventually.js";
import type { Transport } from "../../src/client/transport/transport.js";
import { startCluster } from "../../src/cluster/index.js";
import { type ManualControllers, manualControllers, runControllers } from "../helpers/manual-controllers.js";
import { ManualTime } from "../helpers/manual-time.js";

const NODES = "/api/v1/nodes";
const PODS = "/api/v1/namespaces/default/pods";
const LEASES = "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases";

describe("the node lifecycle controller", () => {
  let run: ManualControllers;
  const patch = (path: string, body: JsonObject) =>
    call(run.api, "PATCH", path, body, { type: "application/merge-patch+json" });
  const now = (): string => new Date(run.time.now()).toISOString().replace("Z", "000Z");
  const taints = async (name: string): Promise<string[]> => {
    const spec = (await call(run.api, "GET", `${NODES}/${name}`)).at("spec");
    return objects(object(spec)["taints"])
      .map(({ key, effect }) => `${text(key).split("/")[1]}:${text(effect)}`)
      .sort();
  };
  const ready = async (path: string): Promise<string> => {
    const conditions = objects(object((await call(run.api, "GET", path)).at("status"))["conditions"]);
    const condition = conditions.find(({ type }) => type === "Ready");
    return `${text(condition?.["status"])} ${text(condition?.["reason"])}`.trim();
  };
  const post = async (name: string, status = "True"): Promise<void> => {
    const condition = { type: "Ready", status, reason: "Kubelet", lastHeartbeatTime: now().slice(0, 19) + "Z" };
    await patch(`${NODES}/${name}/status`, { status: { conditions: [condition] } });
  };
  const renew = async (...names: string[]): Promise<void> => {
    for (const name of names) await patch(`${LEASES}/${name}`, { spec: { renewTime: now() } });
  };
  const pod = async (name: string, nodeName: string, tolerationSeconds?: number): Promise<void> => {
    const tolerations = ["unreachable", "not-ready"].map((key) => ({
      key: `node.kubernetes.io/${key}`,
      operator: "Exists",
      effect: "NoExecute",
      ...(tolerationSeconds !== undefined && { tolerationSeconds }),
    }));
    const spec = { nodeName, tolerations, terminationGracePeriodSeconds: 30, containers: [{ name: "c", image: "i" }] };
    expect((await call(run.api, "POST", PODS, { metadata: { name }, spec })).status).toBe(201);
    const conditions = [{ type: "Ready", status: "True", lastTransitionTime: "2026-01-01T00:00:00Z" }];
    await patch(`${PODS}/${name}/status`, { status: { phase: "Running", conditions } });
  };
  const reasons = async (): Promise<string[]> => {
    const events = objects((await call(run.api, "GET", "/api/v1/namespaces/default/events")).at("items"));
    return events.map(({ reason, message }) => `${text(reason)}: ${text(message)}`);
  };

  beforeAll(async () => {
    run = await manualControllers(nodeLifecycleController, taintEvictionController, podGarbageCollector);
    await call(run.api, "POST", "/api/v1/namespaces", { metadata: { name: "kube-node-lease" } });
    for (const name of ["silent", "well"]) {
      await call(run.api, "POST", NODES, { metadata: { name, labels: { "kubernetes.io/os": "linux" } } });
      await call(run.api, "POST", LEASES, { metadata: { name }, spec: { holderIdentity: name, renewTime: now() } });
      await post(name);
    }
    await pod("brief", "silent", 60);
    await pod("lasting", "silent");
    await pod("other", "well", 60);
  });

  afterAll(() => run.close());

  test("gives a registered node the older names of its labels", async () => {
    await run.pass(6000, 1000);
    await eventually(async () =>
      expect(await reasons()).toContain("RegisteredNode: Node well event: Registered Node well in Controller"),
    );
    const labels = object(object((await call(run.api, "GET", `${NODES}/well`)).at("metadata"))["labels"]);
    expect(labels["beta.kubernetes.io/os"]).toBe("linux");
  });

  test("keeps a node ready that renews its Lease, and marks a silent node unknown and its pods not ready", async () => {
    for (let passed = 0; passed < 40; passed += 10) {
      await renew("silent", "well");
      await run.pass(10_000);
    }
    expect(await ready(`${NODES}/silent`)).toBe("True Kubelet");
    for (let passed = 0; passed < 50; passed += 10) {
      await renew("well");
      await run.pass(10_000);
    }
    await eventually(async () => {
      expect(await ready(`${NODES}/silent`)).toBe("Unknown NodeStatusUnknown");
      expect(await ready(`${PODS}/lasting`)).toBe("False");
    });
    expect(await ready(`${PODS}/other`)).toBe("True");
    await renew("well");
    await run.pass(6000, 1000);
    await eventually(async () =>
      expect(await taints("silent")).toEqual(["unreachable:NoExecute", "unreachable:NoSchedule"]),
    );
    expect(await taints("well")).toEqual([]);
    expect(await run.counted("node_collector_evictions_total")).toEqual({ "": 1 });
    expect(await reasons()).toEqual(
      expect.arrayContaining([
        "NodeNotReady: Node silent status is now: NodeNotReady",
        "NodeNotReady: Node is not ready",
      ]),
    );
  });

  test("deletes pods of a silent node when their tolerations end", async () => {
    for (let passed = 0; passed < 70; passed += 10) {
      await renew("well");
      await run.pass(10_000, 5000);
    }
    await eventually(async () => {
      const brief = await call(run.api, "GET", `${PODS}/brief`);
      expect(object(brief.at("metadata"))).toHaveProperty("deletionTimestamp");
      const conditions = objects(object(brief.at("status"))["conditions"]);
      expect(conditions).toContainEqual(
        expect.objectContaining({
          type: "DisruptionTarget",
          status: "True",
          reason: "DeletionByTaintManager",
          message: "Taint manager: deleting due to NoExecute taint",
        }),
      );
    });
    for (const name of ["lasting", "other"]) {
      const kept = await call(run.api, "GET", `${PODS}/${name}`);
      expect(object(kept.at("metadata"))).not.toHaveProperty("deletionTimestamp");
    }
    expect(await reasons()).toContain("TaintManagerEviction: Marking for deletion Pod default/brief");
  });

  test("removes the taints of a node that returns, and cancels waiting deletions", async () => {
    await pod("saved", "silent", 60);
    await run.pass(1000);
    await post("silent");
    await renew("silent", "well");
    await run.pass(6000, 1000);
    await eventually(async () => expect(await taints("silent")).toEqual([]));
    await eventually(async () =>
      expect(await reasons()).toContain("TaintManagerEviction: Cancelling deletion of Pod default/saved"),
    );
  });

  test("evicts no pods while no node is ready", async () => {
    await post("silent", "False");
    await post("well", "False");
    await run.pass(10_000, 1000);
    await eventually(async () => {
      expect(await taints("silent")).toEqual(["not-ready:NoSchedule"]);
      expect(await taints("well")).toEqual(["not-ready:NoSchedule"]);
    });
  });

  test("force-deletes pods that are deleted on a node that is out of service", async () => {
    await patch(`${NODES}/silent`, {
      spec: { taints: [{ key: "node.kubernetes.io/out-of-service", value: "nodeshutdown", effect: "NoExecute" }] },
    });
    await run.pass(21_000, 1000);
    await eventually(async () => {
      const names = objects((await call(run.api, "GET", PODS)).at("items")).map((one) =>
        text(object(one["metadata"])["name"]),
      );
      expect(names).toEqual(["other"]);
    });
  });

  test("fails and deletes the pods of a removed node after a quarantine", async () => {
    await call(run.api, "DELETE", `${NODES}/well`);
    await run.pass(39_000, 13_000);
    expect(list((await call(run.api, "GET", PODS)).at("items"))).toHaveLength(1);
    await run.pass(2000);
    await eventually(async () => expect(list((await call(run.api, "GET", PODS)).at("items"))).toEqual([]));
    expect(run.problems).toEqual([]);
  });
});

/** A transport whose watches of Leases show nothing any more once they are held. */
function holdingLeases(api: Transport): Transport & { hold(): void } {
  let isHeld = false;
  async function* shown(body: AsyncIterable<Uint8Array>, signal: AbortSignal | undefined): AsyncIterable<Uint8Array> {
    for await (const chunk of body) {
      if (isHeld)
        await new Promise((_, reject) => signal?.addEventListener("abort", () => reject(new Error("aborted"))));
      yield chunk;
    }
  }
  return {
    hold: () => void (isHeld = true),
    close: () => api.close(),
    async send(request) {
      const answer = await api.send(request);
      const isWatch = /\/leases\?.*\bwatch=/.test(request.path);
      return isWatch ? { ...answer, body: shown(answer.body, request.signal) } : answer;
    },
  };
}

test.each([
  ["1.36 believes", "Unknown"],
  ["1.37 reads the Lease and does not believe", "True"],
])("K37-144: %s its cache of Leases when it is behind", async (title, expected) => {
  const time = new ManualTime();
  const version = title.slice(0, 4);
  const cluster = await startCluster({
    port: false,
    controllers: ["serviceaccount-controller"],
    scheduler: false,
    clock: time,
    kubernetesVersion: version,
  });
  onTestFinished(() => cluster.close());
  const api = holdingLeases(cluster.transport());
  const now = (): string => new Date(time.now()).toISOString();
  await call(api, "POST", "/api/v1/namespaces", { metadata: { name: "kube-node-lease" } });
  await call(api, "POST", NODES, { metadata: { name: "n" } });
  const spec = { holderIdentity: "n", renewTime: now().replace("Z", "000Z") };
  await call(api, "POST", LEASES, { metadata: { name: "n" }, spec });
  const ready = { type: "Ready", status: "True", reason: "Kubelet", lastHeartbeatTime: `${now().slice(0, 19)}Z` };
  const merge = { type: "application/merge-patch+json" };
  await call(api, "PATCH", `${NODES}/n/status`, { status: { conditions: [ready] } }, merge);
  const run = await runControllers(api, time, [nodeLifecycleController], version);
  onTestFinished(() => run.close());
  await run.pass(6000, 1000);
  api.hold();
  for (let passed = 0; passed < 60; passed += 10) {
    await call(api, "PATCH", `${LEASES}/n`, { spec: { renewTime: now().replace("Z", "000Z") } }, merge);
    await run.pass(10_000, 2000);
  }
  await eventually(async () => {
    const conditions = objects((await call(api, "GET", `${NODES}/n`)).at("status.conditions"));
    expect(conditions.find(({ type }) => type === "Ready")?.["status"]).toBe(expected);
  });
});
