import { releaseOf } from "../../src/api/facts/index.js";
import { systemRandom } from "../../src/base/numbers/random.js";
import { systemClock } from "../../src/base/time/clock.js";
import type { Transport } from "../../src/client/transport/transport.js";
import { builtinRecords } from "../../src/server/builtin/index.js";
import type { AdmissionOptions } from "../../src/server/admission/enabled-plugins.js";
import type { ResourceRecord } from "../../src/server/endpoints/resource-record.js";
import { createMissing } from "../../src/server/generic/create-missing.js";
import { createServer, type ServerConfig } from "../../src/server/generic/server.js";
import type { Fence } from "../../src/server/generic/transport/in-process.js";
import type { ApiRequest } from "../../src/server/request/api-request.js";
import { createStorage } from "../../src/server/storage/create-storage.js";
import type { Kv } from "../../src/server/storage/kv.js";
import { openMemoryKv } from "../../src/server/storage/memory/memory-kv.js";
import { call } from "./api-caller.js";
import { seededRandom } from "./seeded-random.js";

export interface AdmittingServer extends AsyncDisposable {
  readonly api: Transport;
  /** The way of another user than the administrator. */
  as(name: string, ...groups: string[]): Transport;
  /** The way of the server's own components, for as long as the fence is open. */
  fenced(fence: Fence): Transport;
  /** What the server reported as its own faults. A test that expects some takes them out. */
  readonly faults: unknown[];
  /** The requests from the client, in order. */
  readonly requests: readonly ApiRequest[];
}

/**
 * A server without controllers, with a namespace "default" and its service account, whose user is "admin". Servers over one
 * `kv` are as processes over one etcd.
 */
export async function admittingServer(
  admission: AdmissionOptions,
  kv: Kv = openMemoryKv(),
  records: readonly ResourceRecord[] = builtinRecords,
  more: Partial<ServerConfig> = {},
): Promise<AdmittingServer> {
  const faults: unknown[] = [];
  const requests: ApiRequest[] = [];
  const storage = createStorage({ kv, clock: systemClock, compactionSeconds: 0 });
  const server = createServer({
    release: await releaseOf(),
    storage,
    records,
    clock: systemClock,
    random: seededRandom("admitting server"),
    requestRandom: systemRandom,
    tokens: [],
    serverAddress: () => "",
    admission,
    ...more,
    reportError: (error) => faults.push(error),
    outermost: [
      (next) => (request) => {
        requests.push(request);
        return next(request);
      },
    ],
  });
  const api = server.transport({ commonName: "admin", organizations: ["system:masters"] });
  await createMissing(server.registry.current, [
    { apiVersion: "v1", kind: "Namespace", metadata: { name: "default" } },
    { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "default", namespace: "default" } },
  ]);
  return {
    api,
    as: (commonName, ...organizations) => server.transport({ commonName, organizations }),
    fenced: (fence) => server.loopback(fence),
    faults,
    requests,
    async [Symbol.asyncDispose]() {
      await server.stop();
      await storage.close();
    },
  };
}

/** Sends a request that must succeed. */
export async function done(
  api: Transport,
  method: string,
  path: string,
  body?: unknown,
  type?: string,
): ReturnType<typeof call> {
  const answer = await call(api, method, path, body, type === undefined ? {} : { type });
  if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
  return answer;
}
