import { createHash } from "node:crypto";
import { createServer as createHttpServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { createServer as createTlsServer, type Server as TlsServer, type TlsOptions } from "node:tls";
import type { ObjectReference, Pod } from "../../api/types/core/v1.js";
import type { Clock } from "../../base/time/clock.js";
import { errorMessage } from "../../base/text/error-message.js";
import type { Timers } from "../../base/time/timers.js";
import { byteStreamOf } from "../../machinery/wire/streams/duplexes.js";
import { joinStreams } from "../../machinery/wire/streams/byte-stream.js";
import { PeerAuthorities } from "../../machinery/crypto/peer-authorities.js";
import { EVERY_CLIENT_FAILS } from "../../machinery/crypto/sent-certificates.js";
import { isKubeletAtLeast } from "../agent/pod-context.js";
import type { ContainerRuntime } from "../container-runtime.js";
import { checkAccess } from "./access-check.js";
import type { CallerReviews } from "./caller-reviews.js";
import { containerLog, loggedContainer, logQuery } from "./container-logs.js";
import { HttpError, httpErrorOf } from "./http-error.js";
import { hasContainer, type NodePods, runningContainer } from "./node-pods.js";
import { servePortForward } from "./port-forward.js";
import { serveRemoteCommand, streamsOf } from "./remote-command.js";
import { statsSummary } from "./stats-summary.js";
import { refuseUpgrade, type UpgradeRequest } from "./upgrade.js";
import { type FieldsOf, type ReceivedObject, object, objects, text } from "../../machinery/meta/received.js";
import type { JsonObject } from "../../machinery/meta/json.js";

/** As much as API servers take: the command of an exec is in the request line. */
const HEADERS = { maxHeaderSize: 2 ** 20 };

export interface KubeletApiParts {
  readonly nodeName: string;
  /** "v1.37.1" */
  readonly kubeletVersion: string;
  readonly pods: NodePods;
  readonly runtime: ContainerRuntime;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly reviews: CallerReviews;
  /** Receives why a caller could not be reviewed. */
  readonly report: (error: unknown) => void;
  /** Connects to an address of the node's pods, or to the node; undefined for every other host. Left out: CONNECT is refused. */
  readonly dial?: (host: string, port: number) => Promise<Duplex> | undefined;
}

/** The certificate of the listener, and the authority of clients, all PEM. */
export interface KubeletTls {
  readonly certificate: string;
  readonly key: string;
  /** "": no client is known by a certificate. */
  readonly clientCa: string;
}

/** Lets a request pass whose path has these decoded segments, or throws an HttpError. */
type Guard = (request: IncomingMessage, segments: readonly string[]) => Promise<void>;

/**
 * A kubelet's HTTP API: /exec, /attach, /portForward, /containerLogs, /pods, /stats/summary, /healthz, and /standIns of its own. Over TLS, by a socket or inside the
 * process, it asks who a caller is and what the caller may do; see {@link checkAccess}. CONNECT, which kubelets do not have, leads API servers
 * of other processes to the addresses of the node's pods, which are in no network.
 */
export class KubeletApi {
  readonly #local: Server;
  #localTls: TlsServer | undefined;
  #listener: TlsServer | undefined;
  readonly #sockets = new Set<Duplex>();

  constructor(private readonly parts: KubeletApiParts) {
    this.#local = this.#wire(createHttpServer(HEADERS), () => Promise.resolve());
  }

  /** Serves one connection from inside the process, on which the client speaks TLS. */
  serve(connection: Duplex, tls: KubeletTls): void {
    this.#localTls ??= this.#guarded(tls);
    this.#localTls.emit("connection", connection);
  }

  /**
   * Serves one connection from inside the process, on which the client speaks plain HTTP/1.1 and may do everything: to be reached by
   * nothing but the holder of this object.
   */
  serveHolder(connection: Duplex): void {
    this.#local.emit("connection", connection);
  }

  /** Opens a TLS socket; resolves with its port. 0 takes a free one. */
  async listen(host: string, port: number, tls: KubeletTls): Promise<number> {
    const listener = this.#guarded(tls);
    this.#listener = listener;
    await new Promise<void>((resolve, reject) => {
      listener.once("error", reject);
      listener.listen(port, host, resolve);
    });
    return (listener.address() as AddressInfo).port;
  }

  /** Ends every connection. */
  async close(): Promise<void> {
    const listener = this.#listener;
    const closed = new Promise<void>((resolve) =>
      listener === undefined ? resolve() : listener.close(() => resolve()),
    );
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  /**
   * A TLS server that hands each connection to an HTTP server, decrypted. node:https would be both in one; under bun it hands out no
   * certificates of clients, and reads a connection from inside the process as if it were not encrypted.
   */
  #guarded({ certificate, key, clientCa }: KubeletTls): TlsServer {
    const { nodeName, clock, reviews, report } = this.parts;
    const authorities = new PeerAuthorities(() => clock.now(), { clientCa });
    const options: TlsOptions = {
      cert: certificate,
      key,
      // Without authorities of its own Node would trust the system's.
      ...(clientCa !== "" && { ca: clientCa, crl: EVERY_CLIENT_FAILS, requestCert: true, rejectUnauthorized: false }),
      ALPNProtocols: ["http/1.1"],
      noDelay: true,
    };
    const parts = { nodeName, authorities, reviews, report };
    const http = this.#wire(createHttpServer(HEADERS), (request, segments) => checkAccess(request, segments, parts));
    const server = createTlsServer(options, (socket) => http.emit("connection", socket));
    server.on("connection", (socket) => this.#track(socket));
    // A client that fails its handshake is no error of the node.
    server.on("tlsClientError", (_error, socket) => socket.destroy());
    // A server limits the time of a head and a request from this event on, and no more once it is closed.
    server.on("listening", () => http.emit("listening"));
    server.on("close", () => http.close());
    return server;
  }

  #track(socket: Duplex): void {
    this.#sockets.add(socket);
    socket.on("error", () => socket.destroy());
    socket.once("close", () => this.#sockets.delete(socket));
  }

  #wire(server: Server, guard: Guard): Server {
    server.on("connection", (socket: Duplex) => this.#track(socket));
    server.on("request", (request, response) => void this.#answer(request, response, guard));
    server.on("upgrade", (request: IncomingMessage, socket: Duplex, head: Buffer) => {
      if (head.length > 0) socket.unshift(head);
      void this.#upgrade(request, socket, guard);
    });
    server.on("connect", (request: IncomingMessage, socket: Duplex, head: Buffer) => {
      if (head.length > 0) socket.unshift(head);
      void this.#connect(request, socket, guard);
    });
    return server;
  }

  async #connect(request: IncomingMessage, socket: Duplex, guard: Guard): Promise<void> {
    let pod: Duplex;
    try {
      await guard(request, []);
      pod = await this.#dial(request.url ?? "");
    } catch (error) {
      return refuseUpgrade(socket, error instanceof HttpError ? error : new HttpError(502, errorMessage(error)));
    }
    socket.write("HTTP/1.1 200 Connection established\r\n\r\n");
    await joinStreams(byteStreamOf(socket), byteStreamOf(pod));
  }

  /** Throws an HttpError for what is no host of the node; rejects as `dial` does. */
  async #dial(authority: string): Promise<Duplex> {
    const [, host = "", port = ""] = /^\[?([^[\]]+?)\]?:(\d{1,5})$/.exec(authority) ?? [];
    const connecting = host === "" ? undefined : this.parts.dial?.(host, Number(port));
    if (connecting !== undefined) return connecting;
    throw new HttpError(404, `${authority} is no host of node ${JSON.stringify(this.parts.nodeName)}`);
  }

  async #answer(request: IncomingMessage, response: ServerResponse, guard: Guard): Promise<void> {
    const gone = new AbortController();
    response.once("close", () => gone.abort());
    try {
      await this.#get(request, response, guard, gone.signal);
    } catch (error) {
      if (response.headersSent) return void response.destroy();
      const { status, message, headers } = httpErrorOf(error);
      response
        .writeHead(status, { "content-type": "text/plain; charset=utf-8", ...headers } as Record<string, string>)
        .end(message);
    }
  }

  async #get(request: IncomingMessage, response: ServerResponse, guard: Guard, signal: AbortSignal): Promise<void> {
    const { nodeName, pods, runtime, clock } = this.parts;
    const url = urlOf(request);
    const segments = segmentsOf(url);
    await guard(request, segments);
    const [first = "", ...rest] = segments;
    const get = (): void => {
      if (request.method !== "GET" && request.method !== "HEAD")
        throw new HttpError(405, "Method Not Allowed", { allow: "GET" });
    };
    switch (rest.length === 0 || first !== "stats" ? first : `stats/${rest[0] ?? ""}`) {
      case "healthz":
        // K37-186: before 1.37 it takes any method.
        if (isKubeletAtLeast(this.parts.kubeletVersion, "1.37")) get();
        return void response.writeHead(200, { "content-type": "text/plain; charset=utf-8" }).end("ok");
      case "pods":
        get();
        return json(response, { kind: "PodList", apiVersion: "v1", metadata: {}, items: pods.list() });
      case "stats/summary":
        get();
        return json(response, await statsSummary(nodeName, pods, runtime, clock));
      case "standIns":
        get();
        return json(response, standIns(pods, runtime));
      case "containerLogs":
        get();
        return this.#logs(url, rest, response, signal);
      case "exec":
      case "attach":
      case "portForward":
        // What is wrong with the request is said before that it asks for no upgrade.
        this.#session(first, url, rest);
        throw new HttpError(500, "Upgrade request required\n");
      default:
        throw new HttpError(404, "404 page not found\n");
    }
  }

  async #logs(
    url: URL,
    [namespace = "", name = "", container = "", ...more]: readonly string[],
    response: ServerResponse,
    signal: AbortSignal,
  ): Promise<void> {
    if (container === "" || more.length > 0) throw new HttpError(404, "404: Page Not Found");
    const query = logQuery(url, this.parts.clock);
    const pod = this.parts.pods.find(namespace, name);
    if (pod === undefined) throw new HttpError(404, `pod ${JSON.stringify(name)} does not exist`);
    if (!hasContainer(pod, container)) {
      throw new HttpError(404, `container ${JSON.stringify(container)} not found in pod ${JSON.stringify(name)}`);
    }
    const id = loggedContainer(pod, container, query.previous);
    response.writeHead(200, { "content-type": "text/plain; charset=utf-8" });
    response.flushHeaders();
    for await (const chunk of containerLog(this.parts.runtime, id, query, signal)) {
      if (signal.aborted) return;
      if (!response.write(chunk)) await drain(response, signal);
    }
    response.end();
  }

  async #upgrade(request: IncomingMessage, socket: Duplex, guard: Guard): Promise<void> {
    try {
      const url = urlOf(request);
      const segments = segmentsOf(url);
      await guard(request, segments);
      const [first = "", ...rest] = segments;
      await this.#session(first, url, rest)({ request, url, socket });
    } catch (error) {
      // After the upgrade there is no answer to give.
      if (error instanceof HttpError) refuseUpgrade(socket, error);
      else socket.destroy();
    }
  }

  /** What serves an upgraded connection. Throws what is wrong with the request. */
  #session(kind: string, url: URL, segments: readonly string[]): (upgrade: UpgradeRequest) => Promise<void> {
    const { runtime, timers } = this.parts;
    if (kind === "portForward") {
      const [namespace = "", name = "", uid = "", ...more] = segments;
      if (name === "" || more.length > 0) throw new HttpError(404, "404: Page Not Found");
      const pod = this.#pod(namespace, name);
      const podUid = pod.metadata?.uid ?? "";
      if (uid !== "" && uid !== podUid) throw new HttpError(404, `pod not found ("${name}_${namespace}")`);
      const target = { name: sandboxId(podUid), dial: (port: number) => runtime.dial(podUid, port) };
      return (upgrade) => servePortForward(upgrade, target, timers);
    }
    const [namespace = "", name = "", ...last] = segments;
    if ((kind !== "exec" && kind !== "attach") || last.length < 1 || last.length > 2)
      throw new HttpError(404, "404: Page Not Found");
    const container = last.at(-1) ?? "";
    const streams = streamsOf(url);
    const id = runningContainer(this.#pod(namespace, name), last.length === 2 ? (last[0] ?? "") : "", container);
    if (id === undefined) throw new HttpError(500, `container not found (${JSON.stringify(container)})`);
    if (kind === "attach") {
      const attach = async (client: Parameters<ContainerRuntime["attach"]>[1]): Promise<number> => {
        await runtime.attach(id, client);
        return 0;
      };
      return (upgrade) => serveRemoteCommand(upgrade, streams, timers, attach, "error attaching to container");
    }
    const command = url.searchParams.getAll("command");
    return (upgrade) =>
      serveRemoteCommand(
        upgrade,
        streams,
        timers,
        (client) => runtime.exec(id, command, client),
        "error executing command in container",
      );
  }

  #pod(namespace: string, name: string): ReceivedObject<Pod> {
    const pod = this.parts.pods.find(namespace, name);
    if (pod === undefined) throw new HttpError(404, "pod does not exist");
    return pod;
  }
}

const urlOf = ({ url }: IncomingMessage): URL => {
  try {
    return new URL(`http://node${url ?? "/"}`);
  } catch {
    throw new HttpError(400, "400 Bad Request");
  }
};

function segmentsOf({ pathname }: URL): readonly string[] {
  try {
    return pathname.split("/").slice(1).map(decodeURIComponent);
  } catch {
    throw new HttpError(400, "400 Bad Request");
  }
}

/** A pod's sandbox, as a runtime names it in its errors. */
const sandboxId = (uid: string): string => createHash("sha256").update(uid).digest("hex");

function json(response: ServerResponse, value: unknown): void {
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(value));
}

function drain(response: ServerResponse, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      signal.removeEventListener("abort", done);
      response.off("drain", done);
      resolve();
    };
    signal.addEventListener("abort", done, { once: true });
    response.once("drain", done);
  });
}

/** /standIns, which kubelets do not have: the running containers of the node that stand in for their images. */
function standIns(pods: NodePods, runtime: ContainerRuntime): JsonObject {
  const containers = pods.list().flatMap((pod) => {
    const { name = "", namespace = "", uid = "" } = pod.metadata ?? {};
    const { containers: main, initContainers } = object(pod.spec);
    return [...objects(main), ...objects(initContainers)].flatMap((container) => {
      const id = runningContainer(pod, "", text(container.name));
      const standIn = id === undefined ? undefined : runtime.standIn?.(id);
      return standIn === undefined
        ? []
        : [
            {
              podRef: { name, namespace, uid } satisfies FieldsOf<ObjectReference>,
              name: text(container.name),
              standIn,
            },
          ];
    });
  });
  return { containers };
}
