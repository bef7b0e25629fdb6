import { createServer, type Server, type Socket } from "node:net";
import { errnoText, errorCode } from "../../base/files/path-error.js";
import { type ForwardedPort, hostPort, type ListenAddress } from "./port-spec.js";

export interface ListenOptions {
  readonly addresses: readonly ListenAddress[];
  readonly onListening: (address: string, port: ForwardedPort) => void;
  readonly onConnection: (socket: Socket, port: ForwardedPort, network: ListenAddress["network"]) => void;
}

/** What came of a port: what listens, and why it counts as failed. */
export interface Listening {
  readonly servers: readonly Server[];
  /** With the local port that was chosen, where a free one was wanted. */
  readonly port: ForwardedPort;
  readonly fault: string | undefined;
}

/** Listens on a port of every address. All have to succeed, but only one of those that are optional. */
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
