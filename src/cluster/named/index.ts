export { startCluster } from "../index.js";
export { type CheckedCluster, checkNamedCluster } from "./manage.js";
export {
  clusterNames,
  type ClusterStatus,
  clusterStatus,
  deleteNamedCluster,
  listNamedClusters,
  onlyCluster,
  stopNamedCluster,
} from "./manage.js";
export type { ClusterHealth, Problem } from "./cluster-health.js";
export { clusterClient } from "./cluster-transport.js";
export { readHealth } from "./read-health.js";
export { recordRbac } from "./record-rbac.js";
export { runCommand } from "./run-command.js";
export { type NamedClusterOptions, serveNamedCluster, startDetached } from "./serve.js";
export { followsFiles } from "./server-choice.js";
export { waitUntilReady } from "./wait-until-ready.js";
