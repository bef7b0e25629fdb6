import { afterAll, beforeAll, describe, expect, expectTypeOf, test } from "vitest";
import type * as appsV1 from "../../src/api/types/apps/v1.js";
import type { Deployment, Node } from "../../src/api/types/index.js";
import {
  isNoMatchError,
  isNotFound,
  type KubeList,
  kubernetesClient,
  type KubernetesClient,
  type KubeObject,
  loadConfig,
  type ObjectMeta,
  type ResourceClient,
  type Stored,
} from "../../src/client/index.js";
import { startServer, string, struct } from "../../src/cluster/server.js";
import { startCluster } from "../../src/cluster/index.js";
import { quietCluster } from "../helpers/quiet-cluster.js";

interface Menu {
  apiVersion?: "cafe.example.com/v1";
  kind?: "Menu";
  metadata?: ObjectMeta;
  spec?: { dish?: string };
}

interface Recipe {
  metadata?: ObjectMeta;
  steps: string[];
}

declare module "../../src/client/dynamic/api-kinds.js" {
  interface ApiKinds {
    "cafe.example.com/v1/Menu": Menu;
  }
}

let cluster: Awaited<ReturnType<typeof startCluster>>;
let client: KubernetesClient;
const paths: string[] = [];

beforeAll(async () => {
  cluster = await startCluster({ storage: "memory", onRequest: ({ path }) => paths.push(path), ...quietCluster });
  client = kubernetesClient(
    await loadConfig({ server: cluster.url, token: cluster.token, insecureSkipTlsVerify: true }),
  );
});

afterAll(async () => {
  await client.close();
  await cluster.close();
});

describe("client.of() for a built-in kind", () => {
  test("writes and reads objects of its TypeScript type, without discovery", async () => {
    const deployments = client.of("apps/v1", "Deployment").namespace("default");
    const labels = { app: "web" };
    paths.length = 0;
    const made = await deployments.create({
      metadata: { name: "web" },
      spec: {
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [{ name: "web", image: "nginx" }] } },
      },
    });
    expect(made.spec?.replicas).toBe(1);
    expect(paths).toEqual(["/apis/apps/v1/namespaces/default/deployments"]);
    await deployments.delete("web");
  });

  test("creates in the namespace of the object", async () => {
    const configMaps = client.of("v1", "ConfigMap");
    const { metadata } = await configMaps.create({
      metadata: { name: "a", namespace: "kube-public" },
      data: { k: "v" },
    });
    expect(metadata?.namespace).toBe("kube-public");
    expect((await configMaps.namespace("kube-public").get("a")).data).toEqual({ k: "v" });
  });

  test("lists all namespaces, and needs a namespace for one object", async () => {
    const configMaps = client.of("v1", "ConfigMap");
    const namespaces = new Set((await configMaps.list()).items.map(({ metadata }) => metadata?.namespace));
    expect(namespaces.size).toBeGreaterThan(1);
    await expect(async () => configMaps.get("a")).rejects.toThrow("configmaps have namespaces: call .namespace(name)");
    await expect(async () => configMaps.create({ metadata: { name: "b" } })).rejects.toThrow("have namespaces");
  });

  test("ignores a namespace for a cluster-scoped kind", async () => {
    const namespaces = client.of("v1", "Namespace").namespace("default");
    expect((await namespaces.get("kube-system")).metadata?.name).toBe("kube-system");
  });
});

describe("client.of() for a kind that is not built in", () => {
  test("looks it up by discovery at the first request", async () => {
    const menus = {
      group: "cafe.example.com",
      resource: "menus",
      kind: "Menu",
      namespaced: true,
      versions: [{ version: "v1", schema: struct("Menu", { spec: struct("MenuSpec", { dish: string }) }) }],
    };
    await using server = await startServer({ port: 0, resources: [menus] });
    const config = await loadConfig({ server: server.url, token: server.token, insecureSkipTlsVerify: true });
    await using other = kubernetesClient(config);
    const all = other.of("cafe.example.com/v1", "Menu");
    const today = await all.create({ metadata: { name: "today", namespace: "default" }, spec: { dish: "soup" } });
    expect(today.spec?.dish).toBe("soup");
    expect((await all.namespace("default").get("today")).metadata?.uid).toBe(today.metadata?.uid);
    await expect(all.get("today")).rejects.toThrow(/^menus\S* have namespaces: call .namespace\(name\)/);
    await expect(all.namespace("default").get("tomorrow")).rejects.toSatisfy(isNotFound);
  });

  test("rejects the first request with a NoMatchError when the server does not have the kind", async () => {
    const widgets = client.of("example.com/v1", "Widget");
    await expect(widgets.list()).rejects.toThrow('no matches for kind "Widget" in version "example.com/v1"');
    await expect(widgets.list()).rejects.toSatisfy(isNoMatchError);
  });

  test("rejects the first request when the apiVersion is malformed", async () => {
    await expect(client.of("a/b/c", "Widget").list()).rejects.toThrow("unexpected GroupVersion string: a/b/c");
  });
});

describe("the TypeScript type of client.of()", () => {
  test("is that of a built-in kind, of one that the program declares, and any object for other kinds", () => {
    expectTypeOf(client.of("apps/v1", "Deployment")).toEqualTypeOf<ResourceClient<Deployment>>();
    expectTypeOf(client.of("apps/v1", "Deployment")).toEqualTypeOf<ResourceClient<appsV1.Deployment>>();
    expectTypeOf(client.of("v1", "Node")).toEqualTypeOf<ResourceClient<Node>>();
    expectTypeOf(client.of("cafe.example.com/v1", "Menu")).toEqualTypeOf<ResourceClient<Menu>>();
    expectTypeOf(client.of("example.com/v1", "Widget")).toEqualTypeOf<ResourceClient<KubeObject>>();
    expectTypeOf(client.of<Recipe>("cafe.example.com/v1", "Recipe")).toEqualTypeOf<ResourceClient<Recipe>>();
    const found: KubeObject = { apiVersion: "v1", kind: "Pod" };
    expectTypeOf(client.of(`${found.apiVersion}`, `${found.kind}`)).toEqualTypeOf<ResourceClient<KubeObject>>();
    const list = () => client.of("apps/v1", "Deployment").list();
    expectTypeOf(list).returns.resolves.toEqualTypeOf<KubeList<Stored<Deployment>>>();
  });

  test("refuses a kind that the apiVersion does not have", () => {
    // @ts-expect-error a typing mistake
    client.of("apps/v1", "Deploymnet");
    // @ts-expect-error Pod is of v1
    client.of("apps/v1", "Pod");
    const deployments = client.of("apps/v1", "Deployment").namespace("default");
    // @ts-expect-error replicas is a number
    const scale = () => deployments.update({ spec: { replicas: "2" } });
    expectTypeOf(scale).toBeFunction();
  });
});
