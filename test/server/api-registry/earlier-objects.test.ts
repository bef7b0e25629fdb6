import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { startServer } from "../../../src/cluster/start-server.js";
import { int32, string, struct } from "../../../src/machinery/schema/build-schema.js";
import type { ResourceDefinition } from "../../../src/server/api-registry/resource-definition.js";
import { call } from "../../helpers/api-caller.js";
import { COLLECTION, GROUP, widgets } from "./widgets.js";

let dataDir: string;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), "kubets-earlier-"));
});
afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

const start = (resource: ResourceDefinition) =>
  startServer({ port: false, storage: "disk", dataDir, resources: [resource] });

const [v1, v1beta1] = widgets.versions;
if (v1 === undefined || v1beta1 === undefined) throw new Error("widgets have two versions");
const { conversion: toNewer, ...older } = v1beta1;
if (toNewer === undefined || !("toHub" in toNewer)) throw new Error("v1beta1 is converted");
/** The same resource before v1 became the version that objects are stored in. */
const before: ResourceDefinition = {
  ...widgets,
  versions: [{ ...v1, conversion: { toHub: toNewer.fromHub, fromHub: toNewer.toHub } }, older],
  storageVersion: "v1beta1",
};

test("objects that a user's server stored in another version keep their fields", async () => {
  {
    await using server = await start(before);
    const created = await call(server.transport(), "POST", COLLECTION, { metadata: { name: "a" }, spec: { size: 5 } });
    expect(created.status, created.text).toBe(201);
  }
  await using server = await start(widgets);
  const api = server.transport();
  expect((await call(api, "GET", `${COLLECTION}/a`)).at("spec")).toEqual({ size: 5 });
  expect((await call(api, "GET", `${COLLECTION.replace("/v1/", "/v1beta1/")}/a`)).at("spec")).toEqual({ width: 5 });
  const type = "application/merge-patch+json";
  expect((await call(api, "PATCH", `${COLLECTION}/a`, { metadata: { labels: { a: "b" } } }, { type })).status).toBe(
    200,
  );
  expect((await call(api, "GET", COLLECTION)).at("items.0.spec")).toEqual({ size: 5 });
});

test("objects that a user's server stored with an earlier schema get the defaults of the present one", async () => {
  const earlier: ResourceDefinition = {
    ...widgets,
    versions: [
      { version: "v1", schema: struct("Widget", { spec: struct("WidgetSpec", { gone: string, other: int32 }) }) },
    ],
  };
  {
    await using server = await start(earlier);
    const spec = { gone: "x", other: 1 };
    expect((await call(server.transport(), "POST", COLLECTION, { metadata: { name: "a" }, spec })).status).toBe(201);
  }
  await using server = await start(widgets);
  expect((await call(server.transport(), "GET", `${COLLECTION}/a`)).at("spec")).toEqual({ size: 1 });
});

test("a stored version that the definition no longer has is named in the error, and the object is not truncated", async () => {
  {
    await using server = await start({ ...widgets, versions: [older] });
    const path = `/apis/${GROUP}/v1beta1/namespaces/default/widgets`;
    expect((await call(server.transport(), "POST", path, { metadata: { name: "a" }, spec: { width: 5 } })).status).toBe(
      201,
    );
  }
  await using server = await start({ ...widgets, versions: [v1] });
  const answer = await call(server.transport(), "GET", `${COLLECTION}/a`);
  expect(answer.status).toBe(500);
  expect(answer.text).toContain("v1beta1");
});
