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
  ["a version twice", { ...widgets, versions: [v1, v1] }, "version v1 is there twice"],
  [
    "a version of another schema without a conversion",
    { ...widgets, versions: [v1, other] },
    "version v2 has another schema than v1, and no conversion",
  ],
  [
    "a storage version that is not there",
    { ...widgets, storageVersion: "v7" },
    "the version it is stored in, v7, is not among its versions",
  ],
  ["no version that is served", { ...widgets, versions: [{ ...v1, served: false }] }, "no version is served"],
  [
    "a verb that its storage cannot answer",
    { ...widgets, versions: [{ ...v1, verbs: ["get"] }], storage: { open: () => ({}) } },
    "version v1 has the verb get, and nothing that answers it",
  ],
  [
    "a verb that does not exist",
    { ...widgets, versions: [{ ...v1, verbs: ["get", "sing"] }] },
    "version v1 has the verb sing, and nothing that answers it",
  ],
  [
    "a subresource that nothing answers",
    { ...widgets, versions: [{ ...v1, subresources: [{ name: "dance" }] }] },
    "nothing answers its subresource dance",
  ],
  [
    "a verb of a subresource that nothing answers",
    { ...widgets, versions: [{ ...v1, subresources: [{ name: "status", verbs: ["create"] }] }] },
    "its subresource status has the verb create, and nothing that answers it",
  ],
  ["no kind for its lists", { ...widgets, listKind: "" }, "the kind of its lists is missing"],
  ["its own kind for its lists", { ...widgets, listKind: "Widget" }, "the kind of its lists is its own kind"],
  ["a bad plural", { ...widgets, resource: "Widgets" }, '"Widgets" is no name of a resource'],
  ["a bad kind", { ...widgets, kind: "widget" }, '"widget" is no name of a kind'],
  ["a bad group", { ...widgets, group: "Example_Com" }, '"Example_Com" is no name of a group'],
  ["a bad version", { ...widgets, versions: [{ ...v1, version: "1" }] }, '"1" is no name of a version'],
  ["a built-in resource's name", { ...widgets, group: "apps", resource: "deployments" }, "it is installed already"],
  [
    "a built-in resource's kind",
    { ...widgets, group: "apps", resource: "deploys", kind: "Deployment" },
    "apps/v1 Deployment is another resource's kind",
  ],
];

describe("a resource that cannot be right", () => {
  test.each(rows)("with %s is refused by name, and changes nothing", (_, definition, message) => {
    const before = cluster.registry.current;
    const { group, resource } = definition;
    const install = () => cluster.registry.install(definition);
    expect(install).toThrow(InvalidResourceError);
    expect(install).toThrow(`resource ${resource}.${group} cannot be installed: ${message}`);
    expect(cluster.registry.current).toBe(before);
  });

  test("takes with it what was to be installed beside it", () => {
    const before = cluster.registry.current;
    const gadgets = { ...widgets, resource: "gadgets", kind: "Gadget" };
    expect(() => cluster.registry.install(gadgets, { ...widgets, versions: [] })).toThrow(InvalidResourceError);
    expect(cluster.registry.current).toBe(before);
  });

  test("a storage of the resource's own is opened once, whatever its versions are", () => {
    let opened = 0;
    const open = () => {
      opened++;
      return {};
    };
    const handlers = { create: () => () => Promise.resolve() };
    cluster.registry.install({ ...widgets, storage: { open }, handlers });
    const { versions } = widgets;
    for (const { version } of versions) cluster.registry.current.find(`${widgets.group}/${version}`, "widgets");
    expect(opened).toBe(1);
    cluster.registry.remove({ group: widgets.group });
  });

  test("of two of one name the second is refused, and so are two of one kind", () => {
    const before = cluster.registry.current;
    expect(() => cluster.registry.install(widgets, widgets)).toThrow("it is installed already");
    const gadgets = { ...widgets, resource: "gadgets" };
    expect(() => cluster.registry.install(widgets, gadgets)).toThrow("kind Widget is that of widgets");
    expect(cluster.registry.current).toBe(before);
  });

  test("keeps a server from starting", async () => {
    await expect(startServer({ port: false, resources: [{ ...widgets, versions: [] }] })).rejects.toThrow(
      "resource widgets.stable.example.com cannot be installed: it has no version",
    );
  });
});
