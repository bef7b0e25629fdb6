import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from "node:http";
import { TLSSocket } from "node:tls";
import type { Socket } from "node:net";
import type { Exchange, ResponseWriter, UpgradeOffer, WebSocketOffer } from "../../request/exchange.js";
import { readBody, NodeWriter } from "./node-streams.js";
import { NO_AUTHORITIES, type PeerAuthorities, type PeerIdentity } from "../../../machinery/crypto/peer-authorities.js";
import { ExchangeLifetime } from "./lifetime.js";
import { RequestTarget } from "./target.js";

/**
 * An HTTP/1.1 request as an exchange. `stopping` aborts every exchange when the server shuts down. `offers` builds what a
 * request for another protocol offers, and receives the function to call when an offer is accepted.
 */
export function http1Exchange(
  request: IncomingMessage,
  response: ServerResponse,
  stopping: AbortSignal,
  peers: PeerAuthorities = NO_AUTHORITIES,
  offers?: (accepted: () => void) => ProtocolOffers,
): Exchange {
  return new Http1Exchange(request, response, stopping, peers, offers);
}

type ProtocolOffers = Pick<Exchange, "webSocket" | "upgrade">;

/** A class, because the server makes one per request: it costs a third of an object with as many closures. */
class Http1Exchange implements Exchange {
  readonly method: string;
  readonly protocol = "HTTP/1.1";
  readonly clientCertificate: Exchange["clientCertificate"];
  readonly proxyCertificate: Exchange["proxyCertificate"];
  readonly certificateFault: Exchange["certificateFault"];
  readonly webSocket: WebSocketOffer | undefined;
  readonly upgrade: UpgradeOffer | undefined;
  private readonly target: RequestTarget;
  private readonly lifetime: ExchangeLifetime;
  private answered = false;
  private joined: Exchange["headers"] | undefined;

  constructor(
    private readonly request: IncomingMessage,
    private readonly response: ServerResponse,
    stopping: AbortSignal,
    peers: PeerAuthorities,
    offers: ((accepted: () => void) => ProtocolOffers) | undefined,
  ) {
    const { socket } = request;
    this.lifetime = new ExchangeLifetime(stopping);
    response.on("close", this.lifetime.leave);
    this.method = request.method ?? "GET";
    this.target = new RequestTarget(request.url ?? "/");
    const peer: PeerIdentity = socket instanceof TLSSocket ? peers.identify(socket, socket) : {};
    this.clientCertificate = peer.clientCertificate;
    this.proxyCertificate = peer.proxyCertificate;
    this.certificateFault = peer.certificateFault;
    const made = offers?.(() => {
      this.answered = true;
    });
    this.webSocket = made?.webSocket;
    this.upgrade = made?.upgrade;
  }

  get path(): string {
    return this.target.path;
  }

  get query(): URLSearchParams {
    return this.target.query;
  }

  get uri(): string {
    return this.target.text;
  }

  get headers(): Exchange["headers"] {
    return (this.joined ??= joined(this.request.headers));
  }

  separateHeaders(): Readonly<Record<string, readonly string[] | undefined>> {
    return this.request.headersDistinct;
  }

  get scheme(): Exchange["scheme"] {
    return this.request.socket instanceof TLSSocket ? "https" : "http";
  }

  get remoteAddress(): string {
    return this.request.socket.remoteAddress ?? "";
  }

  get remotePort(): number | undefined {
    return this.request.socket.remotePort;
  }

  get signal(): AbortSignal {
    return this.lifetime.ending;
  }

  get left(): boolean {
    return this.lifetime.left;
  }

  get responded(): boolean {
    return this.answered;
  }

  get bodyLength(): number | undefined {
    const { "content-length": length = 0, "transfer-encoding": encoding } = this.request.headers;
    return encoding === undefined ? Number(length) : undefined;
  }

  body(limit: number): Promise<Uint8Array> {
    return readBody(this.request, limit);
  }

  bodyChunks(): AsyncIterable<Uint8Array> {
    return this.request;
  }

  respond(status: number, head: Readonly<Record<string, string | readonly string[]>>): ResponseWriter {
    this.answered = true;
    this.response.writeHead(status, head as OutgoingHttpHeaders);
    return new Http1Writer(this.response, this.lifetime);
  }
}

/** A shared resolved promise. queueMicrotask would create an AsyncResource per call. */
const IN_A_MOMENT = Promise.resolve();

/** Delays the head by a microtask, so that a short answer leaves in one packet with it. */
class Http1Writer extends NodeWriter {
  private written = false;

  constructor(
    private readonly response: ServerResponse,
    lifetime: ExchangeLifetime,
  ) {
    super(response, lifetime);
    void IN_A_MOMENT.then(() => {
      if (!this.written) this.response.flushHeaders();
    });
  }

  override write(chunk: Uint8Array): Promise<void> {
    this.written = true;
    return super.write(chunk);
  }

  override end(chunk?: Uint8Array): Promise<void> {
    this.written = true;
    return super.end(chunk);
  }
}

/** Node gives Set-Cookie as a list, and every other header as a string. Clients do not send Set-Cookie. */
function joined(headers: IncomingMessage["headers"]): Exchange["headers"] {
  if (headers["set-cookie"] === undefined) return headers as Exchange["headers"];
  return { ...headers, "set-cookie": headers["set-cookie"].join(", ") };
}

/** How many pipelined requests a connection may have under way before the server stops reading from it. */
const MAX_UNDER_WAY = 8;

const underWay = new WeakMap<Socket, number>();

/**
 * Keeps Node reading from a connection whose earlier answer has not left yet. Call it for each request, with its answer.
 * Node pauses such a socket. Under TLS, bytes that are already decrypted still arrive, and Node's paused parser then ends
 * the connection (HPE_PAUSED): a client that sends a longer body right after reading a long answer is cut off. A client that
 * pipelines more than {@link MAX_UNDER_WAY} requests is paused as Node does it.
 */
export function readOn(socket: Socket, answer: { once(event: "close", listener: () => void): unknown }): void {
  const count = (underWay.get(socket) ?? 0) + 1;
  underWay.set(socket, count);
  answer.once("close", () => underWay.set(socket, (underWay.get(socket) ?? 1) - 1));
  // A private property of Node's HTTP server, which it checks when it has parsed a request.
  const noted = socket as Socket & { _paused?: boolean };
  if (noted._paused !== true || count > MAX_UNDER_WAY) return;
  noted._paused = false;
  socket.resume();
}
