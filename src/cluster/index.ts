export { type Cluster, type ClusterOptions, type RequestRecord, startCluster } from "./start-cluster.js";
