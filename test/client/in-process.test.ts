import { expect, test } from "vitest";
import { startCluster } from "../../src/cluster/index.js";
import { quietCluster } from "../helpers/quiet-cluster.js";
import {
  isAlreadyExists,
  isConflict,
  isNotFound,
  kubernetesClient,
  type KubeObject,
  loadConfig,
  type ObjectMeta,
} from "../../src/client/index.js";

interface Deployment extends KubeObject {
  readonly spec: {
    readonly replicas?: number;
    readonly template: { readonly metadata?: ObjectMeta; readonly spec: { readonly containers: Container[] } };
  };
}
interface Container {
  readonly name: string;
  readonly image: string;
}

const web: Deployment & { readonly spec: { readonly selector: unknown } } = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "web", namespace: "default", labels: { app: "web" } },
  spec: {
    replicas: 1,
    selector: { matchLabels: { app: "web" } },
    template: {
      metadata: { labels: { app: "web" } },
      spec: { containers: [{ name: "nginx", image: "nginx:1.26" }] },
    },
  },
};

test("a client in the server's process lists, creates, patches, watches and deletes without a socket", async () => {
  const cluster = await startCluster({ ...quietCluster, port: false });
  const config = await loadConfig({ server: "https://in-process.invalid", token: cluster.token, env: {} });
  const client = kubernetesClient(config, { transport: cluster.transport() });
  try {
    const deployments = await client.resourceFor(web);
    const { items, metadata } = await deployments.list({ labelSelector: "app=web" });
    expect(items).toEqual([]);

    const stop = new AbortController();
    const events: string[] = [];
    const watching = (async () => {
      const { resourceVersion = "" } = metadata;
      for await (const { type, object } of deployments.watch({ resourceVersion, signal: stop.signal })) {
        events.push(`${type} ${object.metadata?.name} ${object.spec.replicas}`);
        if (type === "DELETED") break;
      }
    })();

    const created = await deployments.create(web);
    expect(created.metadata?.uid).toMatch(/^[0-9a-f-]{36}$/);
    await expect(deployments.create(web)).rejects.toSatisfy(isAlreadyExists);

    const side = { spec: { template: { spec: { containers: [{ name: "side", image: "busybox" }] } } } };
    const merged = await deployments.patch("web", side, { type: "strategic", fieldManager: "operator" });
    expect(merged.spec.template.spec.containers.map(({ name }) => name)).toEqual(["side", "nginx"]);
    const scale = [{ op: "replace" as const, path: "/spec/replicas", value: 3 }];
    expect((await deployments.patch("web", scale, { type: "json" })).spec.replicas).toBe(3);
    await expect(deployments.update(created)).rejects.toSatisfy(isConflict);

    const wrongUid = { preconditions: { uid: "00000000-0000-0000-0000-000000000000" } };
    await expect(deployments.delete("web", wrongUid)).rejects.toSatisfy(isConflict);
    await deployments.delete("web", { preconditions: { uid: created.metadata?.uid ?? "" } });
    await expect(deployments.get("web")).rejects.toSatisfy(isNotFound);

    await watching;
    expect(events).toEqual(["ADDED web 1", "MODIFIED web 1", "MODIFIED web 3", "DELETED web 3"]);

    // A watch that is stopped ends, and what it reads is the caller's own.
    const idle = (async () => {
      for await (const _ of deployments.watch({ signal: stop.signal }));
    })();
    stop.abort();
    await expect(idle).rejects.toThrow();
  } finally {
    await client.close();
    await cluster.close();
  }
});

test("a client in the server's process reads a paged list to its end at the requested resourceVersion", async () => {
  const cluster = await startCluster({ ...quietCluster, port: false });
  const config = await loadConfig({ server: "https://in-process.invalid", token: cluster.token, env: {} });
  const client = kubernetesClient(config, { transport: cluster.transport() });
  try {
    const maps = client.resource({ group: "", version: "v1", resource: "configmaps" }).namespace("default");
    let resourceVersion = "";
    for (const name of ["a", "b", "c", "d", "e"]) {
      const made = await maps.create({ apiVersion: "v1", kind: "ConfigMap", metadata: { name, labels: { t: "x" } } });
      resourceVersion = made.metadata?.resourceVersion ?? "";
    }
    const found: (string | undefined)[] = [];
    for await (const { metadata } of maps.listAll({ labelSelector: "t=x", pageSize: 2, resourceVersion })) {
      found.push(metadata?.name);
      if (found.length === 1) await maps.delete("e");
    }
    expect(found).toEqual(["a", "b", "c", "d", "e"]);
  } finally {
    await client.close();
    await cluster.close();
  }
});

test("a client in the server's process reads a list that the server would compress over a network", async () => {
  const cluster = await startCluster({ ...quietCluster, port: false });
  const config = await loadConfig({ server: "https://in-process.invalid", token: cluster.token, env: {} });
  const client = kubernetesClient(config, { transport: cluster.transport() });
  const configMaps = client.of("v1", "ConfigMap").namespace("default");
  const large = { text: "x".repeat(200_000) };
  await configMaps.create({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "large" }, data: large });
  expect((await configMaps.list()).items.find(({ metadata }) => metadata?.name === "large")?.data).toEqual(large);
  await client.close();
  await cluster.close();
});
