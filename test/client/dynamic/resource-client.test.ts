import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import {
  isConflict,
  isNotFound,
  kubernetesClient,
  type KubernetesClient,
  type KubeObject,
  ResourceClient,
  type RestRequest,
} from "../../../src/client/index.js";
import { startCluster } from "../../../src/cluster/index.js";
import { expired } from "../../../src/machinery/errors/status-error.js";
import { quietCluster } from "../../helpers/quiet-cluster.js";

const CONFIG_MAPS = { group: "", version: "v1", resource: "configmaps" };
const NAMESPACES = { group: "", version: "v1", resource: "namespaces" };
const DEPLOYMENTS = { group: "apps", version: "v1", resource: "deployments" };

let cluster: Awaited<ReturnType<typeof startCluster>>;
let client: KubernetesClient;
let namespace = "";
let count = 0;

beforeAll(async () => {
  cluster = await startCluster({ port: false, ...quietCluster });
  client = kubernetesClient(cluster);
});

afterAll(async () => {
  await client.close();
  await cluster.close();
});

beforeEach(async () => {
  namespace = `test-${++count}`;
  await client.resource(NAMESPACES).create({ apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
});

const configMap = (name: string, more: object = {}): KubeObject => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, namespace, labels: { of: namespace } },
  ...more,
});
const selection = () => ({ labelSelector: `of=${namespace}` });
const namesOf = (items: readonly KubeObject[]) => items.map(({ metadata }) => metadata?.name);

async function collected<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

/** A client whose requests a test sees, and may answer with an error. */
function intercepted(seen: (request: RestRequest) => void): ResourceClient {
  const { rest } = client;
  const before = (request: RestRequest): RestRequest => {
    seen(request);
    return request;
  };
  return new ResourceClient(
    {
      server: rest.server,
      request: async (request) => rest.request(before(request)),
      stream: async (request) => rest.stream(before(request)),
      close: () => rest.close(),
    },
    CONFIG_MAPS,
    { namespace },
  );
}

test("the client creates, reads, changes, lists, watches and deletes an object", async () => {
  const configMaps = client.resource(CONFIG_MAPS).namespace(namespace);
  const { metadata } = await configMaps.list(selection());
  const watched = (async () => {
    const seen: string[] = [];
    const { resourceVersion = "" } = metadata;
    for await (const { type, object } of configMaps.watch({ ...selection(), resourceVersion })) {
      seen.push(`${type} ${object.metadata?.name}`);
      if (type === "DELETED") break;
    }
    return seen;
  })();
  const made = await configMaps.create(configMap("a", { data: { k: "v" } }));
  const changed = await configMaps.patch("a", { data: { k: "w" } }, { type: "merge" });
  expect((await configMaps.get("a"))["data"]).toEqual({ k: "w" });
  await expect(configMaps.update({ ...made, data: { k: "x" } })).rejects.toSatisfy(isConflict);
  await configMaps.update({ ...changed, data: { k: "x" } });
  expect(await configMaps.delete("a")).toMatchObject({ kind: "Status", status: "Success" });
  await expect(configMaps.get("a")).rejects.toSatisfy(isNotFound);
  expect(await watched).toEqual(["ADDED a", "MODIFIED a", "MODIFIED a", "DELETED a"]);
});

test("the client finds an object's resource and scope by discovery", async () => {
  const object = { apiVersion: "v1", kind: "Namespace", metadata: { name: "found" } };
  const namespaces = await client.resourceFor(object);
  expect((await namespaces.create(object)).metadata?.name).toBe("found");
  expect((await namespaces.namespace("ignored").get("found")).kind).toBe("Namespace");
  const maps = await client.resourceFor<KubeObject>({ apiVersion: "v1", kind: "ConfigMap" });
  expect((await maps.list()).items.every((item) => item.metadata?.namespace === "default")).toBe(true);
});

describe("the namespace of a request", () => {
  test("is the object's where the client has none, for create, update and apply", async () => {
    const configMaps = client.resource(CONFIG_MAPS);
    const made = await configMaps.create(configMap("a"));
    expect(made.metadata?.namespace).toBe(namespace);
    expect((await configMaps.update({ ...made, data: { k: "v" } }))["data"]).toEqual({ k: "v" });
    await configMaps.apply(configMap("b"), { fieldManager: "test" });
    expect(namesOf((await configMaps.namespace(namespace).list(selection())).items)).toEqual(["a", "b"]);
  });

  test("is an error before the request when it is missing for a resource known to be namespaced", async () => {
    const configMaps = new ResourceClient(client.rest, CONFIG_MAPS, { namespaced: true });
    const unplaced = { metadata: { name: "a" } };
    const call = (verb: string) => `configmaps have namespaces: call .namespace(name) before .${verb}(...)`;
    await expect(configMaps.get("a")).rejects.toThrow(call("get"));
    await expect(configMaps.patch("a", {}, { type: "merge" })).rejects.toThrow(call("patch"));
    await expect(configMaps.delete("a")).rejects.toThrow(call("delete"));
    await expect(configMaps.deleteCollection()).rejects.toThrow(call("deleteCollection"));
    const or = ", or set the object's metadata.namespace";
    await expect(configMaps.create(unplaced)).rejects.toThrow(call("create") + or);
    await expect(configMaps.update(unplaced)).rejects.toThrow(call("update") + or);
    expect((await configMaps.list(selection())).items).toEqual([]);
  });

  test("is an error of the server when it is missing and the scope is unknown", async () => {
    const reading = client.resource(CONFIG_MAPS).get("a");
    await expect(reading).rejects.toThrow("if configmaps have namespaces, call .namespace(name) first");
    await expect(reading).rejects.toSatisfy(isNotFound);
    const wrong = client.resource({ ...CONFIG_MAPS, resource: "nothings" });
    await expect(wrong.list()).rejects.toThrow(/^the server could not find the requested resource$/);
    await expect(client.resource(NAMESPACES).get("gone")).rejects.toThrow(/^namespaces "gone" not found$/);
  });
});

test.each([
  ["../../secrets/x", `invalid resource name "../../secrets/x": [may not contain '/']`],
  ["..", `invalid resource name "..": [may not be '..']`],
  ["", "resource name may not be empty"],
])("the client refuses the name %j, which would change the path of the request", async (name, message) => {
  await expect(client.resource(CONFIG_MAPS).namespace(namespace).get(name)).rejects.toThrow(message);
});

describe("listing objects", () => {
  test("adds to the items apiVersion and kind, which servers leave out for built-in kinds", async () => {
    const configMaps = client.resource(CONFIG_MAPS).namespace(namespace);
    await configMaps.create(configMap("a"));
    const { kind, items } = await configMaps.list(selection());
    expect(kind).toBe("ConfigMapList");
    expect(Object.entries(items[0] ?? {}).slice(0, 2)).toEqual([
      ["apiVersion", "v1"],
      ["kind", "ConfigMap"],
    ]);
  });

  test("reads in pages, and returns items one by one or all at once", async () => {
    const queries: RestRequest["query"][] = [];
    const configMaps = intercepted(({ query }) => queries.push(query));
    for (const name of ["a", "b", "c"]) await client.resource(CONFIG_MAPS).create(configMap(name));
    expect(namesOf(await collected(configMaps.listAll({ ...selection(), pageSize: 2 })))).toEqual(["a", "b", "c"]);
    expect(queries.map((query) => query?.["limit"])).toEqual(["2", "2"]);
    const whole = await configMaps.listWhole({ ...selection(), pageSize: 2, resourceVersion: "0" });
    expect(namesOf(whole.items)).toEqual(["a", "b", "c"]);
    expect(whole.metadata).toMatchObject({ resourceVersion: expect.stringMatching(/^\d+$/) as string });
    expect(whole.metadata.continue).toBeUndefined();
    await collected(configMaps.listAll());
    expect(queries.at(-1)).toEqual({ limit: "500" });
  });

  test("starts again with a full list when the server has dropped its snapshot, and yields each item once", async () => {
    const refuse = ({ query }: RestRequest): void => {
      if (query?.["continue"] !== undefined && failures-- > 0)
        throw expired("The provided continue parameter is too old");
    };
    let failures = 0;
    const configMaps = intercepted(refuse);
    for (const name of ["b", "c", "d"]) await client.resource(CONFIG_MAPS).create(configMap(name));
    failures = 1;
    const found: (string | undefined)[] = [];
    for await (const { metadata } of configMaps.listAll({ ...selection(), pageSize: 2 })) {
      // Between the pages, one object comes that sorts first and one goes that was yielded.
      if (found.length === 0) await client.resource(CONFIG_MAPS).create(configMap("a"));
      if (found.length === 0) await configMaps.delete("b");
      found.push(metadata?.name);
    }
    expect(found).toEqual(["b", "c", "a", "d"]);
    failures = 1;
    const whole = await configMaps.listWhole({ ...selection(), pageSize: 1 });
    expect(namesOf(whole.items)).toEqual(["a", "c", "d"]);
  });

  test("rejects with any other error of a page", async () => {
    const configMaps = intercepted(({ query }) => {
      if (query?.["continue"] !== undefined) throw new Error("broken");
    });
    for (const name of ["a", "b"]) await client.resource(CONFIG_MAPS).create(configMap(name));
    await expect(collected(configMaps.listAll({ ...selection(), pageSize: 1 }))).rejects.toThrow("broken");
  });
});

describe("watching objects", () => {
  test("begins with the existing objects and a bookmark when asked to", async () => {
    const configMaps = client.resource(CONFIG_MAPS).namespace(namespace);
    await configMaps.create(configMap("a"));
    await configMaps.create(configMap("b"));
    const seen: string[] = [];
    for await (const { type, object } of configMaps.watch({ ...selection(), sendInitialEvents: true })) {
      seen.push(`${type} ${object.metadata?.name ?? object.metadata?.annotations?.["k8s.io/initial-events-end"]}`);
      if (type === "BOOKMARK") break;
    }
    expect(seen).toEqual(["ADDED a", "ADDED b", "BOOKMARK true"]);
  });

  test("yields events that arrive together as one array", async () => {
    const configMaps = client.resource(CONFIG_MAPS).namespace(namespace);
    for (const name of ["a", "b", "c"]) await configMaps.create(configMap(name));
    let events = 0;
    let batches = 0;
    for await (const batch of configMaps.watchBatches({ ...selection(), sendInitialEvents: true })) {
      batches++;
      events += batch.length;
      if (batch.at(-1)?.type === "BOOKMARK") break;
    }
    expect(events).toBe(4);
    expect(batches).toBeLessThan(events);
  });

  test("ends when the server ends it", async () => {
    const seen = await collected(client.resource(CONFIG_MAPS).watch({ ...selection(), timeoutSeconds: 1 }));
    expect(seen).toEqual([]);
  });
});

describe("the client of metadata()", () => {
  test("reads, lists and watches objects without their contents", async () => {
    const configMaps = client.resource(CONFIG_MAPS).namespace(namespace);
    await configMaps.create(configMap("a", { data: { k: "v" } }));
    const metadata = configMaps.metadata();
    const one = await metadata.get("a");
    expect(one).toMatchObject({ kind: "PartialObjectMetadata", metadata: { name: "a" } });
    expect(one).not.toHaveProperty("data");
    const { kind, items } = await metadata.list(selection());
    expect(kind).toBe("PartialObjectMetadataList");
    expect(items[0]).toMatchObject({ apiVersion: "meta.k8s.io/v1", kind: "PartialObjectMetadata" });
    for await (const { object } of metadata.watch({ ...selection(), sendInitialEvents: true })) {
      expect(object).toMatchObject({ kind: "PartialObjectMetadata", metadata: { name: "a" } });
      break;
    }
  });
});

describe("writing objects", () => {
  const deployment = (): KubeObject => ({
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "web", namespace },
    spec: {
      replicas: 1,
      selector: { matchLabels: { app: "web" } },
      template: { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "c", image: "nginx" }] } },
    },
  });

  test("replaces and patches the status separately from the rest", async () => {
    const deployments = client.resource(DEPLOYMENTS).namespace(namespace);
    const made = await deployments.create(deployment());
    const status = { conditions: [{ type: "Custom", status: "True" }] };
    const changed = await deployments.updateStatus({
      ...made,
      spec: { ...(made["spec"] as object), replicas: 9 },
      status,
    });
    expect(changed).toMatchObject({ spec: { replicas: 1 }, status });
    const patched = await deployments.patchStatus(
      "web",
      { spec: { replicas: 9 }, status: { replicas: 4 } },
      { type: "merge" },
    );
    expect(patched).toMatchObject({ spec: { replicas: 1 }, status: { replicas: 4 } });
    expect(await deployments.get("web", { subresource: "scale" })).toMatchObject({
      kind: "Scale",
      spec: { replicas: 1 },
    });
  });

  test("by server-side apply creates, keeps what others own, and takes it over only with force", async () => {
    const configMaps = client.resource(CONFIG_MAPS).namespace(namespace);
    const made = await configMaps.apply(configMap("a", { data: { k: "v" } }), { fieldManager: "one" });
    expect(made.metadata?.managedFields).toMatchObject([{ manager: "one", operation: "Apply" }]);
    const other = configMap("a", { data: { k: "w" } });
    await expect(configMaps.apply(other, { fieldManager: "two" })).rejects.toThrow('conflict with "one": .data.k');
    expect((await configMaps.apply(other, { fieldManager: "two", force: true }))["data"]).toEqual({ k: "w" });
  });

  test("sends integers beyond 2^53 exactly, and refuses values that JSON cannot hold", async () => {
    const pods = client.resource({ group: "", version: "v1", resource: "pods" }).namespace(namespace);
    const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a", generation: 9007199254740993n } };
    const sent: RestRequest[] = [];
    const recording = intercepted((request) => sent.push(request));
    await recording.create(object as unknown as KubeObject, { dryRun: true }).catch(() => undefined);
    expect(new TextDecoder().decode(sent[0]?.body)).toContain('"generation":9007199254740993');
    const circle: Record<string, unknown> = {};
    circle["self"] = circle;
    await expect(pods.create(circle as KubeObject)).rejects.toThrow("circular");
  });

  test("by any verb with a dry run changes nothing", async () => {
    const configMaps = client.resource(CONFIG_MAPS).namespace(namespace);
    const dryRun = { dryRun: true };
    await configMaps.create(configMap("a"), dryRun);
    await expect(configMaps.get("a")).rejects.toSatisfy(isNotFound);
    const made = await configMaps.create(configMap("a"));
    await configMaps.update({ ...made, data: { k: "v" } }, dryRun);
    await configMaps.patch("a", { data: { k: "v" } }, { type: "merge", ...dryRun });
    await configMaps.apply(configMap("a", { data: { k: "v" } }), { fieldManager: "test", ...dryRun });
    await configMaps.delete("a", dryRun);
    await configMaps.deleteCollection(selection(), dryRun);
    expect(await configMaps.get("a")).toEqual(made);
  });

  test("by delete sends preconditions, and by deleteCollection a selector", async () => {
    const configMaps = client.resource(CONFIG_MAPS).namespace(namespace);
    const made = await configMaps.create(configMap("a"));
    await configMaps.create(configMap("b"));
    const wrong = { preconditions: { uid: "00000000-0000-0000-0000-000000000000" } };
    await expect(configMaps.delete("a", wrong)).rejects.toSatisfy(isConflict);
    await configMaps.delete("a", { preconditions: { uid: made.metadata?.uid ?? "" }, gracePeriodSeconds: 0 });
    expect(namesOf((await configMaps.list(selection())).items)).toEqual(["b"]);
    await configMaps.deleteCollection(selection());
    expect((await configMaps.list(selection())).items).toEqual([]);
  });
});
