export type { EtcdConnection } from "./open-storage.js";
export type { RequestRecord } from "./record-requests.js";
export { type Cluster, type ClusterOptions, startCluster } from "./start-cluster.js";
export type { Hook, HookContext, Hooks } from "./compose-server.js";
