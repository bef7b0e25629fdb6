import { type ClientRequest, type IncomingMessage, request as httpRequest } from "node:http";
import type { Duplex } from "node:stream";
import type { Clock } from "../../base/time/clock.js";
import { errorMessage } from "../../base/text/error-message.js";
import { dial, type DialTarget, type ProcessHosts, textOf } from "../../client/transport/dial.js";
import { type Endpoint, endpointOf } from "../../client/transport/endpoint.js";
import { goNetworkReason, NetworkFailure } from "../../client/transport/go-network-error.js";
import { DialingAgent } from "../../client/transport/node-https.js";
import { LARGEST_HEAD, wireHeaders } from "../../client/transport/wire-headers.js";
import { ConnectedAgent } from "../../client/transport/connected-agent.js";
import type { Environment } from "../../client/surroundings.js";
import type { ClientIdentity } from "../kubelet/cluster-network.js";
import type { Address, LocateService } from "../webhook/service-address.js";
import { serverNameOf } from "../webhook/webhook-target.js";
import type { RemoteApi } from "../builtin/apiregistration/remote-apis.js";

/** What connections to aggregated servers use of their process. */
export interface RemoteSurroundings {
  /** The certificates of aggregated servers are checked at its time. */
  readonly clock: Clock;
  /** The files of the system's authorities. */
  readonly env: Environment;
  readonly locate: LocateService;
  /** Hosts of this process, and what connects to all others. */
  readonly hosts: ProcessHosts | undefined;
  /** What the aggregator shows to servers, as a front proxy: the same object until it changes. Left out: nothing. */
  readonly identity?: (() => ClientIdentity | undefined) | undefined;
}

/** How a server is reached. Two APIServices that say the same share connections. */
export type Reach = Pick<RemoteApi, "service" | "caBundle" | "insecureSkipTLSVerify">;

/** A request to an aggregated server. */
export interface RemoteRequest {
  readonly method: string;
  /** With the query, percent-encoded. */
  readonly path: string;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly signal: AbortSignal;
}

/** A whole answer. */
export interface RemoteAnswer {
  readonly status: number;
  readonly headers: IncomingMessage["headers"];
  readonly body: Uint8Array;
}

interface Connections {
  readonly identity: ClientIdentity | undefined;
  readonly endpoint: Endpoint;
  readonly agent: DialingAgent;
}

/** An aggregated API server. Connections are kept for the next requests. */
export class RemoteServer {
  #made: Connections | undefined;

  constructor(
    private readonly reach: Reach,
    private readonly surroundings: RemoteSurroundings,
  ) {}

  /** Finds where a connection goes now. Rejects with an Error that says why there is nothing to connect to. */
  locate(): Promise<Address> {
    return this.surroundings.locate(this.reach.service);
  }

  /** Begins a request, whose body the caller sends. Throws in client-go's words where the CA bundle is none. */
  begin({ method, path, headers, signal }: RemoteRequest): ClientRequest {
    const { endpoint, agent } = this.#current();
    return httpRequest({ ...this.#parts(endpoint, headers), agent, method, path, signal });
  }

  /** As {@link begin}, on a connection of its own: one that changes its protocol. */
  beginUpgrade({ method, path, headers, signal }: RemoteRequest): ClientRequest {
    const { endpoint } = this.#current();
    const agent = new ConnectedAgent(dial({ ...endpoint.target, signal }) as Promise<Duplex>);
    return httpRequest({ ...this.#parts(endpoint, headers), agent, method, path, signal });
  }

  /** Reads a document of at most `limit` bytes. Rejects with an Error in Go's words. */
  async read(request: Omit<RemoteRequest, "method">, limit: number): Promise<RemoteAnswer> {
    const answer = await this.#answered(request);
    const chunks: Uint8Array[] = [];
    let size = 0;
    try {
      for await (const chunk of answer as AsyncIterable<Uint8Array>) {
        size += chunk.byteLength;
        if (size > limit) throw new NetworkFailure(`the answer is longer than ${limit} bytes`);
        chunks.push(chunk);
      }
    } catch (error) {
      throw this.#reason(error, request.signal);
    }
    return { status: answer.statusCode ?? 0, headers: answer.headers, body: Buffer.concat(chunks) };
  }

  /** Closes the connections that wait for a request; those under way go on. */
  retire(): void {
    // Node's agent destroys what is idle and leaves the rest to its requests.
    for (const sockets of Object.values(this.#made?.agent.freeSockets ?? {}))
      for (const one of sockets ?? []) one.destroy();
    this.#made = undefined;
  }

  #answered({ path, headers, signal }: Omit<RemoteRequest, "method">): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      const outgoing = this.begin({ method: "GET", path, headers, signal });
      outgoing.on("response", resolve);
      outgoing.on("error", (error) => reject(this.#reason(error, signal)));
      // A request that waits for a connection hears of its signal only when it has one.
      signal.addEventListener("abort", () => outgoing.destroy(), { once: true });
      outgoing.end();
    });
  }

  #reason(error: unknown, signal: AbortSignal): Error {
    return new NetworkFailure(signal.aborted ? errorMessage(signal.reason) : goNetworkReason(error));
  }

  #parts(endpoint: Endpoint, headers: RemoteRequest["headers"]) {
    const { host, port } = endpoint.target;
    const all = wireHeaders({ ...headers, host: endpoint.hostHeader });
    // dial() knows the server name.
    return { host, port, servername: "", setHost: false, headers: all, maxHeaderSize: LARGEST_HEAD };
  }

  /** The connections by the identity as it is now. */
  #current(): Connections {
    const identity = this.surroundings.identity?.();
    if (this.#made?.identity === identity && this.#made !== undefined) return this.#made;
    this.retire();
    const endpoint = endpointFor(this.reach, identity, this.surroundings);
    this.#made = { identity, endpoint, agent: new DialingAgent(endpoint, Number.POSITIVE_INFINITY) };
    return this.#made;
  }
}

function endpointFor(
  { service, caBundle, insecureSkipTLSVerify }: Reach,
  identity: ClientIdentity | undefined,
  { clock, env, locate, hosts }: RemoteSurroundings,
): Endpoint {
  const serverName = serverNameOf(service);
  // No proxy outside of the cluster knows a service.
  const direct = { ...env, HTTPS_PROXY: "", https_proxy: "" };
  const tls = {
    insecureSkipVerify: insecureSkipTLSVerify,
    serverName,
    ...(caBundle !== "" && { caData: Buffer.from(caBundle, "base64") }),
    ...(identity && { certData: Buffer.from(identity.certificate), keyData: Buffer.from(identity.key) }),
  };
  const made = endpointOf({ server: `https://${serverName}:${service.port}`, tls }, { env: direct, clock });
  const target: DialTarget = {
    ...made.target,
    hosts,
    locate: () =>
      locate(service).catch((error: unknown) => {
        throw new NetworkFailure(errorMessage(error));
      }),
  };
  return { ...made, target };
}

/** "https://10.0.0.7:8443/apis/metrics.k8s.io/v1beta1". */
export const urlOf = (address: Address, path: string): string => `https://${textOf(address)}${path}`;
