import type { AddressInfo } from "node:net";
import { createServer } from "node:tls";
import { systemClock } from "../../src/base/clock.js";
import { systemRandom } from "../../src/base/random.js";
import { systemTimers } from "../../src/base/timers.js";
import { type KubernetesClient, kubernetesClient } from "../../src/client/index.js";
import type { Cluster } from "../../src/cluster/index.js";
import { issueCertificate } from "../../src/cluster/pki/certificate.js";
import { object, objects, text } from "../../src/machinery/meta/access.js";
import type { KubeObject } from "../../src/machinery/meta/object.js";
import { KubeletApi } from "../../src/node/kubelet-api/kubelet-api.js";
import type { ScriptedImage } from "../../src/node/scripted/image.js";
import { ScriptedRuntime } from "../../src/node/scripted/scripted-runtime.js";

/** A node of a cluster, which runs every pod by a scripted runtime and answers exec, attach and log. */
export interface ScriptedNode extends AsyncDisposable {
  readonly client: KubernetesClient;
  /** Creates a pod and waits until it is ready. Containers without an image have the image "busybox". */
  /** Ends the programs of a pod as a crash of its node would. */
  killContainers(pod: string): Promise<void>;
  pod(
    name: string,
    spec?: Readonly<Record<string, unknown>>,
    annotations?: Readonly<Record<string, string>>,
  ): Promise<void>;
}

const NODE = "node-1";
const DAY = 86_400_000;

export async function scriptedNode(
  cluster: Cluster,
  images: Readonly<Record<string, ScriptedImage>> = {},
): Promise<ScriptedNode> {
  const client = kubernetesClient(cluster);
  const agent = new Agent(client, images);
  const port = await agent.listen();
  const node = await client.of("v1", "Node").create({ apiVersion: "v1", kind: "Node", metadata: { name: NODE } });
  await client.of("v1", "Node").patchStatus(
    node.metadata?.name ?? "",
    {
      status: {
        addresses: [{ type: "InternalIP", address: "127.0.0.1" }],
        daemonEndpoints: { kubeletEndpoint: { Port: port } },
      },
    },
    { type: "merge" },
  );
  const following = agent.follow();
  return {
    client,
    async pod(name, spec = {}, annotations = {}) {
      const pods = client.resource({ group: "", version: "v1", resource: "pods" });
      const { containers = [{ name: "app" }], ...rest } = spec;
      const withImages = objects(containers).map((one) => ({ image: "busybox", ...one }));
      const manifest = {
        apiVersion: "v1",
        kind: "Pod",
        metadata: { name, namespace: "default", annotations },
        spec: { containers: withImages, ...rest },
      } as KubeObject;
      await (await client.resourceFor(manifest)).create(manifest);
      for await (const { object: seen } of pods.watch({
        fieldSelector: `metadata.name=${name}`,
        sendInitialEvents: true,
      })) {
        if (text(object(seen.status).phase) !== "" && text(object(seen.status).phase) !== "Pending") return;
      }
    },
    killContainers: (pod) => agent.kill(pod),
    async [Symbol.asyncDispose]() {
      agent.stop();
      await following;
      await client.close();
    },
  };
}

const uidOf = ({ metadata }: KubeObject): string => metadata?.uid ?? "";

const LISTS = [
  ["containers", "containerStatuses"],
  ["ephemeralContainers", "ephemeralContainerStatuses"],
] as const;

class Agent {
  readonly #runtime: ScriptedRuntime;
  readonly #api: KubeletApi;
  readonly #pods = new Map<string, KubeObject>();
  /** The statuses of containers, by pod and list. */
  readonly #statuses = new Map<string, Map<string, Record<string, unknown>>>();
  readonly #stop = new AbortController();
  readonly #server: ReturnType<typeof createServer>;

  constructor(
    private readonly client: KubernetesClient,
    images: Readonly<Record<string, ScriptedImage>>,
  ) {
    this.#runtime = new ScriptedRuntime({ images, clock: systemClock, timers: systemTimers, random: systemRandom });
    const pods = this.#pods;
    this.#api = new KubeletApi({
      nodeName: NODE,
      pods: {
        list: () => [...pods.values()],
        find: (namespace, name) =>
          [...pods.values()].find(({ metadata }) => metadata?.namespace === namespace && metadata?.name === name),
      },
      runtime: this.#runtime,
      clock: systemClock,
      timers: systemTimers,
    });
    const { certificate, key } = issueCertificate({
      commonName: NODE,
      notBefore: Date.now() - DAY,
      notAfter: Date.now() + DAY,
      serial: Buffer.from([1]),
      usage: "server",
      names: ["127.0.0.1"],
    });
    this.#server = createServer({ cert: certificate, key }, (socket) => this.#api.serve(socket));
  }

  async listen(): Promise<number> {
    await new Promise<void>((done) => this.#server.listen(0, "127.0.0.1", done));
    return (this.#server.address() as AddressInfo).port;
  }

  async kill(name: string): Promise<void> {
    const [uid = ""] = [...this.#pods.values()].filter(({ metadata }) => metadata?.name === name).map(uidOf);
    for (const [, list] of LISTS) {
      for (const { containerID } of this.#statusesOf(uid, list).values()) {
        await this.#runtime.signal(text(containerID).replace("scripted://", ""), "SIGKILL");
      }
    }
  }

  stop(): void {
    this.#stop.abort();
    this.#server.close();
    void this.#api.close();
  }

  async follow(): Promise<void> {
    const pods = this.client.resource({ group: "", version: "v1", resource: "pods" });
    try {
      for await (const { type, object: pod } of pods.watch({ sendInitialEvents: true, signal: this.#stop.signal })) {
        if (type === "ADDED" || type === "MODIFIED") await this.#take(pod as KubeObject);
        else if (type === "DELETED") this.#pods.delete(pod.metadata?.uid ?? "");
      }
    } catch (error) {
      if (!this.#stop.signal.aborted) throw error;
    }
  }

  async #take(pod: KubeObject): Promise<void> {
    const { uid = "", name = "", namespace = "", deletionTimestamp } = pod.metadata ?? {};
    const path = `/api/v1/namespaces/${namespace}/pods/${name}`;
    const send = (method: string, suffix: string, body: object): Promise<unknown> =>
      this.client.rest
        .request({ method, path: path + suffix, body: Buffer.from(JSON.stringify(body)) })
        .catch(() => undefined);
    const nodeName = text(object(pod.spec).nodeName);
    if (deletionTimestamp !== undefined) return void (await send("DELETE", "", { gracePeriodSeconds: 0 }));
    if (nodeName === "") {
      const target = { apiVersion: "v1", kind: "Node", name: NODE };
      return void (await send("POST", "/binding", { apiVersion: "v1", kind: "Binding", metadata: { name }, target }));
    }
    if (nodeName !== NODE) return;
    this.#pods.set(uid, { ...pod, status: { ...object(pod.status), ...this.#status(uid) } } as KubeObject);
    for (const [field, list] of LISTS) {
      for (const container of objects(object(pod.spec)[field])) {
        const statuses = this.#statusesOf(uid, list);
        const containerName = text(container.name);
        if (statuses.has(containerName)) continue;
        statuses.set(containerName, { name: containerName });
        await this.#run(pod, container, statuses);
      }
    }
  }

  async #run(
    pod: KubeObject,
    container: Readonly<Record<string, unknown>>,
    statuses: Map<string, Record<string, unknown>>,
  ): Promise<void> {
    const { uid = "", name: podName = "", namespace = "" } = pod.metadata ?? {};
    const { image, stdin = false, stdinOnce = false, tty = false, command, args } = container;
    const name = text(container["name"]);
    const started = await this.#runtime.run({
      pod: { uid, name: podName, namespace, hostname: podName, ip: "10.0.0.1" },
      name,
      attempt: 0,
      image: text(image),
      ...(Array.isArray(command) && { command: command as string[] }),
      ...(Array.isArray(args) && { args: args as string[] }),
      env: Object.fromEntries(objects(container["env"]).map((one) => [text(one.name), text(one.value)])),
      files: async () => ({}),
      stdin: stdin === true,
      stdinOnce: stdinOnce === true,
      tty: tty === true,
      terminationMessagePath: "/dev/termination-log",
    });
    const common = { name, image, imageID: "", containerID: `scripted://${started.id}`, restartCount: 0 };
    const startedAt = new Date(started.startedAt).toISOString();
    statuses.set(name, { ...common, ready: true, state: { running: { startedAt } } });
    await this.#write(uid);
    void started.exited.then(({ exitCode, message }) => {
      const reason = exitCode === 0 ? "Completed" : "Error";
      const terminated = {
        exitCode,
        reason,
        containerID: common.containerID,
        ...(message !== undefined && { message }),
      };
      statuses.set(name, { ...common, ready: false, state: { terminated } });
      return this.#write(uid);
    });
  }

  #statusesOf(uid: string, list: string): Map<string, Record<string, unknown>> {
    const key = `${uid}/${list}`;
    const statuses = this.#statuses.get(key) ?? new Map<string, Record<string, unknown>>();
    this.#statuses.set(key, statuses);
    return statuses;
  }

  #status(uid: string): Record<string, unknown> {
    const [own, ephemeral] = LISTS.map(([, list]) => [...this.#statusesOf(uid, list).values()]);
    const states = (own ?? []).map((one) => object(object(one["state"])["terminated"]));
    const ended = states.length > 0 && states.every((one) => one["exitCode"] !== undefined);
    const failed = states.some((one) => one["exitCode"] !== 0);
    const phase = ended ? (failed ? "Failed" : "Succeeded") : "Running";
    const conditions = [{ type: "Ready", status: phase === "Running" ? "True" : "False" }];
    return { phase, conditions, containerStatuses: own, ephemeralContainerStatuses: ephemeral };
  }

  async #write(uid: string): Promise<void> {
    const pod = this.#pods.get(uid);
    if (pod === undefined || this.#stop.signal.aborted) return;
    const status = this.#status(uid);
    this.#pods.set(uid, { ...pod, status: { ...object(pod.status), ...status } } as KubeObject);
    const { namespace = "", name = "" } = pod.metadata ?? {};
    const path = `/api/v1/namespaces/${namespace}/pods/${name}/status`;
    const body = Buffer.from(JSON.stringify({ status }));
    const contentType = "application/merge-patch+json";
    await this.client.rest.request({ method: "PATCH", path, contentType, body }).catch(() => undefined);
  }
}
