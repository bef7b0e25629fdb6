import { queryObjects } from "node:v8";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Transport } from "../../../src/client/transport/transport.js";
import { v8Memory } from "../../../src/cluster/idle-memory.js";
import { type Cluster, startCluster } from "../../../src/cluster/index.js";
import { InstalledResource } from "../../../src/server/api-registry/installed-resource.js";
import { Store } from "../../../src/server/registry/store.js";
import { ApiRequest } from "../../../src/server/request/api-request.js";
import { type Answer, call } from "../../helpers/api-caller.js";
import { eventually } from "../../helpers/eventually.js";
import { type Watching, watchEvents } from "../../helpers/watch-events.js";
import { COLLECTION, GROUP, widgets } from "./widgets.js";

const AGGREGATED = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
const CONFIG_MAPS = "/api/v1/namespaces/default/configmaps";

let cluster: Cluster;
let api: Transport;
const faults: unknown[] = [];

beforeAll(async () => {
  cluster = await startCluster({ port: false, onError: (error) => faults.push(error) });
  api = cluster.transport();
});
afterAll(() => cluster.close());

const get = (path: string, accept?: string): Promise<Answer> =>
  call(api, "GET", path, undefined, accept === undefined ? {} : { accept });

async function send(method: string, path: string, body?: unknown, type?: string): Promise<Answer> {
  const answer = await call(api, method, path, body, type === undefined ? {} : { type });
  expect(answer.text, `${method} ${path}`).not.toMatch(/"status":"Failure"/);
  return answer;
}

const createWidget = (name: string, rest: object = {}): Promise<Answer> =>
  send("POST", COLLECTION, { metadata: { name, ...rest }, spec: { size: 3 } });

/** The groups of aggregated discovery. */
async function discovered(): Promise<readonly string[]> {
  const { items } = JSON.parse((await get("/apis", AGGREGATED)).text) as { items: { metadata: { name: string } }[] };
  return items.map(({ metadata }) => metadata.name);
}

/** What a client can see of the group: true where it is served. */
async function visible(): Promise<Readonly<Record<string, boolean>>> {
  const paths = (await get("/openapi/v3")).at("paths") as Record<string, unknown>;
  const root = JSON.parse((await get("/")).text) as { paths: string[] };
  return {
    discovery: (await discovered()).includes(GROUP),
    groups: (await get("/apis")).text.includes(GROUP),
    group: (await get(`/apis/${GROUP}`)).status === 200,
    version: (await get(`/apis/${GROUP}/v1`)).status === 200,
    "OpenAPI v3": `apis/${GROUP}/v1` in paths,
    "document of OpenAPI v3": (await get(`/openapi/v3/apis/${GROUP}/v1`)).text.includes("com.example.stable.v1.Widget"),
    "OpenAPI v2": (await get("/openapi/v2")).text.includes("com.example.stable.v1.Widget"),
    "root paths": root.paths.includes(`/apis/${GROUP}/v1`),
    list: (await get(COLLECTION)).status === 200,
    get: (await get(`${COLLECTION}/none`)).text.includes('widgets.stable.example.com \\"none\\" not found'),
  };
}

const everywhere = (value: boolean) =>
  Object.fromEntries(
    [
      "discovery",
      "groups",
      "group",
      "version",
      "OpenAPI v3",
      "document of OpenAPI v3",
      "OpenAPI v2",
      "root paths",
      "list",
      "get",
    ].map((name) => [name, value]),
  );

describe("a resource that is installed and removed while the server runs", () => {
  test("is served everywhere at once, and nowhere after its removal", async () => {
    expect(await visible()).toEqual(everywhere(false));
    cluster.registry.install(widgets);
    expect(await visible()).toEqual(everywhere(true));
    expect(cluster.registry.remove({ group: GROUP })).toBe(true);
    expect(await visible()).toEqual(everywhere(false));
    expect(cluster.registry.remove({ group: GROUP })).toBe(false);
  });

  test("B-SA-08: has all features: versions, status, apply, tables, selectors, watches", async () => {
    cluster.registry.install(widgets);
    try {
      const made = await createWidget("a", { labels: { tier: "front" } });
      expect(JSON.parse(made.text)).toMatchObject({
        kind: "Widget",
        apiVersion: `${GROUP}/v1`,
        metadata: { name: "a", namespace: "default" },
        spec: { size: 3 },
      });
      const older = COLLECTION.replace("/v1/", "/v1beta1/");
      expect(JSON.parse((await get(`${older}/a`)).text)).toMatchObject({
        apiVersion: `${GROUP}/v1beta1`,
        spec: { width: 3 },
      });
      await send("PATCH", `${older}/a`, { spec: { width: 5 } }, "application/merge-patch+json");
      expect((await get(`${COLLECTION}/a`)).at("spec.size")).toBe(5);
      await send("PUT", `${COLLECTION}/a/status`, {
        metadata: { name: "a", labels: { tier: "front" } },
        spec: { size: 9 },
        status: { phase: "Ready" },
      });
      const stored = await get(`${COLLECTION}/a`);
      expect([stored.at("spec.size"), stored.at("status.phase")]).toEqual([5, "Ready"]);
      const applied = {
        apiVersion: `${GROUP}/v1`,
        kind: "Widget",
        metadata: { name: "b" },
        spec: { colours: ["red"] },
      };
      await send("PATCH", `${COLLECTION}/b?fieldManager=one`, applied, "application/apply-patch+yaml");
      const second = { ...applied, spec: { colours: ["blue"] } };
      await send("PATCH", `${COLLECTION}/b?fieldManager=two`, second, "application/apply-patch+yaml");
      expect((await get(`${COLLECTION}/b`)).at("spec")).toEqual({ size: 1, colours: ["red", "blue"] });
      const strict = await call(api, "POST", `${COLLECTION}?fieldValidation=Strict`, {
        metadata: { name: "c" },
        spec: { depth: 1 },
      });
      expect(strict.at("message")).toContain('unknown field "spec.depth"');
      expect((await get(`${COLLECTION}?labelSelector=tier%3Dfront`)).at("items.0.metadata.name")).toBe("a");
      const table = await get(COLLECTION, "application/json;as=Table;g=meta.k8s.io;v=v1");
      expect((table.at("columnDefinitions") as { name: string }[]).map(({ name }) => name)).toEqual([
        "Name",
        "Created At",
      ]);
      expect((await get(COLLECTION, "application/vnd.kubernetes.protobuf")).status).toBe(406);
      expect((await get(COLLECTION, "application/yaml")).text).toContain("kind: WidgetList");
      await send("DELETE", COLLECTION);
      expect((await get(COLLECTION)).at("items")).toEqual([]);
    } finally {
      cluster.registry.remove({ group: GROUP });
    }
  });

  test("ends its watches at its removal, and those of a remaining version go on", async () => {
    cluster.registry.install(widgets);
    const version = (await get(COLLECTION)).at("metadata.resourceVersion") as string;
    const newer = await watchEvents(api, COLLECTION, version);
    const older = await watchEvents(api, COLLECTION.replace("/v1/", "/v1beta1/"), version);
    cluster.registry.remove({ group: GROUP, version: "v1beta1" });
    await expect(older.seen("none")).rejects.toThrow();
    const made = await createWidget("seen");
    await newer.seen(made.at("metadata.resourceVersion") as string);
    cluster.registry.remove({ group: GROUP, resource: "widgets" });
    await expect(newer.seen("none")).rejects.toThrow();
    expect([older, newer].map(({ events }: Watching) => events.map(({ type }) => type))).toEqual([[], ["ADDED"]]);
    cluster.registry.install(widgets);
    expect((await get(`${COLLECTION}/seen`)).status).toBe(200);
    await send("DELETE", `${COLLECTION}/seen`);
    cluster.registry.remove({ group: GROUP });
  });

  test("is still served to requests under way, and not to later ones", async () => {
    const { registry } = cluster;
    const find = (snapshot: typeof registry.current) => snapshot.find(`${GROUP}/v1`, "widgets");
    registry.install(widgets);
    const unused = registry.current;
    registry.remove({ group: GROUP });
    registry.install(widgets);
    const used = registry.current;
    const resource = find(used);
    registry.remove({ group: GROUP });
    expect([find(unused), find(used) === resource, resource?.removed.aborted]).toEqual([undefined, true, true]);
    registry.install(widgets);
    await createWidget("after");
    await send("DELETE", `${COLLECTION}/after`);
    registry.remove({ group: GROUP });
  });

  test("leaves nothing behind after a hundred times, and clients of other resources see no error", async () => {
    let working = true;
    let writes = 0;
    const load = async (): Promise<void> => {
      while (working) {
        const name = `load-${writes++ % 20}`;
        const data = { metadata: { name }, data: { at: String(writes) } };
        const { status } = await call(api, "PUT", `${CONFIG_MAPS}/${name}`, data);
        if (status === 404) await send("POST", CONFIG_MAPS, data);
        else expect(status).toBe(200);
      }
    };
    const running = load();
    const heaps: number[] = [];
    const held: Record<string, number>[] = [];
    for (let round = 0; round < 100; round++) {
      cluster.registry.install(widgets);
      await createWidget(`round-${round}`);
      const { events, seen } = await watchEvents(api, COLLECTION, "0");
      await send("DELETE", `${COLLECTION}/round-${round}`);
      expect(await discovered()).toContain(GROUP);
      cluster.registry.remove({ group: GROUP });
      // expect().rejects would keep what the promise holds until the test ends.
      const ended = await seen("none").then(
        () => false,
        () => true,
      );
      expect([ended, events.length > 0]).toEqual([true, true]);
      expect((await get(COLLECTION)).status).toBe(404);
      if (round % 25 === 24) {
        heaps.push(await heapAfterCollection());
        held.push(heldObjects());
      }
    }
    working = false;
    await running;
    expect(writes).toBeGreaterThan(100);
    // The second half of the rounds leaves no more than the first's caches do.
    expect((heaps.at(-1) ?? 0) - (heaps[0] ?? 0)).toBeLessThan(8 * 2 ** 20);
    const [first = {}, last = {}] = [held[0], held.at(-1)];
    for (const [what, count] of Object.entries(last)) {
      // The load's own requests come and go; what every round left would be 75.
      expect(count - (first[what] ?? 0), what).toBeLessThan(20);
    }
    expect(faults).toEqual([]);
  });
});

describe("an API group version that is temporarily not available", () => {
  const dependent = { name: "dependent", finalizers: [] };
  const ownedBy = (uid: string) => ({
    metadata: {
      ...dependent,
      ownerReferences: [{ apiVersion: `${GROUP}/v1`, kind: "Widget", name: "owner", uid }],
    },
  });

  test("does not make the garbage collector delete dependents of its objects", async () => {
    cluster.registry.install(widgets);
    const uid = (await createWidget("owner")).at("metadata.uid") as string;
    await send("POST", CONFIG_MAPS, ownedBy(uid));
    cluster.registry.remove({ group: GROUP });
    // The collector looks at the dependent again, and finds no such kind.
    await send("PATCH", `${CONFIG_MAPS}/dependent`, { data: { touched: "yes" } }, "application/merge-patch+json");
    await new Promise((resolve) => setTimeout(resolve, 1500));
    expect((await get(`${CONFIG_MAPS}/dependent`)).status).toBe(200);
    cluster.registry.install(widgets);
    await send("DELETE", `${COLLECTION}/owner?propagationPolicy=Background`);
    await eventually(async () => expect((await get(`${CONFIG_MAPS}/dependent`)).status).toBe(404));
    cluster.registry.remove({ group: GROUP });
  });

  test("holds up the deletion of a namespace, whose status names it", async () => {
    cluster.registry.install(widgets);
    await send("POST", "/api/v1/namespaces", { metadata: { name: "shop" } });
    const path = COLLECTION.replace("default", "shop");
    await send("POST", path, { metadata: { name: "left" } });
    cluster.registry.setAvailable(`${GROUP}/v1`, false);
    expect(await get(`${path}/left`)).toMatchObject({ status: 503, text: "service unavailable\n" });
    const freshness = (await get("/apis", AGGREGATED)).text.match(/"freshness":"Stale"/g);
    expect(freshness).toHaveLength(1);
    await send("DELETE", "/api/v1/namespaces/shop");
    const condition = async () => {
      const { conditions } = JSON.parse((await get("/api/v1/namespaces/shop")).text).status as {
        conditions: { type: string; status: string; reason: string; message: string }[];
      };
      return conditions.find(({ type }) => type === "NamespaceDeletionDiscoveryFailure");
    };
    await eventually(async () =>
      expect(await condition()).toMatchObject({
        status: "True",
        reason: "DiscoveryFailed",
        message: `Discovery failed for some groups, 1 failing: unable to retrieve the complete list of server APIs: ${GROUP}/v1: stale GroupVersion discovery: ${GROUP}/v1`,
      }),
    );
    cluster.registry.setAvailable(`${GROUP}/v1`, true);
    await eventually(async () => expect((await get("/api/v1/namespaces/shop")).status).toBe(404));
    cluster.registry.setAvailable(`${GROUP}/v1`, false);
    cluster.registry.remove({ group: GROUP });
    // A group version that is removed is not served, whether it could be reached or not.
    expect((await get(path)).status).toBe(404);
    cluster.registry.setAvailable(`${GROUP}/v1`, true);
  });
});

/** How many there are of what a resource, its watches and its requests are made of. */
const heldObjects = (): Record<string, number> => ({
  resources: queryObjects(InstalledResource, { format: "count" }),
  stores: queryObjects(Store, { format: "count" }),
  signals: queryObjects(AbortSignal, { format: "count" }),
  requests: queryObjects(ApiRequest, { format: "count" }),
});

async function heapAfterCollection(): Promise<number> {
  await v8Memory.collect();
  return process.memoryUsage().heapUsed;
}
