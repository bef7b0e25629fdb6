import type { Pod } from "../../api/types/core/v1.js";
import { objectKey } from "../../client/informers/indexer.js";
import { isConflict, isNotFound } from "../../machinery/errors/status-error.js";
import { object, objects, type ReceivedObject, text } from "../../machinery/meta/received.js";
import type { NodePods } from "../kubelet-api/node-pods.js";
import type { PodAddresses } from "./pod-addresses.js";
import type { PodWorkerParts } from "./pod-context.js";
import { PodWorker } from "./pod-worker.js";

/** The pods of a node, each with its worker. */
export class NodeWorkers implements NodePods {
  readonly #workers = new Map<string, { readonly worker: PodWorker; readonly ip: string }>();
  readonly #byName = new Map<string, PodWorker>();
  readonly #byAddress = new Map<string, PodWorker>();
  /** Pods that had ended before the node was started. */
  readonly #ended = new Map<string, ReceivedObject<Pod>>();

  constructor(
    private readonly addresses: PodAddresses,
    private readonly parts: PodWorkerParts,
  ) {}

  list(): readonly ReceivedObject<Pod>[] {
    return [...this.#ended.values(), ...[...this.#workers.values()].map(({ worker }) => worker.pod)];
  }

  find(namespace: string, name: string): ReceivedObject<Pod> | undefined {
    const key = `${namespace}/${name}`;
    const running = this.#byName.get(key);
    return running === undefined ? [...this.#ended.values()].find((pod) => objectKey(pod) === key) : running.pod;
  }

  /** The uid of the pod that has the address. */
  uidAt(ip: string): string | undefined {
    return this.#byAddress.get(ip)?.pod.metadata?.uid;
  }

  /** The pod and its port that have a port of the node: by hostPort, or because the pod uses the node's network. */
  atHostPort(port: number): { readonly uid: string; readonly port: number } | undefined {
    for (const { worker } of this.#workers.values()) {
      const { metadata, spec } = worker.pod;
      const { containers, initContainers } = object(spec);
      const ports = [...objects(containers), ...objects(initContainers)].flatMap((one) => objects(one.ports));
      const found = ports.find((one) => one.hostPort === port);
      if (found !== undefined) return { uid: metadata?.uid ?? "", port: Number(found.containerPort) };
    }
    return undefined;
  }

  /** A pod of the node is there, or has changed. */
  async show(pod: ReceivedObject<Pod>): Promise<void> {
    const key = keyOf(pod);
    const known = this.#workers.get(key);
    if (known !== undefined) {
      known.worker.update(pod);
      return;
    }
    if (["Succeeded", "Failed"].includes(text(object(pod.status).phase))) {
      this.#ended.set(key, pod);
      if (pod.metadata?.deletionTimestamp !== undefined) await this.#delete(pod);
      return;
    }
    const isOnHost = object(pod.spec).hostNetwork === true;
    const ip = isOnHost ? this.parts.hostIp : this.addresses.take(text(object(pod.status).podIP) || undefined);
    if (ip === undefined) {
      this.parts.report(new Error(`no address is left for pod ${objectKey(pod)}`));
      return;
    }
    const worker = new PodWorker(pod, ip, this.parts);
    this.#workers.set(key, { worker, ip });
    this.#byName.set(objectKey(pod), worker);
    if (!isOnHost) this.#byAddress.set(ip, worker);
    await this.parts.starts.run(() => worker.start());
  }

  /** A pod is gone from the API. */
  async remove(pod: ReceivedObject<Pod>): Promise<void> {
    const key = keyOf(pod);
    this.#ended.delete(key);
    const known = this.#workers.get(key);
    this.#workers.delete(key);
    if (known === undefined) return;
    if (this.#byName.get(objectKey(pod)) === known.worker) this.#byName.delete(objectKey(pod));
    await known.worker.vanish();
    this.parts.marks?.end(pod.metadata?.uid ?? "");
    if (known.ip === this.parts.hostIp) return;
    this.#byAddress.delete(known.ip);
    this.addresses.giveBack(known.ip);
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#workers.values()].map(({ worker }) => worker.vanish()));
  }

  async #delete({ metadata: { namespace = "", name = "", uid = "" } = {} }: ReceivedObject<Pod>): Promise<void> {
    try {
      await this.parts.client
        .of("v1", "Pod")
        .namespace(namespace)
        .delete(name, { gracePeriodSeconds: 0, preconditions: { uid } });
    } catch (error) {
      if (!isNotFound(error) && !isConflict(error)) throw error;
    }
  }
}

/** A pod of the same name that was created since is another one. */
const keyOf = (pod: ReceivedObject<Pod>): string => `${objectKey(pod)}/${pod.metadata?.uid ?? ""}`;
