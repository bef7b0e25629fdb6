import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { manualClock, startCluster } from "../../../src/cluster/index.js";
import { buildWriter } from "../../durability/writer-process.js";
import { call } from "../../helpers/api-caller.js";

const SPACE = "/api/v1/namespaces/space";

test("when a server is killed after charging a quota and before storing the object, the charge expires", async () => {
  const folder = mkdtempSync(join(tmpdir(), "kubets-killed-server-"));
  const program = await buildWriter("killed-server", "test/server/admission");
  try {
    const signal = await new Promise((resolve) => {
      execFile(process.execPath, [program.script, folder], (error) => resolve(error?.signal));
    });
    expect(signal).toBe("SIGKILL");
    const cluster = await startCluster({
      port: false,
      storage: "disk",
      dataDir: folder,
      clock: manualClock(new Date().toISOString()),
      controllers: ["resourcequota-controller"],
      scheduler: false,
    });
    try {
      const api = cluster.transport();
      const used = async () => (await call(api, "GET", `${SPACE}/resourcequotas/q`)).at("status.used.secrets");
      const create = async (name: string) =>
        (await call(api, "POST", `${SPACE}/secrets`, { metadata: { name } })).status;
      await cluster.clock.advance("30s");
      expect(await used()).toBe("2");
      expect(await create("another")).toBe(403);
      await cluster.clock.advance("30s");
      expect(await used()).toBe("1");
      expect(await create("another")).toBe(201);
      expect(await create("one-too-many")).toBe(403);
    } finally {
      await cluster.close();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
    await program.remove();
  }
});
