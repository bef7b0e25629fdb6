import { expect, test } from "vitest";
import { builtinRecords } from "../../../src/server/builtin/index.js";
import { createServer } from "../../../src/server/generic/server.js";
import { createStorage } from "../../../src/server/storage/create-storage.js";
import { openMemoryKv } from "../../../src/server/storage/memory/memory-kv.js";
import { call } from "../../helpers/api-caller.js";
import { ManualTime } from "../../helpers/manual-time.js";
import { seededRandom } from "../../helpers/seeded-random.js";

/** The uid of a namespace created after so many GETs, and the audit id of every answer. */
async function run(reads: number): Promise<{ readonly uid: unknown; readonly auditIds: readonly unknown[] }> {
  const time = new ManualTime();
  const storage = createStorage({ kv: openMemoryKv({ clock: time }), clock: time, timers: time });
  const server = createServer({
    storage,
    records: builtinRecords,
    clock: time,
    random: seededRandom("objects"),
    requestRandom: seededRandom("requests"),
    tokens: [],
    serverAddress: () => "",
  });
  try {
    const api = server.transport({ commonName: "admin", organizations: ["system:masters"] });
    const auditIds: unknown[] = [];
    for (let left = reads; left > 0; left--) {
      auditIds.push((await call(api, "GET", "/api/v1/namespaces")).headers["audit-id"]);
    }
    const created = await call(api, "POST", "/api/v1/namespaces", { metadata: { name: "shop" } });
    auditIds.push(created.headers["audit-id"]);
    return { uid: (JSON.parse(created.text) as { metadata: { uid: string } }).metadata.uid, auditIds };
  } finally {
    await server.stop();
    await storage.close();
  }
}

test("one seed gives the same audit ids, and requests do not change the uids of objects", async () => {
  const [few, many] = [await run(1), await run(5)];
  expect(few.uid).toBe(many.uid);
  expect(many.auditIds.slice(0, 2)).toEqual(few.auditIds);
  expect(new Set(many.auditIds).size).toBe(6);
  for (const id of many.auditIds)
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
});
