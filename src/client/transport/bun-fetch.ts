import { errorMessage } from "../../base/text/error-message.js";
import { errorCode } from "../../base/files/path-error.js";
import type { DialTarget } from "./dial.js";
import { type Endpoint, endpointOf, type TransportConfig, type TransportSurroundings } from "./endpoint.js";
import { abortReason } from "./failed-exchange.js";
import { NetworkFailure } from "./go-network-error.js";
import type { Transport, TransportRequest, TransportResponse } from "./transport.js";
import { TransportError } from "./transport-error.js";
import { bytesOfAddress } from "../../machinery/text/go/ip-address.js";
import { authoritiesOf, faultOf } from "./verify-peer.js";
import { wireHeaders } from "./wire-headers.js";

/** What is used of bun's API: https://bun.com/reference/bun/FetchSession. */
interface FetchSession {
  fetch(url: string, init: FetchInit): Promise<Response>;
  /** Closes idle connections. */
  close(): void;
}

/** bun's own classes; only bun has them. */
declare const Bun: { readonly FetchSession: new (init: FetchSessionInit) => FetchSession };

interface FetchSessionInit {
  readonly proxy: false;
  readonly tls: {
    readonly ca?: readonly (string | Buffer)[];
    readonly cert?: DialTls["cert"];
    readonly key?: DialTls["key"];
    readonly serverName?: string;
    readonly rejectUnauthorized: boolean;
    /** Called once per connection, before anything is sent. */
    readonly checkServerIdentity?: (host: string, peer: { readonly raw: Buffer }) => Error | undefined;
  };
}

interface FetchInit {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array | undefined;
  readonly signal: AbortSignal;
  readonly redirect: "manual";
  readonly protocol: "http1.1";
  readonly decompress: boolean;
  /** Whether a silent connection ends after some minutes. A watch may be silent for longer. */
  readonly timeout: false;
  /** Whether requests are printed, which an environment variable can turn on. */
  readonly verbose: false;
}

type DialTls = NonNullable<DialTarget["tls"]>;

/**
 * A transport over the fetch of bun, whose node:tls and node:http take a third of a command's time to load. It sends ordinary
 * requests to https servers. `node`, a transport over node:https, sends what fetch cannot send as it is, and what fetch failed to
 * send: it finds Go's text for the failure. Throws when the config's certificates cannot be used.
 */
export function bunFetchTransport(
  config: TransportConfig,
  surroundings: TransportSurroundings,
  node: Transport,
): Transport {
  const endpoint = endpointOf(config, surroundings);
  if (!suits(endpoint)) return node;
  const connection = new FetchConnection(endpoint, node);
  return {
    send: (request) => (isOrdinary(request, endpoint) ? connection : node).send(request),
    reach: node.reach,
    renew: () => {
      connection.renew();
      node.renew?.();
    },
    close: () => {
      connection.close();
      return node.close();
    },
  };
}

/** Whether fetch reaches the server as `dial` does: by TLS, past all proxies, trusting the given authorities only. */
function suits({ target: { scheme, port, tls, proxy, insecureSkipVerify } }: Endpoint): boolean {
  if (scheme !== "https" || port > 65535 || proxy !== undefined) return false;
  if (tls?.servername !== undefined && bytesOfAddress(tls.servername) !== undefined) return false;
  // Fetch tells of a connection only where it is asked to verify the server.
  return !insecureSkipVerify && rootsOf(tls).length > 0;
}

/** How long fetch may take to connect, in milliseconds. Its own limit is longer than Go's; `dial` has Go's. */
const CONNECT_MS = 2000;

/** A connection that has waited so long is not used again, in milliseconds: it may have died. As IDLE_MS of dial.ts, which loads node:tls. */
const IDLE_MS = 4000;

/** Whether fetch makes exactly this exchange. It would normalise URLs, join repeated headers and add what is missing. */
function isOrdinary(
  { method, path, headers, repeatedHeaders, body, trace, showsHeaders }: TransportRequest,
  { origin }: Endpoint,
): boolean {
  if (trace !== undefined || showsHeaders === true || Object.keys(repeatedHeaders ?? {}).length > 0) return false;
  if (["user-agent", "accept"].some((name) => !headers[name])) return false;
  if (BODILESS.has(method) ? body !== undefined : body === undefined) return false;
  const url = origin + path;
  return !url.includes("#") && URL.parse(url)?.href === url;
}

/**
 * Fetch joins headers that came twice. API servers send Vary so, a value a header, and the HTTP cache keeps what it gets: the
 * log of a later command shows it.
 */
function apart(headers: Headers): TransportResponse["headers"] {
  const all = Object.fromEntries(headers);
  const vary = all["vary"]?.split(", ") ?? [];
  return vary.length > 1 ? { ...all, vary } : all;
}

const BODILESS: ReadonlySet<string> = new Set(["GET", "HEAD"]);

function rootsOf(tls: DialTls | undefined): readonly (string | Buffer)[] {
  const { ca } = tls ?? {};
  return ca === undefined ? [] : Array.isArray(ca) ? ca : [ca];
}

/** Errors of connections that were never made. */
const NOT_SENT =
  /^(?:ECONNREFUSED|ENOTFOUND|EAI_AGAIN|FailedToOpenSocket|CERT_\w+|UNABLE_TO_\w+|DEPTH_ZERO_\w+|SELF_SIGNED_\w+)$/;

class FetchConnection {
  readonly #session: FetchSession;
  readonly #closing = new AbortController();
  #answered = false;
  /** The server was connected to, and verified: the next request may find that connection. */
  #connected = false;
  /** When a request began or was answered last, in milliseconds since the epoch. */
  #usedAt = 0;
  /** Fetch took too long to connect. */
  #isSlow = false;
  /** Whether the server's certificate alone is one that Go takes. */
  #suits = true;

  constructor(
    private readonly endpoint: Endpoint,
    private readonly node: Transport,
  ) {
    const { tls, host, clock } = endpoint.target;
    const name = tls?.servername ?? host;
    this.#session = new Bun.FetchSession({
      proxy: false,
      tls: {
        ...(tls?.ca !== undefined && { ca: rootsOf(tls) }),
        ...(tls?.cert !== undefined && { cert: tls.cert, key: tls.key }),
        ...(tls?.servername !== undefined && { serverName: tls.servername }),
        rejectUnauthorized: true,
        // Fetch takes other certificates than Go, and shows the server's own alone. Where a root has not signed that one, `node` looks at
        // all that the server sends.
        checkServerIdentity: (_host, { raw }) => {
          this.#connected = true;
          const fault = faultOf([raw], name, {
            roots: authoritiesOf(endpoint.target, rootsOf(tls)),
            now: clock.now(),
          });
          if (fault === undefined) return undefined;
          this.#suits = false;
          return Object.assign(new Error(fault), { code: "CERT_NOT_VERIFIED" });
        },
      },
    });
  }

  close(): void {
    this.#closing.abort(new NetworkFailure("EOF"));
    this.#session.close();
  }

  /** Closes bun's idle connections: the next request of this transport connects anew, within its limit. */
  renew(): void {
    this.#session.close();
    this.#connected = false;
  }

  async send(request: TransportRequest): Promise<TransportResponse> {
    if (this.#isSlow || !this.#suits) return this.node.send(request);
    const { clock } = this.endpoint.target;
    if (this.#connected && clock.now() - this.#usedAt > IDLE_MS) this.renew();
    this.#usedAt = clock.now();
    const { method, path, body } = request;
    const where = { method, url: this.endpoint.origin + path };
    let headers: Record<string, string>;
    try {
      headers = wireHeaders(request.headers) as Record<string, string>;
    } catch (error) {
      throw new TransportError(errorMessage(error), { ...where, cause: error });
    }
    const slow = new AbortController();
    const giveUp = (): void => void (this.#connected || slow.abort());
    const timer = this.#connected ? undefined : setTimeout(giveUp, CONNECT_MS);
    const signals = [slow.signal, this.#closing.signal, ...(request.signal ? [request.signal] : [])];
    try {
      const answer = await this.#session.fetch(where.url, {
        method,
        headers,
        ...(body !== undefined && { body }),
        signal: AbortSignal.any(signals),
        redirect: "manual",
        protocol: "http1.1",
        decompress: headers["accept-encoding"] === "gzip",
        timeout: false,
        verbose: false,
      });
      this.#answered = true;
      this.#usedAt = clock.now();
      return {
        status: answer.status,
        headers: apart(answer.headers),
        body: bodyOf(answer, request.signal),
      };
    } catch (error) {
      if (request.signal?.aborted) throw abortReason(request.signal);
      if (slow.signal.aborted) {
        // Nothing was sent without a connection.
        this.#isSlow = true;
        return await this.node.send(request);
      }
      const reason = await this.#reasonOf(error, method);
      if (reason === undefined) return this.node.send(request);
      throw new TransportError(reason, { ...where, code: errorCode(error), cause: error });
    } finally {
      clearTimeout(timer);
    }
  }

  /** Go's text for a failure of fetch. Undefined: node:https may send the request, and finds the text. */
  async #reasonOf(error: unknown, method: string): Promise<string | undefined> {
    if (error instanceof NetworkFailure) return error.message;
    const code = errorCode(error) ?? errorMessage(error);
    if (NOT_SENT.test(code)) return undefined;
    if (!CLOSED.has(code)) {
      return BODILESS.has(method) ? undefined : `net/http: HTTP/1.x transport connection broken: ${code}`;
    }
    if (this.#answered) return "EOF";
    const { findTlsAlert } = await import("./tls-alert.js");
    return (await findTlsAlert(this.endpoint.target)) ?? "EOF";
  }
}

/** The server closed the connection, and may have executed the request. After EPROTO and, with TLS 1.3, after ECONNRESET too, an alert may say why. */
const CLOSED: ReadonlySet<string> = new Set(["ECONNRESET", "EPROTO", "EPIPE"]);

async function* bodyOf(answer: Response, signal: AbortSignal | undefined): AsyncGenerator<Uint8Array> {
  if (answer.body === null) return;
  try {
    yield* answer.body as AsyncIterable<Uint8Array>;
  } catch (error) {
    throw signal?.aborted
      ? abortReason(signal)
      : new TransportError("unexpected EOF", { code: errorCode(error), cause: error });
  }
}
