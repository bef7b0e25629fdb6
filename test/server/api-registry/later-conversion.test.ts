import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { systemClock } from "../../../src/base/time/clock.js";
import { deferred } from "../../../src/base/async/deferred.js";
import { systemRandom } from "../../../src/base/numbers/random.js";
import type { Transport } from "../../../src/client/transport/transport.js";
import type { JsonObject } from "../../../src/machinery/meta/json.js";
import type { KubeObject } from "../../../src/machinery/meta/object.js";
import { int32, string, struct } from "../../../src/machinery/schema/build-schema.js";
import type { ConversionDirection } from "../../../src/machinery/scheme/scheme.js";
import { InvalidResourceError } from "../../../src/server/api-registry/installation.js";
import type { ResourceDefinition } from "../../../src/server/api-registry/resource-definition.js";
import { builtinRecords } from "../../../src/server/builtin/index.js";
import { createServer, type Server } from "../../../src/server/generic/server.js";
import { openMemoryKv } from "../../../src/server/storage/memory/memory-kv.js";
import { createStorage, type Storage } from "../../../src/server/storage/create-storage.js";
import { call } from "../../helpers/api-caller.js";
import { eventually } from "../../helpers/eventually.js";
import { seededRandom } from "../../helpers/seeded-random.js";
import { watchEvents } from "../../helpers/watch-events.js";

/** The calls of the conversion, each with the names of its objects. */
const calls: { readonly direction: ConversionDirection; readonly names: readonly string[] }[] = [];
/** Called before objects are converted: a test makes it wait or throw. */
let before: (names: readonly string[], direction: ConversionDirection) => Promise<void> | void = () => {};

const WIDGETS = "/apis/example.com/v1/namespaces/default/widgets";
const OTHER_WIDGETS = WIDGETS.replace("v1", "v2");

/** v1 is stored and has spec.size; v2 has spec.dimensions.size. */
function renamed(object: KubeObject, direction: ConversionDirection): KubeObject {
  const { spec, ...rest } = object as KubeObject & { spec?: { size?: number; dimensions?: { size?: number } } };
  if (spec === undefined) return object;
  if (direction === "toHub") {
    const { dimensions, ...others } = spec;
    return { ...rest, spec: { ...others, ...(dimensions?.size !== undefined && { size: dimensions.size }) } };
  }
  const { size, ...others } = spec;
  return { ...rest, spec: { ...others, ...(size !== undefined && { dimensions: { size } }) } };
}

const widgets: ResourceDefinition = {
  group: "example.com",
  resource: "widgets",
  kind: "Widget",
  namespaced: true,
  versions: [
    { version: "v1", schema: struct("Widget", { spec: struct("WidgetSpec", { size: int32, colour: string }) }) },
    {
      version: "v2",
      schema: struct("Widget", {
        spec: struct("WidgetSpec", { dimensions: struct("Dimensions", { size: int32 }), colour: string }),
      }),
      conversion: {
        async convertMany(objects, direction) {
          const names = objects.map(({ metadata }) => metadata?.name ?? "");
          calls.push({ direction, names });
          await before(names, direction);
          return objects.map((object) => renamed(object, direction));
        },
      },
    },
  ],
};

let storage: Storage;
let server: Server;
let api: Transport;

beforeAll(async () => {
  storage = createStorage({ kv: openMemoryKv(), clock: systemClock, compactionSeconds: 0 });
  server = createServer({
    storage,
    records: builtinRecords,
    clock: systemClock,
    random: seededRandom("later conversion"),
    requestRandom: systemRandom,
    tokens: [],
    serverAddress: () => "",
  });
  server.registry.install(widgets);
  api = server.transport({ commonName: "admin", organizations: ["system:masters"] });
  await call(api, "POST", "/api/v1/namespaces", { metadata: { name: "default" } });
});

beforeEach(async () => {
  before = () => {};
  await call(api, "DELETE", WIDGETS);
  calls.length = 0;
});

afterAll(async () => {
  await server.stop();
  await storage.close();
});

const inV1 = (name: string, size: number) => ({ metadata: { name }, spec: { size, colour: "red" } });
const inV2 = (name: string, size: number) => ({ metadata: { name }, spec: { dimensions: { size }, colour: "red" } });

describe("a version that is converted asynchronously (by a webhook)", () => {
  test("lets objects be created in either version, and read in both", async () => {
    const created = await call(api, "POST", OTHER_WIDGETS, inV2("a", 3));
    expect([created.status, created.at("apiVersion"), created.at("spec")]).toEqual([
      201,
      "example.com/v2",
      { dimensions: { size: 3 }, colour: "red" },
    ]);
    const stored = await call(api, "GET", `${WIDGETS}/a`);
    expect([stored.at("apiVersion"), stored.at("spec")]).toEqual(["example.com/v1", { size: 3, colour: "red" }]);

    await call(api, "POST", WIDGETS, inV1("b", 4));
    const other = await call(api, "GET", `${OTHER_WIDGETS}/b`);
    expect([other.at("kind"), other.at("spec")]).toEqual(["Widget", { dimensions: { size: 4 }, colour: "red" }]);
    expect(other.at("metadata.resourceVersion")).toBe(
      (await call(api, "GET", `${WIDGETS}/b`)).at("metadata.resourceVersion"),
    );
  });

  test("is converted in one call for a list, and not again for the same resourceVersion", async () => {
    for (const name of ["a", "b", "c"]) await call(api, "POST", WIDGETS, inV1(name, name.charCodeAt(0)));
    expect(calls).toEqual([]);
    const list = await call(api, "GET", OTHER_WIDGETS);
    expect(list.at("items.0.spec.dimensions.size")).toBe(97);
    expect(list.at("items.2.spec.dimensions.size")).toBe(99);
    expect(calls).toEqual([{ direction: "fromHub", names: ["a", "b", "c"] }]);

    await call(api, "PATCH", `${WIDGETS}/b`, { spec: { size: 1 } }, { type: "application/merge-patch+json" });
    calls.length = 0;
    const again = await call(api, "GET", OTHER_WIDGETS);
    expect(again.at("items.1.spec.dimensions.size")).toBe(1);
    // Field tracking of the patch saw v1 only.
    expect(calls).toEqual([{ direction: "fromHub", names: ["b"] }]);
  });

  test("is converted in batches for a long list, in its order", async () => {
    const names = Array.from({ length: 501 }, (_, index) => `w${String(index).padStart(3, "0")}`);
    for (const [index, name] of names.entries()) await call(api, "POST", WIDGETS, inV1(name, index));
    const items = (await call(api, "GET", OTHER_WIDGETS)).at("items") as readonly JsonObject[];
    expect(items.map(({ spec }) => spec)).toEqual(names.map((_, size) => ({ dimensions: { size }, colour: "red" })));
    expect(calls.map((one) => one.names.length)).toEqual([500, 1]);
  });

  test("is also converted in the answer of a collection's deletion", async () => {
    await call(api, "POST", WIDGETS, inV1("a", 3));
    const deleted = await call(api, "DELETE", OTHER_WIDGETS);
    expect([deleted.at("apiVersion"), deleted.at("items.0.spec.dimensions.size")]).toEqual(["example.com/v2", 3]);
  });

  test("is answered as table, bare metadata, YAML and indented JSON", async () => {
    await call(api, "POST", WIDGETS, inV1("a", 3));
    const table = await call(api, "GET", `${OTHER_WIDGETS}?includeObject=Object`, undefined, {
      accept: "application/json;as=Table;v=v1;g=meta.k8s.io",
    });
    expect([table.at("kind"), table.at("rows.0.object.spec.dimensions.size")]).toEqual(["Table", 3]);
    const metadata = await call(api, "GET", OTHER_WIDGETS, undefined, {
      accept: "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io",
    });
    expect(metadata.at("items.0.metadata.name")).toBe("a");
    const protobuf = await call(api, "GET", OTHER_WIDGETS, undefined, {
      accept: "application/vnd.kubernetes.protobuf;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io",
    });
    expect(protobuf.status).toBe(200);
    const yaml = await call(api, "GET", `${OTHER_WIDGETS}/a`, undefined, { accept: "application/yaml" });
    expect(yaml.text).toContain("  dimensions:\n    size: 3\n");
    const pretty = await call(api, "GET", `${OTHER_WIDGETS}/a?pretty=true`);
    expect(pretty.text).toContain('"dimensions": {');
  });

  test("accepts updates and patches of the stored object in either version", async () => {
    await call(api, "POST", OTHER_WIDGETS, inV2("a", 3));
    const updated = await call(api, "PUT", `${OTHER_WIDGETS}/a`, inV2("a", 4));
    expect([updated.status, updated.at("spec.dimensions.size")]).toEqual([200, 4]);
    const patches: readonly (readonly [string, unknown])[] = [
      ["application/merge-patch+json", { spec: { dimensions: { size: 5 } } }],
      ["application/json-patch+json", [{ op: "replace", path: "/spec/dimensions/size", value: 6 }]],
    ];
    for (const [index, [type, patch]] of patches.entries()) {
      const patched = await call(api, "PATCH", `${OTHER_WIDGETS}/a`, patch, { type });
      expect([patched.status, patched.at("spec.dimensions.size")]).toEqual([200, 5 + index]);
    }
    expect((await call(api, "GET", `${WIDGETS}/a`)).at("spec")).toEqual({ size: 6, colour: "red" });
  });

  test("accepts a merge patch that names the other version", async () => {
    await call(api, "POST", WIDGETS, inV1("a", 3));
    const patch = { apiVersion: "example.com/v2", spec: { size: null, dimensions: { size: 8 } } };
    const patched = await call(api, "PATCH", `${WIDGETS}/a`, patch, { type: "application/merge-patch+json" });
    expect([patched.status, patched.at("apiVersion"), patched.at("spec")]).toEqual([
      200,
      "example.com/v1",
      { size: 8, colour: "red" },
    ]);
  });

  test("is tracked by server-side apply across both versions", async () => {
    const apply = (path: string, version: string, spec: object | undefined, manager: string, force = false) =>
      call(
        api,
        "PATCH",
        `${path}/a?fieldManager=${manager}&force=${String(force)}`,
        { apiVersion: `example.com/${version}`, kind: "Widget", metadata: { name: "a" }, spec },
        { type: "application/apply-patch+yaml" },
      );
    const first = await apply(OTHER_WIDGETS, "v2", { dimensions: { size: 1 }, colour: "red" }, "one");
    expect([first.status, first.at("spec.dimensions.size")]).toEqual([201, 1]);
    const refused = await apply(WIDGETS, "v1", { size: 2 }, "two");
    expect(refused.status).toBe(409);
    expect(refused.at("message")).toContain('conflict with "one": .spec.dimensions.size');
    const forced = await apply(WIDGETS, "v1", { size: 2 }, "two", true);
    expect([forced.status, forced.at("spec")]).toEqual([200, { size: 2, colour: "red" }]);
    // What "one" applies no more goes, and what "two" owns in the other version stays.
    const reduced = await apply(OTHER_WIDGETS, "v2", undefined, "one");
    expect([reduced.status, reduced.at("spec")]).toEqual([200, { dimensions: { size: 2 } }]);
    const owners = reduced.at("metadata.managedFields") as readonly KubeObject[];
    expect(owners.map((entry) => [entry["manager"], entry.apiVersion])).toEqual([["two", "example.com/v1"]]);
  });

  test("is watched in the order of events, however long each conversion takes", async () => {
    const { resourceVersion = "" } = (await call(api, "GET", WIDGETS)).at("metadata") as { resourceVersion?: string };
    await using watch = await watchEvents(api, OTHER_WIDGETS, resourceVersion);
    const slow = deferred<void>();
    before = (names) => (names.includes("a") ? slow.promise : undefined);
    await call(api, "POST", WIDGETS, inV1("a", 1));
    await call(api, "POST", WIDGETS, inV1("b", 2));
    const last = await call(api, "PUT", `${WIDGETS}/b`, inV1("b", 3));
    await eventually(async () => expect(calls.length).toBeGreaterThan(0));
    expect(watch.events).toEqual([]);
    // Other requests, and other objects of the same resource, do not wait.
    expect((await call(api, "GET", `${OTHER_WIDGETS}/b`)).at("spec.dimensions.size")).toBe(3);
    slow.resolve();
    await watch.seen(last.at("metadata.resourceVersion") as string);
    expect(watch.events.map(({ type, object }) => [type, object.metadata?.name, object["spec"]])).toEqual([
      ["ADDED", "a", { dimensions: { size: 1 }, colour: "red" }],
      ["ADDED", "b", { dimensions: { size: 2 }, colour: "red" }],
      ["MODIFIED", "b", { dimensions: { size: 3 }, colour: "red" }],
    ]);
  });

  test("is watched from the current state, with bookmarks in its version", async () => {
    for (const name of ["a", "b"]) await call(api, "POST", WIDGETS, inV1(name, 1));
    const path = `${OTHER_WIDGETS}?sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true`;
    await using watch = await watchEvents(api, path, "0");
    await eventually(async () => expect(watch.events).toHaveLength(3));
    expect(watch.events.map(({ type, object }) => [type, object.apiVersion, object["spec"]])).toEqual([
      ["ADDED", "example.com/v2", { dimensions: { size: 1 }, colour: "red" }],
      ["ADDED", "example.com/v2", { dimensions: { size: 1 }, colour: "red" }],
      ["BOOKMARK", "example.com/v2", undefined],
    ]);
    expect(calls).toEqual([{ direction: "fromHub", names: ["a", "b"] }]);
  });

  test("is converted once for all watches of one event", async () => {
    const { resourceVersion = "" } = (await call(api, "GET", WIDGETS)).at("metadata") as { resourceVersion?: string };
    await using one = await watchEvents(api, OTHER_WIDGETS, resourceVersion);
    await using two = await watchEvents(api, OTHER_WIDGETS, resourceVersion);
    const created = await call(api, "POST", WIDGETS, inV1("a", 1));
    const version = created.at("metadata.resourceVersion") as string;
    await Promise.all([one.seen(version), two.seen(version)]);
    expect(calls).toEqual([{ direction: "fromHub", names: ["a"] }]);
  });

  test("fails with a 500 only the requests that need the failed conversion", async () => {
    await call(api, "POST", WIDGETS, inV1("a", 1));
    await call(api, "POST", WIDGETS, inV1("b", 2));
    before = (names) => {
      if (names.includes("a")) throw new Error("conversion webhook for example.com/v1, Kind=Widget failed: no answer");
    };
    const message = "conversion webhook for example.com/v1, Kind=Widget failed: no answer";
    for (const answer of [
      await call(api, "GET", `${OTHER_WIDGETS}/a`),
      await call(api, "GET", OTHER_WIDGETS),
      await call(api, "PATCH", `${OTHER_WIDGETS}/a`, { spec: {} }, { type: "application/merge-patch+json" }),
      await call(api, "PUT", `${OTHER_WIDGETS}/a`, inV2("a", 4)),
    ]) {
      expect([answer.status, answer.at("kind"), answer.at("message")]).toEqual([500, "Status", message]);
    }
    expect((await call(api, "GET", `${OTHER_WIDGETS}/b`)).status).toBe(200);
    expect((await call(api, "GET", WIDGETS)).at("items.0.spec.size")).toBe(1);
    before = () => {};
    expect((await call(api, "GET", OTHER_WIDGETS)).status).toBe(200);
  });

  test("does not fail a request for one object because of a failure in a list that it joined", async () => {
    for (const name of ["a", "b"]) await call(api, "POST", WIDGETS, inV1(name, 1));
    const gate = deferred<void>();
    before = async (names) => {
      await gate.promise;
      if (names.includes("a")) throw new Error("no answer");
    };
    const list = call(api, "GET", OTHER_WIDGETS);
    await eventually(async () => expect(calls).toHaveLength(1));
    const get = call(api, "GET", `${OTHER_WIDGETS}/b`);
    gate.resolve();
    expect([(await list).status, (await get).status]).toEqual([500, 200]);
  });

  test("ends a watch with an ERROR event when the conversion fails, after the events before it", async () => {
    const { resourceVersion = "" } = (await call(api, "GET", WIDGETS)).at("metadata") as { resourceVersion?: string };
    await using watch = await watchEvents(api, OTHER_WIDGETS, resourceVersion);
    await using stored = await watchEvents(api, WIDGETS, resourceVersion);
    before = (names) => {
      if (names.includes("b")) throw new Error("no answer");
    };
    const first = await call(api, "POST", WIDGETS, inV1("a", 1));
    await watch.seen(first.at("metadata.resourceVersion") as string);
    const second = await call(api, "POST", WIDGETS, inV1("b", 2));
    await stored.seen(second.at("metadata.resourceVersion") as string);
    await eventually(async () => expect(watch.events).toHaveLength(2));
    expect(watch.events.map(({ type }) => type)).toEqual(["ADDED", "ERROR"]);
    expect(watch.events[1]?.object).toMatchObject({ kind: "Status", code: 500, message: "no answer" });
    expect(stored.events.map(({ type }) => type)).toEqual(["ADDED", "ADDED"]);
  });

  test("fails when the conversion returns another number of objects", async () => {
    const odd = { ...widgets, resource: "odds", kind: "Odd" };
    server.registry.install({
      ...odd,
      versions: [
        widgets.versions[0] ?? { version: "v1", schema: struct("Odd", {}) },
        { version: "v2", schema: struct("Odd", {}), conversion: { convertMany: () => [] } },
      ],
    });
    await call(api, "POST", "/apis/example.com/v1/namespaces/default/odds", inV1("a", 1));
    const answer = await call(api, "GET", "/apis/example.com/v2/namespaces/default/odds/a");
    expect([answer.status, answer.at("message")]).toEqual([
      500,
      "converting example.com/v2/Odd: 1 objects went in and 0 came out",
    ]);
  });

  test("is not prepared when it is built in and converts at once", () => {
    const find = (groupVersion: string, resource: string) =>
      server.registry.current.find(groupVersion, resource)?.codec;
    const scalers = find("autoscaling/v1", "horizontalpodautoscalers");
    if (scalers === undefined) throw new Error("autoscaling/v1 is not served");
    expect(scalers.isStored).toBe(false);
    const hub = scalers.toHub({
      kind: "HorizontalPodAutoscaler",
      apiVersion: "autoscaling/v1",
      metadata: {},
      spec: {},
    });
    expect(hub).not.toBeInstanceOf(Promise);
    expect(scalers.fromHub(hub as KubeObject)).not.toBeInstanceOf(Promise);
    expect([scalers.convertsLater, scalers.prepare([])]).toEqual([false, undefined]);
  });

  test("may not be the stored version", () => {
    const [v1, v2] = widgets.versions;
    if (v1 === undefined || v2 === undefined) throw new Error("no versions");
    const definition = { ...widgets, resource: "others", kind: "Other", versions: [v2, v1] };
    expect(() => server.registry.install(definition)).toThrow(InvalidResourceError);
  });
});
