import { afterAll, beforeAll, describe } from "vitest";
import { etcdMissing, type EtcdServer, etcdUnderTest, startEtcd, tellEtcdMissing } from "../../helpers/etcd.js";
import { listWatchSuite } from "../../suites/list-watch/runner/suite.js";

tellEtcdMissing("the suite of lists and watches over etcd");

describe.skipIf(etcdMissing !== undefined)("lists and watches on etcd", () => {
  let server: EtcdServer;
  beforeAll(async () => {
    server = await startEtcd();
  });
  afterAll(() => server.dispose());

  listWatchSuite("etcd", () => etcdUnderTest(() => server));
});
