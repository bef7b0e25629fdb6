export {
  type Cluster,
  type ClusterOptions,
  type EtcdConnection,
  type RequestRecord,
  startCluster,
} from "./start-cluster.js";
