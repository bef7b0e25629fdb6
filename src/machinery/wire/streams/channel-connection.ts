import type { ByteStream } from "./byte-stream.js";
import { ChunkPipe } from "./chunk-pipe.js";
import { ReceiveBudget } from "./receive-budget.js";
import { CHANNEL, type ChannelProtocol } from "./remote-command.js";
import { CLOSE, WebSocketCloseError } from "../web-socket/close-error.js";
import type { MessagePiece } from "../web-socket/frame-reader.js";
import type { WebSocket } from "../web-socket/web-socket.js";

export interface ChannelOptions {
  readonly protocol: ChannelProtocol;
  /** The channels that the peer may write; messages of others are dropped. */
  readonly readable: readonly number[];
  /** A client ends its channels with channel 255 where the protocol has it, and takes no text in binary protocols. */
  readonly role: "client" | "server";
}

/** The longest data of a message that is sent. */
const LARGEST_DATA = 64 * 1024;
/** The longest text message. Binary ones have no limit: they are passed on in pieces. */
const LARGEST_TEXT = 4 * 1024 * 1024;

/** The numbered streams of a remote command in the messages of one WebSocket. Takes over the WebSocket. */
export class ChannelConnection {
  readonly closed: Promise<void>;
  readonly #channels = new Map<number, Channel>();
  readonly #budget = new ReceiveBudget();
  #fault: Error | undefined;
  #closing = false;
  #inMessage = false;

  constructor(
    private readonly webSocket: WebSocket,
    private readonly options: ChannelOptions,
  ) {
    for (const number of options.readable) this.#channels.set(number, this.#create(number));
    this.closed = this.#serve();
  }

  /** Why the connection broke; undefined while it is open, and after an end with close code 1000 or by {@link close}. */
  get fault(): Error | undefined {
    return this.#fault;
  }

  /** Whether a message has begun that has not ended. */
  get inMessage(): boolean {
    return this.#inMessage;
  }

  /**
   * A channel of the connection. Reading ends when the peer closes the channel or the connection. To write an empty chunk sends a message
   * without data, by which servers show that the command has begun.
   */
  channel(number: number): ByteStream {
    const known = this.#channels.get(number);
    if (known !== undefined) return known;
    const channel = this.#create(number);
    this.#channels.set(number, channel);
    return channel;
  }

  /** Closes the connection and every channel; sends what was written before. */
  close(code?: number): Promise<void> {
    this.#closing = true;
    for (const channel of this.#channels.values()) channel.pipe.abandon();
    this.#budget.close();
    return this.webSocket.close(code);
  }

  #create(number: number): Channel {
    return new Channel(
      {
        send: (data) => this.#send(number, data),
        sendEnd: () => this.#sendEnd(number),
      },
      this.#budget,
    );
  }

  #send(number: number, data: Uint8Array): Promise<void> {
    return this.options.protocol.base64
      ? this.webSocket.send([Buffer.from(`${number}${Buffer.from(data).toString("base64")}`)], "text")
      : this.webSocket.send([Uint8Array.of(number), data]);
  }

  async #sendEnd(number: number): Promise<void> {
    if (this.options.role === "server" || !this.options.protocol.halfClose) return;
    await this.webSocket.send([Uint8Array.of(CHANNEL.close, number)]);
  }

  async #serve(): Promise<void> {
    const { base64 } = this.options.protocol;
    const demultiplexer = base64 ? this.#base64() : this.#binary();
    try {
      for await (const piece of this.webSocket.pieces()) {
        this.#inMessage = !piece.last;
        demultiplexer(piece);
        if (!this.#budget.hasRoom) await this.#budget.room();
      }
    } catch (error) {
      if (!this.#closing) this.#fault = error instanceof Error ? error : new Error(String(error));
      if (this.webSocket.fault === undefined) {
        void this.webSocket.close(error instanceof WebSocketCloseError ? error.closeCode : CLOSE.internalError);
      }
    }
    for (const channel of this.#channels.values()) channel.over(this.#fault);
    this.#budget.close();
    await this.webSocket.closed;
  }

  #deliver(number: number, data: Uint8Array): void {
    if (!this.options.readable.includes(number)) return;
    if (this.#channels.get(number)?.pipe.push(data) === true) this.#budget.add(data.length);
  }

  #binary(): (piece: MessagePiece) => void {
    let channel: number | undefined;
    let closing: number[] | undefined;
    return ({ first, last, text, data }) => {
      if (text && this.options.role === "client") throw new Error("unexpected message type: 1");
      if (first) [channel, closing] = [undefined, undefined];
      let rest: Uint8Array = data;
      if (channel === undefined && rest.length > 0) {
        channel = rest[0];
        rest = rest.subarray(1);
        if (channel === CHANNEL.close && this.options.protocol.halfClose) closing = [];
      }
      if (closing !== undefined) {
        closing.push(...rest.subarray(0, 2));
        const [number] = closing;
        if (!last) return;
        if (number === undefined || closing.length > 1) {
          throw new WebSocketCloseError(CLOSE.protocolError, "a close signal names one channel");
        }
        this.#channels.get(number)?.pipe.end();
      } else if (channel !== undefined) {
        this.#deliver(channel, rest);
      } else if (last && this.options.role === "client") {
        throw new Error("read stream id: EOF");
      }
    };
  }

  #base64(): (piece: MessagePiece) => void {
    let parts: Buffer[] = [];
    let length = 0;
    return ({ last, data }) => {
      parts.push(data);
      length += data.length;
      if (length > LARGEST_TEXT) throw new WebSocketCloseError(CLOSE.tooBig, "the message is too long");
      if (!last) return;
      const text = Buffer.concat(parts).toString("latin1");
      parts = [];
      length = 0;
      if (text !== "") this.#deliver(text.charCodeAt(0) - 48, Buffer.from(text.slice(1), "base64"));
    };
  }
}

interface ChannelSender {
  send(data: Uint8Array): Promise<void>;
  sendEnd(): Promise<void>;
}

class Channel implements ByteStream {
  readonly pipe: ChunkPipe;
  #unwritable: Error | undefined;

  constructor(
    private readonly sender: ChannelSender,
    budget: ReceiveBudget,
  ) {
    this.pipe = new ChunkPipe((bytes, chunks) => budget.take(bytes, chunks));
  }

  async write(chunk: Uint8Array): Promise<void> {
    let from = 0;
    do {
      if (this.#unwritable !== undefined) throw this.#unwritable;
      await this.sender.send(chunk.length <= LARGEST_DATA ? chunk : chunk.subarray(from, from + LARGEST_DATA));
      from += LARGEST_DATA;
    } while (from < chunk.length);
  }

  async end(): Promise<void> {
    if (this.#unwritable !== undefined) return;
    this.#unwritable = new Error("the stream was ended");
    await this.sender.sendEnd().catch(() => {});
  }

  destroy(error?: Error): void {
    void this.end();
    this.pipe.abandon(error);
  }

  /** The connection is over. */
  over(fault: Error | undefined): void {
    this.#unwritable ??= fault ?? new Error("the connection is closed");
    this.pipe.end(fault);
  }

  [Symbol.asyncIterator](): AsyncIterator<Uint8Array> {
    return this.pipe[Symbol.asyncIterator]();
  }
}
