import { afterAll, beforeAll, describe } from "vitest";
import { type EtcdServer, etcdMissing, etcdUnderTest, startEtcd, tellEtcdMissing } from "../../../helpers/etcd.js";
import { kvSuite } from "../../../suites/kv.js";

tellEtcdMissing("the suite of etcd storage");

describe.skipIf(etcdMissing !== undefined)("the storage tests on etcd", () => {
  let server: EtcdServer;
  beforeAll(async () => {
    server = await startEtcd();
  });
  afterAll(() => server.dispose());

  kvSuite("etcd", () => etcdUnderTest(() => server));
});
