import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { RunningServer } from "../../../src/cluster/running-server.js";
import { startServer } from "../../../src/cluster/start-server.js";
import type { KubeObject } from "../../../src/machinery/meta/object.js";
import { int32, string, struct } from "../../../src/machinery/schema/build-schema.js";
import type { ResourceDefinition } from "../../../src/server/api-registry/resource-definition.js";
import { call } from "../../helpers/api-caller.js";
import { eventually } from "../../helpers/eventually.js";
import { watchEvents } from "../../helpers/watch-events.js";
import { objectsOf } from "../registry/plain-objects/widgets.js";

const schema = struct("Widget", { spec: struct("WidgetSpec", { size: int32, color: string }) });
const old = struct("Widget", { spec: struct("OldWidgetSpec", { length: int32, color: string }) });
type Spec = { size?: number; length?: number; color?: string };

const apps: ResourceDefinition = {
  group: "apps.example.com",
  resource: "widgets",
  kind: "Widget",
  namespaced: true,
  versions: [{ version: "v1", schema }],
};

/** The same widgets, under the group that had them first, and with a field of another name in its old version. */
const extensions: ResourceDefinition = {
  ...apps,
  group: "extensions.example.com",
  storage: { sharedWith: "apps.example.com/widgets" },
  versions: [
    { version: "v1", schema },
    {
      version: "v1beta1",
      schema: old,
      conversion: {
        toHub({ spec, ...rest }) {
          const { length, ...more } = (spec ?? {}) as Spec;
          return { ...rest, spec: { ...more, ...(length !== undefined && { size: length }) } };
        },
        fromHub({ spec, ...rest }) {
          const { size, ...more } = (spec ?? {}) as Spec;
          return { ...rest, spec: { ...more, ...(size !== undefined && { length: size }) } };
        },
      },
    },
  ],
};

const pathOf = (group: string, version: string): string => `/apis/${group}/${version}/namespaces/default/widgets`;
const [APPS, EXTENSIONS, BETA] = [
  pathOf("apps.example.com", "v1"),
  pathOf("extensions.example.com", "v1"),
  pathOf("extensions.example.com", "v1beta1"),
];

const kept = new Map<string, KubeObject>();

describe.each<[string, ResourceDefinition]>([
  ["the server's storage", apps],
  ["code", { ...apps, storage: { objects: objectsOf(kept), poll: 60_000 } }],
])("A-CAP-09: two API groups for the same objects, kept in %s", (_, first) => {
  let server: RunningServer;
  beforeAll(async () => {
    kept.clear();
    server = await startServer({ port: false, resources: [first, extensions] });
  });
  afterAll(() => server.close());
  const send = (method: string, path: string, body?: unknown, type?: string) =>
    call(server.transport(), method, path, body, type === undefined ? {} : { type });

  test("read what the other wrote with the same uid and resourceVersion, as their own kind", async () => {
    const made = await send("POST", EXTENSIONS, { metadata: { name: "one" }, spec: { size: 1 } });
    expect([made.status, made.at("apiVersion")]).toEqual([201, "extensions.example.com/v1"]);
    const read = await send("GET", `${APPS}/one`);
    expect(read.at("apiVersion")).toBe("apps.example.com/v1");
    for (const field of ["metadata.uid", "metadata.resourceVersion", "spec"])
      expect(read.at(field)).toEqual(made.at(field));
    const version = read.at("metadata.resourceVersion");
    const body = { metadata: { name: "one", resourceVersion: version }, spec: { length: 2 } };
    expect((await send("PUT", `${BETA}/one`, body)).at("spec.length")).toBe(2);
    expect((await send("GET", `${APPS}/one`)).at("spec.size")).toBe(2);
    expect((await send("PUT", `${APPS}/one`, { ...body, spec: { size: 3 } })).status).toBe(409);
    expect((await send("GET", BETA)).at("items.0.spec")).toEqual({ length: 2 });
    expect((await send("POST", APPS, { metadata: { name: "one" }, spec: {} })).status).toBe(409);
    expect((await send("DELETE", `${EXTENSIONS}/one`)).status).toBe(200);
    expect((await send("GET", `${APPS}/one`)).status).toBe(404);
  });

  test("show the writes of both in watches, at one resourceVersion", async () => {
    await using apps = await watchEvents(server.transport(), APPS, "");
    await using beta = await watchEvents(server.transport(), BETA, "");
    await send("POST", APPS, { metadata: { name: "two" }, spec: { size: 1 } });
    await send("PATCH", `${BETA}/two`, { spec: { length: 2 } }, "application/merge-patch+json");
    await send("DELETE", `${APPS}/two`);
    const seen = ({ events }: typeof apps) =>
      events.map(({ type, object }) => [type, object.apiVersion, object["spec"], object.metadata?.resourceVersion]);
    await eventually(() => expect([apps.events.length, beta.events.length]).toEqual([3, 3]));
    const versions = apps.events.map(({ object }) => object.metadata?.resourceVersion);
    const rows = (apiVersion: string, specs: readonly object[]) =>
      ["ADDED", "MODIFIED", "DELETED"].map((type, index) => [type, apiVersion, specs[index], versions[index]]);
    expect(seen(apps)).toEqual(rows("apps.example.com/v1", [{ size: 1 }, { size: 2 }, { size: 2 }]));
    expect(seen(beta)).toEqual(rows("extensions.example.com/v1beta1", [{ length: 1 }, { length: 2 }, { length: 2 }]));
  });

  test("both allow server-side apply, and each manager keeps its fields", async () => {
    const apply = (path: string, apiVersion: string, manager: string, spec: object) =>
      send(
        "PATCH",
        `${path}/three?fieldManager=${manager}`,
        { apiVersion, kind: "Widget", metadata: { name: "three" }, spec },
        "application/apply-patch+yaml",
      );
    expect((await apply(APPS, "apps.example.com/v1", "a", { size: 1 })).status).toBe(201);
    expect((await apply(BETA, "extensions.example.com/v1beta1", "b", { color: "red" })).at("spec")).toEqual({
      length: 1,
      color: "red",
    });
    expect((await apply(BETA, "extensions.example.com/v1beta1", "b", { length: 7 })).status).toBe(409);
    expect((await send("GET", `${APPS}/three`)).at("spec")).toEqual({ size: 1, color: "red" });
  });
});

test.each<[string, ResourceDefinition[], string]>([
  ["that is not there", [extensions], "its storage.sharedWith apps.example.com/widgets is not installed"],
  ["that comes later", [extensions, apps], "install that resource first"],
  ["of another scope", [{ ...apps, namespaced: false }, extensions], "has another scope"],
  [
    "of another schema, without a conversion",
    [apps, { ...extensions, versions: [{ version: "v1beta1", schema: old }] }],
    "version v1beta1 has another schema than the storage version v1 of apps.example.com/widgets; give it a conversion",
  ],
  ["with a storage version", [apps, { ...extensions, storageVersion: "v1" }], "its storageVersion has no effect"],
])("a resource that shares the objects of one %s is refused: %j", async (_, resources, reason) => {
  await expect(startServer({ port: false, resources })).rejects.toThrow(reason);
});
