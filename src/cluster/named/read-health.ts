import type { KubernetesClient } from "../../client/dynamic/kubernetes-client.js";
import { type ClusterHealth, clusterHealth, type Observed } from "./cluster-health.js";
import { clusterClient } from "./cluster-transport.js";
import type { ClusterStatus, Surroundings } from "./manage.js";
import { standInsOf } from "./stand-ins.js";

/** Reads the health of a running cluster from its API. Throws the server's error or that of the connection. */
export async function readHealth(cluster: ClusterStatus, around: Surroundings): Promise<ClusterHealth> {
  const client = await clusterClient(cluster, around);
  try {
    return clusterHealth(await observe(client));
  } finally {
    await client.close();
  }
}

async function observe(client: KubernetesClient): Promise<Observed> {
  const [nodes, pods, deployments, jobs] = await Promise.all([
    client.of("v1", "Node").listWhole(),
    client.of("v1", "Pod").listWhole(),
    client.of("apps/v1", "Deployment").listWhole(),
    client.of("batch/v1", "Job").listWhole(),
  ]);
  const standIns = await standInsOf(client, { nodes: nodes.items, pods: pods.items });
  return { nodes: nodes.items, pods: pods.items, deployments: deployments.items, jobs: jobs.items, standIns };
}
