import type { Duplex } from "node:stream";
import type {
  Exchange,
  ResponseWriter,
  UpgradeOffer,
  WebSocketConnection,
  WebSocketOffer,
} from "../request/exchange.js";
import { type AnswerHeaders, WrappedExchange } from "../request/wrapped-exchange.js";

/** Wraps an exchange, and records the status and the size of its answer. */
export class CountedExchange extends WrappedExchange {
  /** Undefined before the answer. */
  status: number | undefined;
  /** Of the body, before compression of the connection's. */
  bytes = 0;
  readonly #onEvent: (bytes: number) => void;

  /** `onEvent` is called with the size of each event of a watch. */
  constructor(inner: Exchange, onEvent: (bytes: number) => void) {
    super(inner);
    this.#onEvent = onEvent;
  }

  watchEvent(bytes: number): void {
    this.#onEvent(bytes);
  }

  override respond(status: number, headers: AnswerHeaders): ResponseWriter {
    const writer = super.respond(status, headers);
    this.status = status;
    return {
      write: (chunk) => {
        this.bytes += chunk.length;
        return writer.write(chunk);
      },
      end: (chunk) => {
        this.bytes += chunk?.length ?? 0;
        return writer.end(chunk);
      },
    };
  }

  override get upgrade(): UpgradeOffer | undefined {
    const offer = super.upgrade;
    if (offer === undefined) return undefined;
    return {
      protocol: offer.protocol,
      accept: (headers): Duplex => {
        this.status = 101;
        return offer.accept(headers);
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
        this.status = 101;
        return connection;
      },
    };
  }
}
