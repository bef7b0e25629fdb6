import { type Server, type Socket, createServer } from "node:net";
import { append } from "../../base/collections/append.js";
import type { MultiplexedConnection } from "../../machinery/wire/streams/byte-stream.js";
import { awaitedPause } from "../surroundings.js";
import { type ConnectionFault, forwardConnection } from "./forward-connection.js";
import { type ForwardedPort, type ListenAddress, hostPort } from "./port-spec.js";
import { errnoText, errorCode } from "../../base/files/path-error.js";

/** An event of a port forwarder. */
export type ForwardEvent =
  /** `index` is that of the port in those that were asked for. */
  | { readonly type: "listening"; readonly address: string; readonly port: ForwardedPort; readonly index: number }
  | { readonly type: "not listening"; readonly port: ForwardedPort; readonly fault: string }
  | { readonly type: "connection"; readonly port: ForwardedPort }
  | { readonly type: "fault"; readonly fault: ConnectionFault }
  | { readonly type: "lost"; readonly fault: Error | undefined }
  | { readonly type: "not reconnected"; readonly error: Error }
  | { readonly type: "reconnected" };

/** A connection to a pod. */
export interface PodConnection {
  readonly connection: MultiplexedConnection;
  /** The remote ports, in the order of the forwarder's ports: another pod may have other numbers for their names. */
  readonly remotePorts: readonly number[];
}

export interface PortForwarderOptions {
  readonly ports: readonly ForwardedPort[];
  readonly addresses: readonly ListenAddress[];
  /** Connects with the pod; with `reconnect` also after the connection was lost. */
  readonly connect: (signal: AbortSignal) => Promise<PodConnection>;
  /** A lost connection is made again, and a fault of one forwarded connection ends no other. */
  readonly reconnect: boolean;
  readonly onEvent: (event: ForwardEvent) => void;
  /** Called once, when it listens on all the ports that it can. */
  readonly onListening?: (() => void) | undefined;
}

/** The connection to the pod that forwarded connections use. */
interface CurrentPod extends PodConnection {
  over: boolean;
}

const FIRST_WAIT = 250;
const LONGEST_WAIT = 5000;

/** The connection to the pod was lost. */
export class LostConnectionError extends Error {
  override readonly name = "LostConnectionError";
  constructor() {
    super("lost connection to pod");
  }
}

/** Forwards connections to local ports to those of a pod. */
export class PortForwarder {
  readonly #options: PortForwarderOptions;
  readonly #servers: Server[] = [];
  readonly #sockets = new Set<Socket>();
  /** Pending while there is none. */
  #current: Promise<CurrentPod>;
  #setCurrent: (pod: CurrentPod) => void = () => undefined;
  #requests = 0;

  constructor(options: PortForwarderOptions) {
    this.#options = options;
    this.#current = this.#pending();
  }

  /**
   * Connects, listens and forwards until `signal` aborts, when it resolves. Rejects when it cannot connect at first or listen on any
   * port, and, without `reconnect`, with a LostConnectionError. Every local connection and port is closed then.
   */
  async run(signal: AbortSignal): Promise<void> {
    let pod: PodConnection | undefined;
    try {
      pod = await this.#options.connect(signal);
      this.#use(pod);
      await this.#listen();
      this.#options.onListening?.();
      for (;;) {
        if (await endsBefore(pod.connection.closed, signal)) return;
        if (!this.#options.reconnect) throw new LostConnectionError();
        this.#current = this.#pending();
        this.#options.onEvent({ type: "lost", fault: pod.connection.fault });
        pod = await this.#connectAgain(signal);
        if (pod === undefined) return;
        this.#use(pod);
        this.#options.onEvent({ type: "reconnected" });
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      for (const server of this.#servers) server.close();
      for (const socket of this.#sockets) socket.destroy();
      await pod?.connection.close();
    }
  }

  #pending(): Promise<CurrentPod> {
    return new Promise((resolve) => (this.#setCurrent = resolve));
  }

  #use({ connection, remotePorts }: PodConnection): void {
    const current: CurrentPod = { connection, remotePorts, over: false };
    // Once for all that is forwarded: what is attached to `closed` is kept as long as the connection lasts.
    void connection.closed.then(() => (current.over = true));
    this.#setCurrent(current);
  }

  async #listen(): Promise<void> {
    const { ports, addresses, onEvent } = this.#options;
    const tried: ForwardedPort[] = [];
    let succeeded = false;
    for (const [index, wanted] of ports.entries()) {
      const { servers, port, fault } = await listenOnPort(wanted, {
        addresses,
        onListening: (address, listening) => onEvent({ type: "listening", address, port: listening, index }),
        onConnection: (socket, from, network) => void this.#take(socket, index, from, network),
      });
      append(this.#servers, servers);
      tried.push(port);
      if (fault === undefined) succeeded = true;
      else onEvent({ type: "not listening", port, fault });
    }
    if (succeeded) return;
    const list = tried.map(({ local, remote }) => `{${local} ${remote}}`).join(" ");
    throw new Error(`unable to listen on any of the requested ports: [${list}]`);
  }

  async #take(socket: Socket, index: number, from: ForwardedPort, network: ListenAddress["network"]): Promise<void> {
    const { onEvent, reconnect } = this.#options;
    this.#sockets.add(socket);
    socket.once("close", () => this.#sockets.delete(socket));
    // A fault is reported once the connection is forwarded; before that, and afterwards, none may end the process.
    socket.on("error", () => undefined);
    onEvent({ type: "connection", port: from });
    const current = await this.#current;
    const { connection, remotePorts } = current;
    const port = { ...from, remote: remotePorts[index] ?? from.remote };
    await forwardConnection(connection, {
      socket,
      network,
      port,
      requestId: this.#requests++,
      onFault: (fault) => {
        // A connection that is lost breaks its streams, which says nothing new.
        setImmediate(() => {
          if (current.over) return;
          onEvent({ type: "fault", fault });
          if (fault.step === "remote" && !reconnect) void connection.close();
        });
      },
    });
  }

  /** Undefined where the signal aborts first. */
  async #connectAgain(signal: AbortSignal): Promise<PodConnection | undefined> {
    let told = "";
    for (let wait = FIRST_WAIT; !signal.aborted; wait = Math.min(2 * wait, LONGEST_WAIT)) {
      try {
        return await this.#options.connect(signal);
      } catch (error) {
        if (signal.aborted || !(error instanceof Error)) break;
        // A reason is printed once.
        if (error.message !== told) this.#options.onEvent({ type: "not reconnected", error });
        told = error.message;
      }
      await awaitedPause(wait, signal).catch(() => undefined);
    }
    return undefined;
  }
}

/** True where the signal aborts first. */
async function endsBefore(end: Promise<void>, signal: AbortSignal): Promise<boolean> {
  if (signal.aborted) return true;
  return await new Promise<boolean>((resolve) => {
    const aborted = (): void => resolve(true);
    signal.addEventListener("abort", aborted, { once: true });
    void end.then(() => {
      signal.removeEventListener("abort", aborted);
      resolve(false);
    });
  });
}

export interface ListenOptions {
  readonly addresses: readonly ListenAddress[];
  readonly onListening: (address: string, port: ForwardedPort) => void;
  readonly onConnection: (socket: Socket, port: ForwardedPort, network: ListenAddress["network"]) => void;
}

/** The outcome of listening on one port: its servers, and the reason if it failed. */
export interface Listening {
  readonly servers: readonly Server[];
  /** With the local port that was chosen, where a free one was wanted. */
  readonly port: ForwardedPort;
  readonly fault: string | undefined;
}

/** Listens on a port of every address. All of them must succeed; of optional addresses one is enough. */
export async function listenOnPort(wanted: ForwardedPort, options: ListenOptions): Promise<Listening> {
  const servers: Server[] = [];
  const faults: { readonly text: string; readonly optional: boolean }[] = [];
  let port = wanted;
  let optionalSucceeded = false;
  for (const address of options.addresses) {
    try {
      const server = await listen(address, port.local, (socket) => options.onConnection(socket, port, address.network));
      servers.push(server);
      port = { ...port, local: localPortOf(server) };
      optionalSucceeded ||= address.optional;
      options.onListening(hostPort(address.address, port.local), port);
    } catch (error) {
      faults.push({ text: faultOf(error, address, port.local), optional: address.optional });
    }
  }
  const failed = faults.some(({ optional }) => !optional || !optionalSucceeded);
  const texts = faults.map(({ text }) => text).join(" ");
  const fault = failed ? `Listeners failed to create with the following errors: [${texts}]` : undefined;
  return { servers, port, fault };
}

function listen({ address, network }: ListenAddress, port: number, take: (socket: Socket) => void): Promise<Server> {
  return new Promise((resolve, reject) => {
    // A connection may end in one direction and go on in the other.
    const server = createServer({ allowHalfOpen: true, pauseOnConnect: true, noDelay: true }, take);
    server.once("error", reject);
    server.listen({ host: address, port, ipv6Only: network === "tcp6" }, () => {
      server.off("error", reject);
      // What is wrong with one connection that comes (too many open files) does not end the others.
      server.on("error", () => undefined);
      resolve(server);
    });
  });
}

function localPortOf(server: Server): number {
  const address = server.address();
  return typeof address === "object" && address !== null ? address.port : 0;
}

function faultOf(error: unknown, { address, network }: ListenAddress, port: number): string {
  const code = errorCode(error);
  const call = code === "EAFNOSUPPORT" ? "socket" : "bind";
  const text = code === "EAFNOSUPPORT" ? "address family not supported by protocol" : errnoText(error);
  return `unable to create listener: Error listen ${network} ${hostPort(address, port)}: ${call}: ${text}`;
}
