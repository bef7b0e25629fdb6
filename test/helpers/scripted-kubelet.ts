import { systemClock } from "../../src/base/time/clock.js";
import { systemTimers } from "../../src/base/time/timers.js";
import type { KubeObject } from "../../src/machinery/meta/object.js";
import { object, objects, text } from "../../src/machinery/meta/access.js";
import type { StartedContainer } from "../../src/node/container-runtime.js";
import { KubeletApi } from "../../src/node/kubelet-api/kubelet-api.js";
import type { NodePods } from "../../src/node/kubelet-api/node-pods.js";
import type { ScriptedImage } from "../../src/node/scripted/image.js";
import { ScriptedRuntime } from "../../src/node/scripted/scripted-runtime.js";
import { allowingReviews, throwing } from "./allowing-reviews.js";
import { kubeletCertificate } from "./kubelet-certificate.js";
import { seededRandom } from "./seeded-random.js";

/** A node's agent without the node: the kubelet's API over scripted containers, which run from the start. */
export interface ScriptedKubelet extends AsyncDisposable {
  readonly port: number;
  /** Ends the pod's containers as kill -9 does. */
  kill(pod: string): Promise<void>;
}

/**
 * Listens on 127.0.0.1, by TLS. `pods` run from now on; of each the name and the containers count. `clientCa` has signed the certificate
 * of the API server that may ask it; without one anyone may.
 */
export async function startScriptedKubelet(
  pods: readonly KubeObject[],
  clientCa: string,
  images: Readonly<Record<string, ScriptedImage>> = {},
): Promise<ScriptedKubelet> {
  const runtime = new ScriptedRuntime({
    images,
    clock: systemClock,
    timers: systemTimers,
    random: seededRandom("scripted kubelet"),
  });
  const running = new Map<string, KubeObject>();
  const started = new Map<string, StartedContainer[]>();
  for (const pod of pods) {
    const { name = "", namespace = "default" } = pod.metadata ?? {};
    const uid = `uid-of-${name}`;
    const containerStatuses = [];
    for (const container of objects(object(pod.spec).containers)) {
      const made = await runtime.run({
        pod: { uid, name, namespace, hostname: name, ip: "10.0.0.7" },
        name: text(container.name),
        attempt: 0,
        image: text(container.image),
        env: {},
        mounts: [],
        stdin: container.stdin === true,
        stdinOnce: container.stdinOnce === true,
        tty: container.tty === true,
        terminationMessagePath: "/dev/termination-log",
        ...(Array.isArray(container.command) && { command: container.command.map(text) }),
        ...(Array.isArray(container.args) && { args: container.args.map(text) }),
      });
      started.set(name, [...(started.get(name) ?? []), made]);
      const containerID = `scripted://${made.id}`;
      containerStatuses.push({ name: text(container.name), containerID, state: { running: {} } });
    }
    const status = { phase: "Running", containerStatuses };
    running.set(`${namespace}/${name}`, { ...pod, metadata: { ...pod.metadata, uid, namespace }, status });
  }
  const known: NodePods = {
    list: () => [...running.values()],
    find: (namespace, name) => running.get(`${namespace}/${name}`),
  };
  const surroundings = { clock: systemClock, timers: systemTimers, reviews: allowingReviews, report: throwing };
  const api = new KubeletApi({ nodeName: "node", kubeletVersion: "v1.36.3", pods: known, runtime, ...surroundings });
  const port = await api.listen("127.0.0.1", 0, { ...kubeletCertificate(), clientCa });
  return {
    port,
    async kill(pod) {
      for (const { id } of started.get(pod) ?? []) await runtime.signal(id, "SIGKILL");
    },
    [Symbol.asyncDispose]: () => api.close(),
  };
}
