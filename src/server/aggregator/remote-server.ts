import { type ClientRequest, request as httpRequest } from "node:http";
import type { Clock } from "../../base/time/clock.js";
import { errorMessage } from "../../base/text/error-message.js";
import { dial, type ProcessHosts, textOf } from "../../client/transport/dial.js";
import { type Endpoint, endpointOf } from "../../client/transport/endpoint.js";
import { ConnectedAgent } from "../../client/transport/connected-agent.js";
import { goNetworkReason, NetworkFailure } from "../../client/transport/go-network-error.js";
import { createTransport } from "../../client/transport/create-transport.js";
import { DialingAgent } from "../../client/transport/node-https.js";
import type { Transport, TransportResponse } from "../../client/transport/transport.js";
import { isTransportError } from "../../client/transport/transport-error.js";
import { LARGEST_HEAD, wireHeaders } from "../../client/transport/wire-headers.js";
import type { Environment } from "../../client/surroundings.js";
import type { ClientIdentity } from "../kubelet/cluster-network.js";
import type { Address, LocateService } from "../webhook/service-address.js";
import { serverNameOf } from "../webhook/webhook-target.js";
import type { RemoteApi } from "../builtin/apiregistration/remote-apis.js";

/** The parts of the process that connections to aggregated servers use. */
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

/** The fields of an APIService that decide how its server is reached. APIServices with equal ones share connections. */
export type Reach = Pick<RemoteApi, "service" | "caBundle" | "insecureSkipTLSVerify">;

/** A request to an aggregated server. */
export interface RemoteRequest {
  readonly method: string;
  /** With the query, percent-encoded. */
  readonly path: string;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  /** Whether its answer is a stream that may be silent for long, as a watch's is. */
  readonly lasts?: boolean;
  readonly signal: AbortSignal;
}

/** A whole answer. */
export interface RemoteAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly etag: string | undefined;
  readonly body: Uint8Array;
}

/** OpenSSL's code of the alert by which a server refuses all protocols that a connection offers. */
const NO_COMMON_PROTOCOL = "ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL";

interface Connections {
  readonly identity: ClientIdentity | undefined;
  readonly endpoint: Endpoint;
  /** For requests whose bodies are whole: over HTTP/1.1, which costs Node less than HTTP/2. */
  readonly transport: Transport;
  /** For those that last: over HTTP/2 where the server has it, which finds out when the line is dead. */
  readonly lasting: Transport;
  /** Whether the server refused HTTP/1.1. */
  needsHttp2: boolean;
  /** For requests whose bodies come bit by bit. */
  readonly agent: DialingAgent;
}

/** An aggregated API server. Connections are kept for the next requests. */
export class RemoteServer {
  #made: Connections | undefined;

  constructor(
    private readonly reach: Reach,
    private readonly surroundings: RemoteSurroundings,
  ) {}

  /** What the server is called: "https://<name>.<namespace>.svc:<port>". */
  get origin(): string {
    const { service } = this.reach;
    return `https://${serverNameOf(service)}:${service.port}`;
  }

  /** Finds where a connection goes now. Rejects with an Error that says why there is nothing to connect to. */
  locate(): Promise<Address> {
    return this.surroundings.locate(this.reach.service);
  }

  /** Sends a request with its whole body. The answer's body comes as it is encoded. Rejects with an Error in Go's words. */
  async send(request: RemoteRequest, body?: Uint8Array): Promise<TransportResponse> {
    const { method, path, signal, lasts = false } = request;
    const connections = this.#current();
    const { transport, lasting } = connections;
    const sent = { method, path, signal, ...separate(request.headers), body };
    if (lasts || connections.needsHttp2) return lasting.send(sent);
    try {
      return await transport.send(sent);
    } catch (error) {
      if (isTransportError(error) && error.code === NO_COMMON_PROTOCOL) {
        connections.needsHttp2 = true;
        return lasting.send(sent);
      }
      // The server may have closed a connection that waited just when the request was written to it.
      if (signal.aborted || body !== undefined || method !== "GET" || !isBroken(error)) throw error;
      return transport.send(sent);
    }
  }

  /** Begins a request, whose body the caller sends. Throws in client-go's words where the CA bundle is none. */
  begin({ method, path, headers, signal }: RemoteRequest): ClientRequest {
    const { endpoint, agent } = this.#current();
    return httpRequest({ ...this.#parts(endpoint, headers), agent, method, path, signal });
  }

  /** As {@link begin}, on a connection of its own: one that changes its protocol. */
  beginUpgrade({ method, path, headers, signal }: RemoteRequest): ClientRequest {
    const { endpoint } = this.#current();
    const agent = new ConnectedAgent(dial({ ...endpoint.target, signal }));
    return httpRequest({ ...this.#parts(endpoint, headers), agent, method, path, signal });
  }

  /** Reads a document of at most `limit` bytes. Rejects with an Error in Go's words. */
  async read(request: Omit<RemoteRequest, "method">, limit: number): Promise<RemoteAnswer> {
    const chunks: Uint8Array[] = [];
    let size = 0;
    try {
      const { status, headers, body } = await this.send({ ...request, method: "GET" });
      for await (const chunk of body) {
        size += chunk.byteLength;
        if (size > limit) throw new NetworkFailure(`the answer is longer than ${limit} bytes`);
        chunks.push(chunk);
      }
      const [contentType = "", etag] = ["content-type", "etag"].map((name) => [headers[name] ?? []].flat()[0]);
      return { status, contentType, etag, body: Buffer.concat(chunks) };
    } catch (error) {
      throw new NetworkFailure(request.signal.aborted ? errorMessage(request.signal.reason) : reasonOf(error));
    }
  }

  /** Closes the connections that wait for a request; those under way go on. */
  retire(): void {
    this.#made?.agent.retire();
    this.#made?.transport.renew?.();
    this.#made?.lasting.renew?.();
    this.#made = undefined;
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
    this.#made = connectionsTo(this.reach, identity, this.surroundings);
    return this.#made;
  }
}

function connectionsTo(
  { service, caBundle, insecureSkipTLSVerify }: Reach,
  identity: ClientIdentity | undefined,
  { clock, env, locate, hosts }: RemoteSurroundings,
): Connections {
  const serverName = serverNameOf(service);
  // No proxy outside of the cluster knows a service.
  const surroundings = { env: { ...env, HTTPS_PROXY: "", https_proxy: "" }, clock };
  const tls = {
    insecureSkipVerify: insecureSkipTLSVerify,
    serverName,
    ...(caBundle !== "" && { caData: Buffer.from(caBundle, "base64") }),
    ...(identity && { certData: Buffer.from(identity.certificate), keyData: Buffer.from(identity.key) }),
  };
  const config = { server: `https://${serverName}:${service.port}`, tls };
  const found = {
    hosts,
    locate: (): Promise<Address> =>
      locate(service).catch((error: unknown) => {
        throw new NetworkFailure(errorMessage(error));
      }),
  };
  const made = endpointOf(config, surroundings);
  const endpoint = { ...made, target: { ...made.target, ...found } };
  const maxSockets = Number.POSITIVE_INFINITY;
  const options = { ...surroundings, ...found, maxSockets, keepsEncoding: true };
  return {
    identity,
    endpoint,
    transport: createTransport(config, { ...options, pooled: true }),
    lasting: createTransport(config, { ...options, lasting: true }),
    needsHttp2: false,
    agent: new DialingAgent(endpoint, maxSockets),
  };
}

/** The headers as a transport takes them: a name with several values is sent once for each. */
function separate(headers: RemoteRequest["headers"]) {
  const single: Record<string, string> = {};
  const repeatedHeaders: Record<string, readonly string[]> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (typeof value === "string") single[name] = value;
    else repeatedHeaders[name] = value;
  }
  return { headers: single, repeatedHeaders };
}

/** Whether a connection ended before the head of a response came. */
const isBroken = (error: unknown): boolean =>
  isTransportError(error) && (error.code === "UND_ERR_SOCKET" || error.code === "ECONNRESET" || error.code === "EPIPE");

/** The reason in Go's words why a server was not reached or its response broke off. */
export function reasonOf(error: unknown): string {
  if (isTransportError(error)) return error.reason;
  return error instanceof Error ? goNetworkReason(error) : errorMessage(error);
}

/** Formats a URL: "https://10.0.0.7:8443/apis/metrics.k8s.io/v1beta1". */
export const urlOf = (address: Address, path: string): string => `https://${textOf(address)}${path}`;
