import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Cluster, startCluster } from "../../../src/cluster/index.js";
import { startServer } from "../../../src/cluster/start-server.js";
import { string, struct } from "../../../src/machinery/schema/build-schema.js";
import { InvalidResourceError } from "../../../src/server/api-registry/installation.js";
import type { ResourceDefinition } from "../../../src/server/api-registry/resource-definition.js";
import { widgets } from "./widgets.js";

let cluster: Cluster;

beforeAll(async () => {
  cluster = await startCluster({ port: false, controllers: false });
});
afterAll(() => cluster.close());

const [v1] = widgets.versions;
if (v1 === undefined) throw new Error("no version");
const other = { ...v1, version: "v2", schema: struct("Widget", { spec: struct("WidgetSpec", { name: string }) }) };

/** What is wrong, and what the error says of it. */
const rows: readonly (readonly [wrong: string, definition: ResourceDefinition, message: string])[] = [
  ["no version", { ...widgets, versions: [] }, "it has no version"],
  ["a version twice", { ...widgets, versions: [v1, v1] }, "it has the version v1 twice"],
  [
    "a version of another schema without a conversion",
    { ...widgets, versions: [v1, other] },
    "version v2 has another schema than the storage version v1; give it a conversion",
  ],
  [
    "a storage version that is not there",
    { ...widgets, storageVersion: "v7" },
    "its storageVersion v7 is none of its versions",
  ],
  ["no version that is served", { ...widgets, versions: [{ ...v1, served: false }] }, "none of its versions is served"],
  [
    "a verb that its storage cannot answer",
    { ...widgets, versions: [{ ...v1, verbs: ["get"] }], storage: { objects: {} } },
    "version v1 has the verb get, which neither its storage nor a handler answers",
  ],
  [
    "a verb that does not exist",
    { ...widgets, versions: [{ ...v1, verbs: ["get", "sing"] }] },
    "version v1 has the verb sing, which neither its storage nor a handler answers",
  ],
  [
    "a subresource that nothing answers",
    { ...widgets, versions: [{ ...v1, subresources: [{ name: "dance" }] }] },
    "its subresource dance has no record, so that no verb of it is answered",
  ],
  [
    "a verb of a subresource that nothing answers",
    { ...widgets, versions: [{ ...v1, subresources: [{ name: "status", verbs: ["create"] }] }] },
    "its subresource status has the verb create, which its record does not answer",
  ],
  ["no kind for its lists", { ...widgets, listKind: "" }, "its listKind is empty"],
  ["its own kind for its lists", { ...widgets, listKind: "Widget" }, "its listKind is its kind"],
  ["a bad plural", { ...widgets, resource: "Widgets" }, '"Widgets" is not a valid resource name'],
  ["a bad kind", { ...widgets, kind: "widget" }, '"widget" is not a valid kind name'],
  ["a bad group", { ...widgets, group: "Example_Com" }, '"Example_Com" is not a valid group name'],
  ["a bad version", { ...widgets, versions: [{ ...v1, version: "1" }] }, '"1" is not a valid version name'],
  ["a built-in resource's name", { ...widgets, group: "apps", resource: "deployments" }, "it is installed already"],
  [
    "the name of a built-in resource that is turned off",
    { ...widgets, group: "coordination.k8s.io", resource: "leasecandidates" },
    "it has the name of a built-in resource",
  ],
  [
    "another version of a built-in resource",
    { ...widgets, group: "apps", resource: "deployments", kind: "Deploy", versions: [{ ...v1, version: "v9" }] },
    "it is installed already, by the built-in API",
  ],
  [
    "keys among those of a namespace's pods",
    { ...widgets, group: "pods", resource: "default" },
    "the keys of its objects, /registry/pods/default/, are among those of built-in resources",
  ],
  [
    "the keys of services",
    { ...widgets, group: "services", resource: "specs" },
    "the keys of its objects, /registry/services/specs/, are among those of built-in resources",
  ],
  [
    "keys among those of address ranges",
    { ...widgets, group: "ranges", resource: "serviceips" },
    "the keys of its objects, /registry/ranges/serviceips/, are among those of built-in resources",
  ],
  [
    "a built-in resource's kind",
    { ...widgets, group: "apps", resource: "deploys", kind: "Deployment" },
    "apps/v1 Deployment is another resource's kind",
  ],
];

describe("installing an invalid resource in a running server", () => {
  test.each(rows)("is refused for %s by name, and changes nothing", (_, definition, message) => {
    const before = cluster.registry.current;
    const { group, resource } = definition;
    const install = () => cluster.registry.install(definition);
    expect(install).toThrow(InvalidResourceError);
    expect(install).toThrow(`resource ${resource}.${group} cannot be installed: ${message}`);
    expect(cluster.registry.current).toBe(before);
  });

  test("also refuses what was to be installed with it", () => {
    const before = cluster.registry.current;
    const gadgets = { ...widgets, resource: "gadgets", kind: "Gadget" };
    expect(() => cluster.registry.install(gadgets, { ...widgets, versions: [] })).toThrow(InvalidResourceError);
    expect(cluster.registry.current).toBe(before);
  });

  test("is checked although the code that keeps a resource's objects is made once for all versions", () => {
    let opened = 0;
    const objects = () => {
      opened++;
      return {};
    };
    const handlers = { create: () => () => Promise.resolve() };
    cluster.registry.install({ ...widgets, storage: { objects }, handlers });
    const { versions } = widgets;
    for (const { version } of versions) cluster.registry.current.find(`${widgets.group}/${version}`, "widgets");
    expect(opened).toBe(1);
    cluster.registry.remove({ group: widgets.group });
  });

  test("is refused for the second of two with one name or kind", () => {
    const before = cluster.registry.current;
    expect(() => cluster.registry.install(widgets, widgets)).toThrow("it is installed already");
    const gadgets = { ...widgets, resource: "gadgets" };
    expect(() => cluster.registry.install(widgets, gadgets)).toThrow("kind Widget is that of widgets");
    expect(cluster.registry.current).toBe(before);
  });

  test("can only be undone or repeated by the handle that installed it", async () => {
    const { registry } = cluster;
    const [mine, theirs] = [registry.installer({ owner: "me" }), registry.installer({ owner: "them" })];
    mine.install(widgets);
    const installed = registry.current;
    const errors: unknown[] = [];
    theirs.replace([widgets], [widgets], (_definition, error) => errors.push(String(error)));
    const name = "resource widgets.stable.example.com cannot be";
    expect(errors).toEqual([`InvalidResourceError: ${name} installed: it is installed already, by me`]);
    expect(() => theirs.install(widgets)).toThrow("it is installed already, by me");
    expect(() => registry.install(widgets)).toThrow("it is installed already, by me");
    for (const other of [theirs, registry]) {
      expect(() => other.remove({ group: widgets.group })).toThrow(`${name} removed: me has installed it`);
      expect(() => other.remove({ group: "apps" })).toThrow("cannot be removed: the built-in API has installed it");
    }
    const rolebindings = { group: "rbac.authorization.k8s.io", resource: "rolebindings" };
    theirs.replace([], [rolebindings, widgets], () => {});
    theirs.listVerbs([rolebindings, widgets], ["get"]);
    expect(theirs.kept(rolebindings)).toBeUndefined();
    expect(registry.current.served.resources).toEqual(installed.served.resources);
    expect(mine.remove({ group: widgets.group })).toBe(true);
    expect(theirs.remove({ group: widgets.group })).toBe(false);
  });

  test("hides a custom definition that yields to it, in whatever order they came", () => {
    const { registry } = cluster;
    const behind = registry.installer({ owner: "a definition", yields: true });
    const gadgets = { ...widgets, resource: "gadgets", kind: "Gadget" };
    const found = (resource: string) => registry.current.find(`${widgets.group}/v1`, resource);
    const failed = (_definition: ResourceDefinition, error: unknown): never => {
      throw error;
    };
    behind.replace([widgets, gadgets], [], failed);
    const covered = found("widgets");
    expect([covered?.removed.aborted, found("gadgets")?.removed.aborted]).toEqual([false, false]);
    registry.install({ ...widgets, versions: [v1] });
    expect([covered?.removed.aborted, found("gadgets")?.removed.aborted]).toEqual([true, false]);
    expect(found("widgets")).not.toBe(covered);
    // Not even another version: both would keep their objects at the same keys.
    expect(registry.current.find(`${widgets.group}/v1beta1`, "widgets")).toBeUndefined();
    expect(behind.kept(widgets)).toBeUndefined();
    registry.remove({ group: widgets.group, resource: "widgets" });
    expect(registry.current.find(`${widgets.group}/v1beta1`, "widgets")?.removed.aborted).toBe(false);
    behind.replace([], [widgets, gadgets], failed);
    expect(found("gadgets")).toBeUndefined();
  });

  test("keeps a server from starting", async () => {
    await expect(startServer({ port: false, resources: [{ ...widgets, versions: [] }] })).rejects.toThrow(
      "resource widgets.stable.example.com cannot be installed: it has no version",
    );
  });
});
