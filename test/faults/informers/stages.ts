import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startCluster } from "../../../src/cluster/index.js";
import { type EtcdServer, startEtcd } from "../../helpers/etcd.js";
import type { Stage } from "./play-history.js";

const options = { port: 0, controllers: false, scheduler: false } as const;

/** Forgets everything whenever its server is closed. */
export const memoryStage = (): Stage => ({
  start: (clock) => startCluster({ ...options, clock }),
  dispose: async () => {},
});

/** Goes back by putting an earlier copy of its files in their place. */
export function sqliteStage(): Stage {
  const folder = mkdtempSync(join(tmpdir(), "kubets-informers-"));
  const [data, copy] = [join(folder, "data"), join(folder, "copy")];
  const replace = async (from: string, to: string): Promise<void> => {
    rmSync(to, { recursive: true, force: true });
    cpSync(from, to, { recursive: true });
  };
  return {
    start: (clock) => startCluster({ ...options, clock, storage: "disk", dataDir: data }),
    remember: () => replace(data, copy),
    goBack: () => replace(copy, data),
    dispose: async () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** An etcd of its own that goes on while servers come and go. */
export async function etcdStage(): Promise<Stage> {
  const etcd: EtcdServer = await startEtcd();
  const folder = mkdtempSync(join(tmpdir(), "kubets-informers-"));
  return {
    start: (clock) =>
      startCluster({ ...options, clock, storage: "etcd", dataDir: folder, etcd: { servers: [etcd.endpoint] } }),
    async dispose() {
      await etcd.dispose();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
