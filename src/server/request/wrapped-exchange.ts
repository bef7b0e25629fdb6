import type { Exchange, ResponseWriter } from "./exchange.js";
import type { UpgradeOffer } from "./exchange.js";
import type { WebSocketOffer } from "./exchange.js";

/** The headers of an answer, by lower-case names. */
export type AnswerHeaders = Readonly<Record<string, string | readonly string[]>>;

/** Passes everything on to another exchange. A filter extends it to change the request or the answer, and hands the wrapped exchange on. */
export class WrappedExchange implements Exchange {
  constructor(protected readonly inner: Exchange) {}

  get method(): string {
    return this.inner.method;
  }
  get path(): string {
    return this.inner.path;
  }
  get query(): URLSearchParams {
    return this.inner.query;
  }
  get uri(): string {
    return this.inner.uri;
  }
  get headers(): Exchange["headers"] {
    return this.inner.headers;
  }
  get authority(): string | undefined {
    return this.inner.authority;
  }
  get protocol(): Exchange["protocol"] {
    return this.inner.protocol;
  }
  get scheme(): Exchange["scheme"] {
    return this.inner.scheme;
  }
  get clientCertificate(): Exchange["clientCertificate"] {
    return this.inner.clientCertificate;
  }
  get proxyCertificate(): Exchange["proxyCertificate"] {
    return this.inner.proxyCertificate;
  }
  get certificateFault(): Exchange["certificateFault"] {
    return this.inner.certificateFault;
  }
  get remoteAddress(): string {
    return this.inner.remoteAddress;
  }
  get remotePort(): number | undefined {
    return this.inner.remotePort;
  }
  get signal(): AbortSignal {
    return this.inner.signal;
  }
  get left(): boolean {
    return this.inner.left === true;
  }
  get isRevoked(): boolean {
    return this.inner.isRevoked === true;
  }
  get bodyLength(): number | undefined {
    return this.inner.bodyLength;
  }
  get responded(): boolean {
    return this.inner.responded;
  }
  get webSocket(): WebSocketOffer | undefined {
    return this.inner.webSocket;
  }
  get upgrade(): UpgradeOffer | undefined {
    return this.inner.upgrade;
  }

  separateHeaders(): Readonly<Record<string, readonly string[] | undefined>> {
    const { inner } = this;
    if (inner.separateHeaders !== undefined) return inner.separateHeaders();
    return Object.fromEntries(
      Object.entries(inner.headers).map(([name, value]) => [name, value === undefined ? value : [value]]),
    );
  }

  body(limit: number): Promise<Uint8Array> {
    return this.inner.body(limit);
  }

  bodyChunks(): AsyncIterable<Uint8Array> {
    return this.inner.bodyChunks();
  }

  authenticated(isKnown: boolean): void {
    this.inner.authenticated?.(isKnown);
  }

  respond(status: number, headers: AnswerHeaders): ResponseWriter {
    return this.inner.respond(status, headers);
  }
}

/** Wraps an exchange so that its response also gets these headers; the response's own headers win. */
export function withAnswerHeaders(exchange: Exchange, added: AnswerHeaders): Exchange {
  return new (class extends WrappedExchange {
    override respond(status: number, headers: AnswerHeaders): ResponseWriter {
      return super.respond(status, { ...added, ...headers });
    }
  })(exchange);
}
