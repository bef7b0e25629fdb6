import { afterAll, beforeAll } from "vitest";
import { systemClock } from "../../src/base/time/clock.js";
import { etcdMissing, type EtcdServer, openTestKv, startEtcd, tellEtcdMissing } from "../helpers/etcd.js";
import { modelTest } from "./runner.js";
import type { StoreUnderTest } from "./store-under-test.js";

let server: EtcdServer;

tellEtcdMissing("the model test of etcd");

beforeAll(async () => {
  if (etcdMissing === undefined) server = await startEtcd();
});
afterAll(() => server?.dispose());

modelTest("etcd", {
  operations: 5_000,
  killable: true,
  skip: etcdMissing,
  open: async () => etcdStore(server, `/model-${++stores}`),
});

let stores = 0;

/** A part of an etcd: every user has a connection of its own, as servers of one etcd do. */
function etcdStore(etcd: EtcdServer, prefix: string): StoreUnderTest {
  let running = true;
  const connect = (): ReturnType<typeof openTestKv> => openTestKv(etcd, { prefix });
  return {
    clock: systemClock,
    async start() {
      if (!running) await etcd.restart();
      running = true;
    },
    connect,
    async stop() {},
    async kill() {
      running = false;
      await etcd.kill();
    },
    async dispose() {
      await this.start(false);
      // What is left would expire during the next test.
      const kv = await connect();
      const { items } = await kv.list("");
      await Promise.all(items.map(({ key, revision }) => kv.delete(key, revision).catch(() => {})));
      await kv.close();
    },
  };
}
