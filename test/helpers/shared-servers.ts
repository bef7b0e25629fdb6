import type { Clock } from "../../src/base/time/clock.js";
import type { Transport } from "../../src/client/transport/transport.js";
import { nodePortRegistry } from "../../src/server/builtin/core/services/node-ports.js";
import { builtinRecords } from "../../src/server/builtin/index.js";
import { createServer } from "../../src/server/generic/server.js";
import { createStorage } from "../../src/server/storage/create-storage.js";
import type { Kv } from "../../src/server/storage/kv.js";
import { call } from "./api-caller.js";
import { systemRandom } from "../../src/base/numbers/random.js";
import { seededRandom } from "./seeded-random.js";

export interface SharedServer {
  readonly api: Transport;
  readonly nodePorts: ReturnType<typeof nodePortRegistry>;
}

/**
 * Servers without controllers, each with a watch cache of its own over one key-value store, as processes on one etcd are.
 * There is a namespace "default", addresses of `cidr`, and every node port is free.
 */
export async function sharedServers(
  kv: Kv,
  clock: Clock,
  options: { readonly count?: number; readonly cidr?: string } = {},
): Promise<{ servers: readonly SharedServer[]; close(): Promise<void> }> {
  const { count = 2, cidr = "10.96.0.0/12" } = options;
  const storages = Array.from({ length: count }, () => createStorage({ kv, clock, compactionSeconds: 0 }));
  const servers = storages.map((storage, index) =>
    createServer({
      storage,
      records: builtinRecords,
      clock,
      random: seededRandom(`server ${index}`),
      requestRandom: systemRandom,
      tokens: [],
      serverAddress: () => "",
    }),
  );
  const shared = servers.map((server) => ({
    api: server.transport({ commonName: "admin", organizations: ["system:masters"] }),
    nodePorts: nodePortRegistry(server.registry),
  }));
  const [first] = shared;
  if (first === undefined) throw new Error("no server");
  await call(first.api, "POST", "/api/v1/namespaces", { metadata: { name: "default" } });
  await call(first.api, "POST", "/apis/networking.k8s.io/v1/servicecidrs", {
    metadata: { name: "kubernetes" },
    spec: { cidrs: [cidr] },
  });
  await first.nodePorts.write([], undefined);
  return {
    servers: shared,
    async close() {
      for (const server of servers) await server.stop();
      for (const storage of storages) await storage.close();
    },
  };
}
