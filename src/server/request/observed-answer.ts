import type { Duplex } from "node:stream";
import type { ApiRequest, Filter } from "./api-request.js";
import type { Exchange, ResponseWriter } from "./exchange.js";
import type { UpgradeOffer } from "./exchange.js";
import type { WebSocketConnection, WebSocketOffer } from "./exchange.js";
import { type AnswerHeaders, WrappedExchange } from "./wrapped-exchange.js";

/** The answer that a client got, known when its request has ended. Times are milliseconds since the epoch, by the server's clock. */
export interface Answer {
  /** 101 for a connection that went on in another protocol. Undefined where the client left before an answer, or the exchange was given up. */
  readonly status: number | undefined;
  /** Bytes of the body that were handed to the connection, before compression of the connection's. */
  readonly bytes: number;
  /** When the head was sent. */
  readonly began: number | undefined;
  readonly ended: number;
  /** Whether the answer broke off: the client left, or the handler failed behind the head. */
  readonly isReset: boolean;
}

/**
 * Makes a filter that reports each answer to `listener`, once, when the request has ended. It sees the answers of all filters
 * behind it; placed before "panic-recovery" it sees every answer.
 */
export function observeAnswers(now: () => number, listener: (request: ApiRequest, answer: Answer) => void): Filter {
  return (next) => async (request) => {
    const exchange = new ObservedExchange(request.exchange, now);
    let hasFailed = true;
    try {
      await next(request.with({ exchange }));
      hasFailed = false;
    } finally {
      listener(request, exchange.answer(hasFailed));
    }
  };
}

class ObservedExchange extends WrappedExchange {
  #status: number | undefined;
  #began: number | undefined;
  #bytes = 0;
  #hasEnded = false;
  readonly #now: () => number;

  constructor(inner: Exchange, now: () => number) {
    super(inner);
    this.#now = now;
  }

  answer(hasFailed: boolean): Answer {
    const isWhole = this.#hasEnded || this.#status === 101;
    return {
      status: this.#status,
      bytes: this.#bytes,
      began: this.#began,
      ended: this.#now(),
      isReset: hasFailed || !isWhole,
    };
  }

  override respond(status: number, headers: AnswerHeaders): ResponseWriter {
    const writer = super.respond(status, headers);
    this.#begin(status);
    return {
      write: (chunk) => {
        this.#bytes += chunk.length;
        return writer.write(chunk);
      },
      end: async (chunk) => {
        this.#bytes += chunk?.length ?? 0;
        await writer.end(chunk);
        this.#hasEnded = true;
      },
    };
  }

  override get upgrade(): UpgradeOffer | undefined {
    const offer = super.upgrade;
    if (offer === undefined) return undefined;
    return {
      protocol: offer.protocol,
      accept: (headers): Duplex => {
        const connection = offer.accept(headers);
        this.#begin(101);
        return connection;
      },
    };
  }

  override get webSocket(): WebSocketOffer | undefined {
    const offer = super.webSocket;
    if (offer === undefined) return undefined;
    return {
      subprotocols: offer.subprotocols,
      bearerToken: offer.bearerToken,
      accept: async (subprotocol): Promise<WebSocketConnection> => {
        const connection = await offer.accept(subprotocol);
        this.#begin(101);
        return connection;
      },
    };
  }

  #begin(status: number): void {
    this.#status = status;
    this.#began = this.#now();
  }
}
