import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  describeProblem,
  kubernetesClient,
  type KubernetesClient,
  Manager,
  type Problem,
} from "../../../src/client/index.js";
import { type Cluster, startCluster } from "../../../src/cluster/index.js";
import type { CustomResourceDefinition } from "../../../src/api/types/apiextensions/v1.js";
import { eventually } from "../../helpers/eventually.js";
import { ManualTime } from "../../helpers/manual-time.js";

let cluster: Cluster;
let client: KubernetesClient;
beforeAll(async () => {
  cluster = await startCluster({ port: false });
  client = kubernetesClient(cluster);
});
afterAll(async () => {
  await client.close();
  await cluster.close();
});

async function namespace(name: string): Promise<string> {
  await client.of("v1", "Namespace").create({ apiVersion: "v1", kind: "Namespace", metadata: { name } });
  return name;
}

const CRON_TABS: CustomResourceDefinition = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "crontabs.stable.example.com" },
  spec: {
    group: "stable.example.com",
    names: { plural: "crontabs", kind: "CronTab" },
    scope: "Namespaced",
    versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } }],
  },
};

describe("a manager of controllers", () => {
  test("CR-7: reconciles an owner when an object that it owns is missing, deleted or changed", async () => {
    const inNamespace = await namespace("copies");
    const configMaps = client.of("v1", "ConfigMap").namespace(inNamespace);
    const stop = new AbortController();
    const manager = new Manager(client, { namespace: inNamespace });
    manager
      .controllerFor("v1", "ConfigMap", { labelSelector: "copy=true" })
      .owns("v1", "Secret")
      .reconcile(async ({ namespace: at, name, object }) => {
        if (object === undefined) return;
        const ownerReferences = [
          { apiVersion: "v1", kind: "ConfigMap", name, uid: object.metadata?.uid ?? "", controller: true },
        ];
        await client
          .of("v1", "Secret")
          .namespace(at)
          .apply(
            { apiVersion: "v1", kind: "Secret", metadata: { name, ownerReferences }, stringData: object.data ?? {} },
            { fieldManager: "copier", force: true },
          );
      });
    const running = manager.run(stop.signal);
    await configMaps.create({
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "one", labels: { copy: "true" } },
      data: { a: "b" },
    });
    const secrets = client.of("v1", "Secret").namespace(inNamespace);
    const first = await eventually(() => secrets.get("one"));
    expect(first.data).toEqual({ a: "Yg==" });
    await secrets.delete("one");
    const second = await eventually(() => secrets.get("one"));
    expect(second.metadata?.uid).not.toBe(first.metadata?.uid);
    stop.abort();
    await running;
  });

  test("calls a reconciler that threw again, and reports the error with the object; other objects go on", async () => {
    const inNamespace = await namespace("faults");
    const configMaps = client.of("v1", "ConfigMap").namespace(inNamespace);
    for (const name of ["bad", "good"]) {
      await configMaps.create({ apiVersion: "v1", kind: "ConfigMap", metadata: { name } });
    }
    const stop = new AbortController();
    const problems: Problem[] = [];
    const calls: string[] = [];
    const manager = new Manager(client, { namespace: inNamespace, onProblem: (problem) => problems.push(problem) });
    manager.controllerFor("v1", "ConfigMap").reconcile(({ name }) => {
      calls.push(name);
      if (name === "bad" && calls.filter((one) => one === name).length < 3) throw new Error("not yet");
    });
    const running = manager.run(stop.signal);
    await eventually(async () => expect(calls.filter((name) => name === "bad")).toHaveLength(3));
    expect(calls).toContain("good");
    expect(problems).toEqual([
      {
        type: "reconcile-failed",
        controller: "configmap",
        key: "faults/bad",
        error: new Error("not yet"),
        failures: 1,
      },
    ]);
    stop.abort();
    await running;
  });

  test("starts its other controllers when the resource of one is not served", async () => {
    const inNamespace = await namespace("unserved");
    await client
      .of("v1", "ConfigMap")
      .namespace(inNamespace)
      .create({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "one" } });
    const stop = new AbortController();
    const problems: Problem[] = [];
    const calls: string[] = [];
    const manager = new Manager(client, { namespace: inNamespace, onProblem: (problem) => problems.push(problem) });
    manager.controllerFor("internal.apiserver.k8s.io/v1alpha1", "StorageVersion").reconcile(() => {});
    manager.controllerFor("v1", "ConfigMap").reconcile(({ name }) => void calls.push(name));
    const running = manager.run(stop.signal);
    await eventually(async () => expect(calls).toContain("one"));
    expect(problems.map(({ type }) => type)).toContain("informer-fault");
    stop.abort();
    await running;
  });

  test("starts its other controllers when the server lacks the kind of one, and that one once the kind is defined", async () => {
    const inNamespace = await namespace("undefined-kind");
    await client
      .of("v1", "ConfigMap")
      .namespace(inNamespace)
      .create({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "one" } });
    const stop = new AbortController();
    const problems: string[] = [];
    const calls: string[] = [];
    const manager = new Manager(client, {
      namespace: inNamespace,
      onProblem: (problem) => problems.push(describeProblem(problem)),
    });
    manager.controllerFor("stable.example.com/v1", "CronTab").reconcile(({ name }) => void calls.push(name));
    manager.controllerFor("v1", "ConfigMap").reconcile(({ name }) => void calls.push(name));
    const running = manager.run(stop.signal);
    await eventually(async () => expect(calls).toContain("one"));
    expect(problems[0]).toMatch(
      /^list of CronTab failed .*: no matches for kind "CronTab" in version "stable.example.com\/v1"$/,
    );

    await client.of("apiextensions.k8s.io/v1", "CustomResourceDefinition").create(CRON_TABS);
    const cronTabs = client.of("stable.example.com/v1", "CronTab").namespace(inNamespace);
    await eventually(() =>
      cronTabs.create({ apiVersion: "stable.example.com/v1", kind: "CronTab", metadata: { name: "two" } }),
    );
    await eventually(async () => expect(calls).toContain("two"));
    stop.abort();
    await running;
  });

  test("ends its informers without an error when the client is closed", async () => {
    const own = kubernetesClient(cluster);
    const problems: Problem[] = [];
    const manager = new Manager(own, { onProblem: (problem) => problems.push(problem) });
    manager.controllerFor("v1", "Secret").reconcile(() => {});
    manager.controllerFor("stable.example.com/v2", "CronTab").reconcile(() => {});
    const stop = new AbortController();
    const running = manager.run(stop.signal);
    await eventually(async () => expect(problems).toHaveLength(1));
    await own.close();
    await manager.informers.stopped();
    expect(problems).toHaveLength(1);
    stop.abort();
    await running;
  });

  test("reports a reconciler that hangs once a minute, and reconciles other objects meanwhile", async () => {
    const inNamespace = await namespace("hanging");
    const configMaps = client.of("v1", "ConfigMap").namespace(inNamespace);
    for (const name of ["stuck", "other"]) {
      await configMaps.create({ apiVersion: "v1", kind: "ConfigMap", metadata: { name, labels: { app: "web" } } });
    }
    const time = new ManualTime();
    const problems: string[] = [];
    const reconciled: string[] = [];
    const stop = new AbortController();
    const manager = new Manager(client, {
      namespace: inNamespace,
      timers: time,
      stopwatch: time.stopwatch,
      gracefulShutdownMilliseconds: 5000,
      onProblem: (problem) => problems.push(describeProblem(problem)),
    });
    manager
      .controllerFor("v1", "ConfigMap", { labelSelector: "app=web" })
      .named("web")
      .workers(2)
      .reconcile(({ name }) => (name === "stuck" ? new Promise(() => {}) : void reconciled.push(name)));
    const running = manager.run(stop.signal);
    await eventually(async () => expect(reconciled).toEqual(["other"]));
    time.pass(60_000);
    await eventually(async () => expect(problems).toHaveLength(1));
    time.pass(60_000);
    await eventually(async () => expect(problems).toHaveLength(2));
    const [status] = manager.status();
    expect(status).toMatchObject({ name: "web", queue: { depth: 0, processing: 1 } });
    expect(status?.queue.longestRunning?.item).toBe("hanging/stuck");
    await configMaps.patch("other", { data: { a: "b" } }, { type: "merge" });
    await eventually(async () => expect(reconciled).toEqual(["other", "other"]));

    stop.abort();
    // The grace for running reconciliations is over.
    await eventually(async () => {
      time.pass(5000);
      expect(problems).toHaveLength(3);
    });
    await running;
    expect(problems).toEqual([
      "web: reconciling hanging/stuck has been running for 60 seconds",
      "web: reconciling hanging/stuck has been running for 120 seconds",
      expect.stringMatching(/^web: reconciling hanging\/stuck has been running for 1[23]\d seconds$/),
    ]);
  });

  test("refuses a controller after its start, and a second start", async () => {
    const stop = new AbortController();
    const manager = new Manager(client, { namespace: "default" });
    const running = manager.run(stop.signal);
    expect(() =>
      manager
        .controllerFor("v1", "Secret")
        .named("late")
        .reconcile(() => {}),
    ).toThrow("controller late was added after the manager was started");
    await expect(manager.run(stop.signal)).rejects.toThrow("the manager was started already");
    stop.abort();
    await running;
  });
});
