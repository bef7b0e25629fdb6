import { expect, it } from "vitest";
import { ManualClock } from "../../../src/base/time/manual-clock.js";
import { systemRandom } from "../../../src/base/numbers/random.js";
import type { AuthorizationContext } from "../../../src/server/authz/authorizer.js";
import { builtinRecords } from "../../../src/server/builtin/index.js";
import { createServer } from "../../../src/server/generic/server.js";
import { createStorage } from "../../../src/server/storage/create-storage.js";
import { openMemoryKv } from "../../../src/server/storage/memory/memory-kv.js";
import { call } from "../../helpers/api-caller.js";
import { widgets } from "../api-registry/widgets.js";

it("an authorizer whose resources are not installed allows nothing, and /readyz fails until they are", async () => {
  const clock = new ManualClock(Date.UTC(2026, 0, 1));
  const storage = createStorage({ kv: openMemoryKv({}), clock, compactionSeconds: 0 });
  let read: readonly [group: string, resource: string] = ["storagemigration.k8s.io", "storageversionmigrations"];
  const readFirst = (context: AuthorizationContext) => () => {
    context.objects.cached.now(...read);
    return { decision: "allow" } as const;
  };
  const server = createServer({
    storage,
    records: builtinRecords,
    clock,
    random: systemRandom,
    requestRandom: systemRandom,
    tokens: [],
    serverAddress: () => "",
    authorization: (context) => [{ name: "Own", authorize: readFirst(context), rightsOf: () => NO_RIGHTS }],
  });
  const jane = server.transport({ commonName: "jane", organizations: [] });
  const admin = server.transport({ commonName: "admin", organizations: ["system:masters"] });
  const list = async () => (await call(jane, "GET", "/api/v1/namespaces")).status;
  const ready = async () => (await call(admin, "GET", "/readyz")).text;
  // A built-in resource that runtimeConfig turned off has no objects.
  expect([await list(), await ready()]).toEqual([200, "ok"]);
  read = [widgets.group, "widgets"];
  expect(await list()).toBe(500);
  expect(await ready()).toContain("[-]api-resources failed: reason withheld\n");
  expect((await call(admin, "GET", "/livez")).text).toBe("ok");
  server.registry.install(widgets);
  expect([await list(), await ready()]).toEqual([200, "ok"]);
  await server.stop();
  await storage.close();
});

const NO_RIGHTS = { resourceRules: [], nonResourceRules: [], incomplete: false };
