import { type KubernetesClient, kubernetesClient } from "../../src/client/index.js";
import type { Cluster } from "../../src/cluster/index.js";
import { object, objects, text } from "../../src/machinery/meta/access.js";
import type { KubeObject } from "../../src/machinery/meta/object.js";
import { withoutScheme } from "../../src/node/kubelet-api/node-pods.js";
import type { ScriptedImage } from "../../src/node/scripted/image.js";
import { kubeletCertificate } from "./kubelet-certificate.js";
import { scriptedRuntime, startOutsideNode } from "./outside-node.js";

/** The node of a running cluster: it runs the pods that the scheduler binds to it by a scripted runtime. */
export interface ScriptedNode extends AsyncDisposable {
  readonly client: KubernetesClient;
  /** Creates a pod in "default" and waits until it is no longer pending. Containers without an image have the image "busybox". */
  pod(
    name: string,
    spec?: Readonly<Record<string, unknown>>,
    annotations?: Readonly<Record<string, string>>,
  ): Promise<void>;
  /** Ends the programs of a pod as kill -9 does. */
  killContainers(pod: string): Promise<void>;
}

const PODS = { group: "", version: "v1", resource: "pods" };

/** Starts it. Its end throws what the node reported as its own faults. */
export async function scriptedNode(
  cluster: Cluster,
  images: Readonly<Record<string, ScriptedImage>> = {},
): Promise<ScriptedNode> {
  const client = kubernetesClient(cluster);
  const pods = client.resource(PODS).namespace("default");
  const runtime = scriptedRuntime(images);
  const faults: unknown[] = [];
  const tls = { ...kubeletCertificate(), clientCa: cluster.caCertificate };
  const node = await startOutsideNode(cluster.transport(), tls, runtime, (error) => faults.push(error));
  return {
    client,
    async pod(name, spec = {}, annotations = {}) {
      const { containers = [{ name: "app" }], ...rest } = spec;
      const withImages = objects(containers).map((one) => ({ image: "busybox", ...one }));
      const metadata = { name, annotations };
      await pods.create({
        apiVersion: "v1",
        kind: "Pod",
        metadata,
        spec: { containers: withImages, ...rest },
      } as KubeObject);
      const selector = { fieldSelector: `metadata.name=${name}`, sendInitialEvents: true };
      for await (const { type, object: seen } of pods.watch(selector)) {
        if (type === "BOOKMARK") continue;
        if (!["", "Pending"].includes(text(object(seen.status).phase))) return;
      }
    },
    async killContainers(name) {
      const { status } = await pods.get(name);
      for (const list of ["containerStatuses", "ephemeralContainerStatuses"]) {
        for (const { containerID } of objects(object(status)[list])) {
          await runtime.signal(withoutScheme(text(containerID)), "SIGKILL");
        }
      }
    },
    async [Symbol.asyncDispose]() {
      await node.stop();
      await client.close();
      if (faults.length > 0) throw new AggregateError(faults, "the node reported faults");
    },
  };
}
