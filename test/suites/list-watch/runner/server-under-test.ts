import type { Transport } from "../../../../src/client/transport/transport.js";
import { builtinRecords } from "../../../../src/server/builtin/index.js";
import { createServer } from "../../../../src/server/generic/server.js";
import type { ResourceRecord } from "../../../../src/server/endpoints/resource-record.js";
import { createStorage } from "../../../../src/server/storage/create-storage.js";
import type { Kv } from "../../../../src/server/storage/kv.js";
import { ManualTime } from "../../../helpers/manual-time.js";
import { systemRandom } from "../../../../src/base/numbers/random.js";
import { seededRandom } from "../../../helpers/seeded-random.js";
import type { KvUnderTest } from "../../kv.js";
import type { Mode, OwnServer } from "./row.js";

/** An API server in this process over an empty store, as its administrator sees it. */
export interface ServerUnderTest {
  readonly api: Transport;
  readonly kv: Kv;
  readonly time: ManualTime;
  close(): Promise<void>;
}

export async function openServer(
  subject: KvUnderTest,
  mode: Partial<Mode> & Pick<Mode, "cache">,
  options: OwnServer = {},
): Promise<ServerUnderTest> {
  const { eventTtlSeconds, ...storageOptions } = options;
  const time = new ManualTime();
  const kv = await subject.open({ clock: time, timers: time });
  const storage = createStorage({
    kv,
    clock: time,
    timers: time,
    watchCache: mode.cache,
    compactionSeconds: 0,
    ...storageOptions,
  });
  const server = createServer({
    storage,
    records: withEventTtl(eventTtlSeconds),
    clock: time,
    random: seededRandom("list and watch"),
    requestRandom: systemRandom,
    tokens: [],
    serverAddress: () => "",
  });
  return {
    api: server.transport({ commonName: "admin", organizations: ["system:masters"] }),
    kv,
    time,
    async close() {
      await server.stop();
      await storage.close();
      await subject.dispose?.();
    },
  };
}

function withEventTtl(ttlSeconds: number | undefined): readonly ResourceRecord[] {
  if (ttlSeconds === undefined) return builtinRecords;
  return builtinRecords.map((record) =>
    record.resource === "events" ? { ...record, strategy: { ...record.strategy, ttlSeconds } } : record,
  );
}
