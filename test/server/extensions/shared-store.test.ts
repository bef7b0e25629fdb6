import { expect, it } from "vitest";
import { systemClock } from "../../../src/base/time/clock.js";
import { systemRandom } from "../../../src/base/numbers/random.js";
import { systemTimers } from "../../../src/base/time/timers.js";
import { builtinRecords } from "../../../src/server/builtin/index.js";
import { CustomResources } from "../../../src/server/extensions/custom-resources.js";
import { statusWriter } from "../../../src/server/generic/status-writer.js";
import { createServer } from "../../../src/server/generic/server.js";
import { createStorage } from "../../../src/server/storage/create-storage.js";
import type { Kv } from "../../../src/server/storage/kv.js";
import { openMemoryKv } from "../../../src/server/storage/memory/memory-kv.js";
import { call } from "../../helpers/api-caller.js";
import { boxDefinition, DEFINITIONS, install, versionOf } from "../../helpers/custom-definitions.js";
import { eventually } from "../../helpers/eventually.js";

const DEFINITION_RESOURCE = { group: "apiextensions.k8s.io", version: "v1", resource: "customresourcedefinitions" };
const MIGRATIONS = "storageversionmigrations.storagemigration.k8s.io";

/** One of the servers of a store, with what serves the kinds of definitions. */
async function serverOf(kv: Kv, runtimeConfig: Readonly<Record<string, boolean>>) {
  const storage = createStorage({ kv, compactionSeconds: 0 });
  const server = createServer({
    storage,
    runtimeConfig,
    records: builtinRecords,
    clock: systemClock,
    random: systemRandom,
    requestRandom: systemRandom,
    tokens: [],
    serverAddress: () => "",
  });
  const faults: unknown[] = [];
  const custom = new CustomResources({
    registry: server.registry,
    webhooks: server.webhooks,
    clock: systemClock,
    timers: systemTimers,
    write: statusWriter(DEFINITION_RESOURCE, server.loopback(), { clock: systemClock, timers: systemTimers }),
    reportError: (error) => void faults.push(error),
  });
  await custom.start();
  return {
    faults,
    api: server.transport({ commonName: "admin", organizations: ["system:masters"] }),
    async close() {
      await custom.stop();
      await server.stop();
      await storage.close();
    },
  };
}

it("of two servers on one storage neither lets a definition replace a built-in resource, whether it serves that resource or not", async () => {
  const kv = openMemoryKv({});
  const [one, other] = [
    await serverOf(kv, { "storagemigration.k8s.io/v1beta1": true }),
    await serverOf(kv, { "storagemigration.k8s.io/v1beta1": false }),
  ];
  const { spec } = boxDefinition("storagemigration.k8s.io", [versionOf("v1beta1", {})]) as { readonly spec: object };
  const names = { plural: "storageversionmigrations", kind: "Migration" };
  await install(other.api, {
    ...boxDefinition("storagemigration.k8s.io", []),
    metadata: { name: MIGRATIONS, annotations: { "api-approved.kubernetes.io": "unapproved" } },
    spec: { ...spec, names },
  });
  await install(other.api, boxDefinition("two.example.com", [versionOf("v1", {})]));
  for (const { api } of [one, other]) {
    const boxes = "/apis/two.example.com/v1/boxes";
    await eventually(async () => expect((await call(api, "GET", boxes)).status).toBe(200));
  }
  const path = "/apis/storagemigration.k8s.io/v1beta1/storageversionmigrations";
  const made = { metadata: { name: "kept" }, spec: { resource: { group: "apps", resource: "deployments" } } };
  const created = await call(one.api, "POST", path, made);
  expect([created.status, (await call(other.api, "GET", path)).status]).toEqual([201, 404]);
  expect((await call(other.api, "DELETE", `${DEFINITIONS}/${MIGRATIONS}`)).status).toBe(200);
  await eventually(async () => expect((await call(one.api, "GET", `${DEFINITIONS}/${MIGRATIONS}`)).status).toBe(404));
  const kept = await call(one.api, "GET", `${path}/kept`);
  expect([kept.status, kept.at("kind")]).toEqual([200, "StorageVersionMigration"]);
  expect([...one.faults, ...other.faults]).toEqual([]);
  await one.close();
  await other.close();
});
