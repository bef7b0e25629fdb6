import { etcdMissing, startEtcd, tellEtcdMissing } from "../../helpers/etcd.js";
import { threeServersTest } from "./three-servers.js";

tellEtcdMissing("several servers on one etcd");

threeServersTest({
  name: "etcd",
  missing: etcdMissing,
  async start() {
    const etcd = await startEtcd();
    return {
      settings: { storage: "etcd", etcd: { servers: [etcd.endpoint] } },
      dispose: () => etcd.dispose(),
    };
  },
});
