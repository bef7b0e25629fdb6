import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { request } from "node:https";
import type { Duplex } from "node:stream";
import { WebSocket } from "ws";
import { systemClock } from "../../src/base/time/clock.js";
import { systemTimers, type Timers } from "../../src/base/time/timers.js";
import type { KubeObject } from "../../src/machinery/meta/object.js";
import type { ContainerSpec } from "../../src/node/container-runtime.js";
import { KubeletApi } from "../../src/node/kubelet-api/kubelet-api.js";
import type { ScriptedImage } from "../../src/node/scripted/image.js";
import { allowingReviews, throwing } from "./allowing-reviews.js";
import { kubeletCertificates } from "./kubelet-certificate.js";
import { type ScriptedContainer, startScripted } from "./scripted-container.js";

const { authority, kubelet, client } = kubeletCertificates();

/** A kubelet's API over TLS with one pod "web" in "default", whose container "c" is scripted. */
export interface ServedKubelet extends AsyncDisposable {
  readonly api: KubeletApi;
  readonly container: ScriptedContainer;
  readonly port: number;
  readonly url: string;
  /** TLS options of a client that the kubelet serves. */
  readonly tls: { readonly ca: string; readonly cert: string; readonly key: string };
  get(path: string, options?: { anonymous?: boolean; method?: string }): Promise<{ status: number; body: string }>;
  /** Sends an upgrade and resolves with the bare connection, or with the answer that refuses it. */
  upgrade(path: string, headers: Readonly<Record<string, string>>): Promise<Upgraded>;
  webSocket(path: string, protocols: readonly string[]): Promise<Messages>;
}

export interface Upgraded {
  readonly response: IncomingMessage;
  readonly socket: Duplex;
  readonly body: string;
}

/** A WebSocket's messages, by channel. */
export interface Messages {
  readonly socket: WebSocket;
  /** What came on a channel until now. */
  text(channel: number): string;
  readonly closed: Promise<number>;
}

export async function serveKubelet(
  image: ScriptedImage = {},
  spec: Partial<ContainerSpec> = {},
  { timers = systemTimers, kubeletVersion = "v1.36.3" }: { timers?: Timers; kubeletVersion?: string } = {},
): Promise<ServedKubelet> {
  const container = await startScripted(image, spec);
  const pod: KubeObject = {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "web", namespace: "default", uid: "pod-uid" },
    spec: { containers: [{ name: "c" }, { name: "waiting" }, { name: "ended" }, { name: "unknown" }] },
    status: {
      containerStatuses: [
        { name: "c", containerID: `scripted://${container.started.id}`, state: { running: {} } },
        { name: "waiting", state: { waiting: { reason: "ErrImagePull" } } },
        { name: "ended", state: { terminated: { exitCode: 0 } } },
      ],
    },
  };
  const api = new KubeletApi({
    nodeName: "node-1",
    kubeletVersion,
    pods: {
      list: () => [pod],
      find: (namespace, name) => (namespace === "default" && name === "web" ? pod : undefined),
    },
    runtime: container.runtime,
    clock: systemClock,
    timers,
    reviews: allowingReviews,
    report: throwing,
  });
  const port = await api.listen("127.0.0.1", 0, { ...kubelet, clientCa: authority.certificate });
  const tls = { ca: authority.certificate, cert: client.certificate, key: client.key };
  const send = (path: string, options: object) => request({ host: "127.0.0.1", port, path, agent: false, ...options });
  return {
    api,
    container,
    port,
    url: `https://127.0.0.1:${port}`,
    tls,
    async get(path, { anonymous = false, method = "GET" } = {}) {
      const outgoing = send(path, { method, ...(anonymous ? { ca: tls.ca } : tls) });
      outgoing.end();
      const [response] = (await once(outgoing, "response")) as [IncomingMessage];
      return { status: response.statusCode ?? 0, body: await bodyOf(response) };
    },
    async upgrade(path, headers) {
      const outgoing = send(path, { method: "POST", headers: { connection: "Upgrade", ...headers }, ...tls });
      outgoing.end();
      const [response, socket, head] = (await Promise.race([
        once(outgoing, "upgrade"),
        once(outgoing, "response"),
      ])) as [IncomingMessage, Duplex | undefined, Buffer];
      if (socket === undefined) return { response, socket: response.socket, body: await bodyOf(response) };
      if (head.length > 0) socket.unshift(head);
      return { response, socket, body: "" };
    },
    async webSocket(path, protocols) {
      const socket = new WebSocket(`wss://127.0.0.1:${port}${path}`, [...protocols], tls);
      const received = new Map<number, Buffer[]>();
      socket.on("message", (data: Buffer, binary: boolean) => {
        const channel = binary ? (data[0] ?? -1) : Number(data.toString("latin1", 0, 1));
        const content = binary ? data.subarray(1) : Buffer.from(data.toString("latin1", 1), "base64");
        received.set(channel, [...(received.get(channel) ?? []), content]);
      });
      const closed = new Promise<number>((resolve) => socket.once("close", resolve));
      await once(socket, "open");
      return { socket, text: (channel) => Buffer.concat(received.get(channel) ?? []).toString("utf8"), closed };
    },
    [Symbol.asyncDispose]: () => api.close(),
  };
}

async function bodyOf(response: IncomingMessage): Promise<string> {
  let body = "";
  for await (const chunk of response) body += String(chunk);
  return body;
}
