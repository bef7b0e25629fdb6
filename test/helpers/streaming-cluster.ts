import { type Cluster, startCluster } from "../../src/cluster/index.js";
import type { KubeObject } from "../../src/machinery/meta/object.js";
import { object, objects, text } from "../../src/machinery/meta/access.js";
import type { ScriptedImage } from "../../src/node/scripted/image.js";
import { done } from "./admitting-server.js";
import { type ScriptedKubelet, startScriptedKubelet } from "./scripted-kubelet.js";

/** A cluster whose pods can be entered. */
export interface StreamingCluster extends AsyncDisposable {
  readonly cluster: Cluster;
  readonly kubelet: ScriptedKubelet;
}

export const pod = (name: string, containers: readonly object[], more: object = {}): KubeObject =>
  ({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, labels: { app: name } },
    spec: { nodeName: "node", containers, ...more },
  }) as unknown as KubeObject;

/** Starts a cluster with one node on which these pods run, all in "default". */
export async function streamingCluster(
  pods: readonly KubeObject[],
  images: Readonly<Record<string, ScriptedImage>> = {},
): Promise<StreamingCluster> {
  const cluster = await startCluster();
  const kubelet = await startScriptedKubelet(pods, cluster.caCertificate, images);
  const api = cluster.transport();
  const addresses = [{ type: "InternalIP", address: "127.0.0.1" }];
  const daemonEndpoints = { kubeletEndpoint: { Port: kubelet.port } };
  await done(api, "POST", "/api/v1/nodes", { metadata: { name: "node" }, status: { addresses, daemonEndpoints } });
  const collection = "/api/v1/namespaces/default/pods";
  for (const one of pods) {
    await done(api, "POST", collection, one);
    const containerStatuses = objects(object(one.spec).containers).map((container) => ({
      name: text(container.name),
      image: text(container.image),
      imageID: "",
      ready: true,
      restartCount: 0,
      state: { running: { startedAt: "2026-01-01T00:00:00Z" } },
    }));
    const status = {
      phase: "Running",
      podIP: "10.0.0.7",
      podIPs: [{ ip: "10.0.0.7" }],
      conditions: [{ type: "Ready", status: "True" }],
      containerStatuses,
    };
    const path = `${collection}/${one.metadata?.name ?? ""}/status`;
    await done(api, "PATCH", path, { status }, "application/merge-patch+json");
  }
  return {
    cluster,
    kubelet,
    async [Symbol.asyncDispose]() {
      await cluster.close();
      await kubelet[Symbol.asyncDispose]();
    },
  };
}
