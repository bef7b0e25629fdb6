import type { Duplex } from "node:stream";
import { REQUEST_IS_OVER } from "../../base/async/cancellation.js";
import type { Exchange, ResponseWriter, UpgradeOffer, WebSocketOffer } from "../request/exchange.js";
import { type AnswerHeaders, WrappedExchange } from "../request/wrapped-exchange.js";
import type { RequestRecord } from "./request-record.js";

/**
 * Records the answer of an exchange. The event of a whole answer is sent before the answer's end, so that a client that has an answer finds its event in
 * a log that requests wait for.
 */
export class AuditedExchange extends WrappedExchange {
  #isHeld = false;

  /** `isLasting`: a watch or a connection, whose answer begins long before it ends. */
  constructor(
    inner: Exchange,
    private readonly record: RequestRecord,
    private readonly isLasting: boolean,
  ) {
    super(inner);
  }

  override get responded(): boolean {
    return this.#isHeld || super.responded;
  }

  override respond(status: number, headers: AnswerHeaders): ResponseWriter {
    this.record.code(status);
    if (this.isLasting) return this.#begin(super.respond(status, headers));
    this.#isHeld = true;
    return new HeldAnswer(this.inner, this.record, status, headers);
  }

  override get upgrade(): UpgradeOffer | undefined {
    const offer = super.upgrade;
    if (offer === undefined) return undefined;
    return {
      protocol: offer.protocol,
      accept: (headers): Duplex => {
        const connection = offer.accept(headers);
        this.#switched();
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
      accept: async (subprotocol) => {
        const connection = await offer.accept(subprotocol);
        this.#switched();
        return connection;
      },
    };
  }

  #switched(): void {
    this.record.code(101);
    if (this.isLasting) void this.record.process("ResponseStarted");
  }

  #begin(writer: ResponseWriter): ResponseWriter {
    const started = this.record.process("ResponseStarted");
    if (!(started instanceof Promise)) return writer;
    return {
      write: (chunk) => started.then(() => writer.write(chunk)),
      end: (chunk) => started.then(() => writer.end(chunk)),
    };
  }
}

/** Holds the head of an answer back until there is a body, so that a short answer leaves in one piece behind its event. */
class HeldAnswer implements ResponseWriter {
  #writer: ResponseWriter | undefined;

  constructor(
    private readonly exchange: Exchange,
    private readonly record: RequestRecord,
    private readonly status: number,
    private readonly headers: AnswerHeaders,
  ) {}

  async write(chunk: Uint8Array): Promise<void> {
    const stop = this.record.measure("response-write");
    try {
      await this.#begun().write(chunk);
    } finally {
      stop();
    }
  }

  async end(chunk?: Uint8Array): Promise<void> {
    const kept = this.record.complete();
    if (kept instanceof Promise) await kept;
    await this.#begun().end(chunk);
  }

  #begun(): ResponseWriter {
    if (this.#writer !== undefined) return this.#writer;
    // The request's deadline has passed meanwhile.
    if (this.exchange.responded) throw REQUEST_IS_OVER;
    return (this.#writer = this.exchange.respond(this.status, this.headers));
  }
}
