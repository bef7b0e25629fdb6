import type { Duplex } from "node:stream";
import { type Deferred, deferred } from "../../../base/async/deferred.js";
import type { ByteStream, IncomingStream, MultiplexedConnection } from "../streams/byte-stream.js";
import { endConnection } from "../streams/closing.js";
import { GatedWriter } from "../streams/gated-writer.js";
import { receivedChunks } from "../streams/received-chunks.js";
import { ReceiveBudget } from "../streams/receive-budget.js";
import { INITIAL_WINDOW, OWN_WINDOW, Window, IncomingStreams, SpdyStream, type StreamCarrier } from "./spdy-stream.js";
import {
  type ControlFrame,
  type DataPiece,
  FrameReader,
  controlFrame,
  dataHead,
  FLAG_FIN,
  FLAG_UNIDIRECTIONAL,
  RESET,
  SETTING_INITIAL_WINDOW,
  synStream,
  TYPE,
} from "./frame-reader.js";
import { HeaderDecoder, HeaderEncoder, type Headers } from "./header-block.js";

export interface SpdyOptions {
  /** Clients open streams with odd numbers, servers with even ones. */
  readonly role: "client" | "server";
  /** Milliseconds between pings. Absent: none are sent. */
  readonly pingPeriod?: number;
  /**
   * Asks the peer for flow control, so that a stream that nobody reads holds back no other. An end answers it alike; a peer of
   * Kubernetes' own has none, and all streams wait for the one.
   */
  readonly flowControl?: boolean;
}

/** How long the peer may take to accept a stream. */
const OPENING_MS = 30_000;
/** Streams that a peer may have open. */
const MOST_STREAMS = 4096;
/** The connection reads no more while more than this is not sent: a peer that sends pings and reads no answers. */
const MOST_UNSENT_BYTES = 8 * 1024 * 1024;

/** Speaks SPDY/3.1 over a duplex, as spdystream, the library of Kubernetes' programs, does. It takes over the duplex. */
export function spdyConnection(duplex: Duplex, options: SpdyOptions): MultiplexedConnection {
  return new SpdyConnection(duplex, options);
}

class SpdyConnection implements MultiplexedConnection, StreamCarrier {
  readonly closed: Promise<void>;
  readonly #incoming = new IncomingStreams();
  readonly #writer: GatedWriter;
  readonly #encoder = new HeaderEncoder();
  readonly #decoder = new HeaderDecoder();
  readonly #streams = new Map<number, SpdyStream>();
  readonly #opening = new Map<number, Deferred<void>>();
  readonly #window = new Window();
  readonly #budget = new ReceiveBudget();
  readonly #role: SpdyOptions["role"];
  #fault: Error | undefined;
  #closing = false;
  #nextId: number;
  #lastReceived = 0;
  #pingId: number;
  /** Whether the peer has flow control, and whether this end has said that it has. */
  #flowControl = false;
  #offered = false;
  #initialWindow = INITIAL_WINDOW;

  constructor(
    private readonly duplex: Duplex,
    { role, pingPeriod, flowControl = false }: SpdyOptions,
  ) {
    this.#role = role;
    this.#nextId = role === "client" ? 1 : 2;
    this.#pingId = this.#nextId;
    this.#writer = new GatedWriter(duplex);
    duplex.on("error", (error: Error) => this.#broke(error));
    if (flowControl) this.#offerWindows();
    const pings = pingPeriod === undefined ? undefined : setInterval(() => this.#ping(), pingPeriod).unref();
    const ended = new Promise<void>((resolve) => {
      if (duplex.closed) resolve();
      else duplex.once("close", resolve);
    }).then(() => {
      clearInterval(pings);
      // What has arrived is still read.
      this.#budget.close();
    });
    this.closed = Promise.all([this.#serve(), ended]).then(() => this.#over());
  }

  get incoming(): AsyncIterable<IncomingStream> {
    return this.#incoming;
  }

  get fault(): Error | undefined {
    return this.#fault;
  }

  async open(headers: Headers): Promise<ByteStream> {
    if (this.#closing || this.duplex.destroyed) throw this.#fault ?? new Error("the connection is closed");
    const id = this.#nextId;
    if (id > 0x7fffffff) throw new Error("Unable to get new stream id");
    this.#nextId += 2;
    const stream = new SpdyStream(id, headers, this);
    this.#streams.set(id, stream);
    const reply = deferred<void>();
    this.#opening.set(id, reply);
    this.#control(synStream(id, this.#encoder.encode(headers)));
    const timer = setTimeout(() => reply.reject(new Error("Timeout occurred")), OPENING_MS);
    try {
      await reply.promise;
    } catch (error) {
      stream.destroy();
      throw error;
    } finally {
      clearTimeout(timer);
      this.#opening.delete(id);
    }
    return stream;
  }

  close(): Promise<void> {
    if (!this.#closing) {
      this.#closing = true;
      for (const stream of this.#streams.values()) stream.destroy();
      // What still comes is dropped, and waits for no reader.
      this.#budget.close();
      this.#control(controlFrame(TYPE.goAway, 0, this.#lastReceived, 0));
      endConnection(this.duplex, this.#role);
    }
    return this.closed;
  }

  async sendData(stream: SpdyStream, data: Uint8Array, fin: boolean): Promise<void> {
    stream.window.send(data.length);
    this.#window.send(data.length);
    await this.#writer.write([dataHead(stream.id, data.length, fin), data]);
  }

  sendReset(stream: SpdyStream): void {
    this.#reset(stream.id, RESET.cancel);
  }

  async grant(stream: SpdyStream, wanted: number): Promise<number> {
    while (this.#flowControl && !stream.finished) {
      const available = Math.min(stream.window.available(this.#initialWindow), this.#window.available(INITIAL_WINDOW));
      if (available > 0) return Math.min(available, wanted);
      await Promise.race([stream.window.changed(), this.#window.changed()]);
    }
    return wanted;
  }

  taken(stream: SpdyStream, bytes: number, chunks: number): void {
    this.#budget.take(bytes, chunks);
    this.#giveBack(stream, bytes);
  }

  forget(stream: SpdyStream): void {
    this.#streams.delete(stream.id);
  }

  /** Reads frames until the connection ends, one after the other: the header blocks of a direction are one zlib stream. */
  async #serve(): Promise<void> {
    const reader = new FrameReader();
    try {
      for await (const chunk of receivedChunks(this.duplex)) {
        for (const frame of reader.read(chunk)) {
          if (frame.kind === "data") this.#data(frame);
          else if ((await this.#receive(frame)) === "gone") return;
        }
        if (this.#writer.buffered > MOST_UNSENT_BYTES) await this.#writer.drained();
        if (!this.#budget.hasRoom) await this.#budget.room();
      }
      this.#broke(new Error("unexpected EOF"));
    } catch (error) {
      this.#broke(error);
    } finally {
      this.duplex.destroy();
    }
  }

  #data({ streamId, fin, data }: DataPiece): void {
    const stream = this.#streams.get(streamId);
    if (stream === undefined) {
      // What was under way when the stream ended. The peer's window of the connection counts it.
      this.#giveBack(undefined, data.length);
      return;
    }
    if (stream.receive(data)) this.#budget.add(data.length);
    else this.#giveBack(stream, data.length);
    if (fin) stream.finishReading();
  }

  async #receive({ type, flags, payload }: ControlFrame): Promise<"gone" | undefined> {
    const number = (at: number): number => {
      if (payload.length < at + 4) throw new Error("spdy: the control frame is too short");
      return payload.readUInt32BE(at);
    };
    const id = type === TYPE.settings ? 0 : number(0) & 0x7fffffff;
    switch (type) {
      case TYPE.synStream:
        number(6);
        this.#opened(id, flags, await this.#decoder.decode(payload.subarray(10)));
        break;
      case TYPE.synReply:
        await this.#decoder.decode(payload.subarray(4));
        this.#opening.get(id)?.resolve();
        if ((flags & FLAG_FIN) !== 0) this.#streams.get(id)?.finishReading();
        break;
      case TYPE.headers:
        await this.#decoder.decode(payload.subarray(4));
        if ((flags & FLAG_FIN) !== 0) this.#streams.get(id)?.finishReading();
        break;
      case TYPE.rstStream:
        this.#opening.get(id)?.reject(new Error("Stream reset"));
        this.#streams.get(id)?.abort(new Error("Stream reset"));
        break;
      case TYPE.ping:
        // The other parity is the answer to a ping of this end.
        if (number(0) % 2 !== this.#pingId % 2) this.#control(controlFrame(TYPE.ping, 0, number(0)));
        break;
      case TYPE.settings:
        this.#flowControl = true;
        this.#offerWindows();
        // The peer sends no more than these windows allow.
        this.#budget.enlarge(OWN_WINDOW.connection);
        for (let at = 4; at < 4 + number(0) * 8; at += 8) this.#set(number(at) & 0xffffff, number(at + 4));
        break;
      case TYPE.windowUpdate:
        this.#enlarge(id, number(4) & 0x7fffffff);
        break;
      case TYPE.goAway:
        this.#closing = true;
        for (const stream of this.#streams.values()) stream.abort(new Error("the connection is closed"));
        return "gone";
      default:
    }
    return undefined;
  }

  #opened(id: number, flags: number, headers: Headers): void {
    if (id % 2 === this.#nextId % 2 || id <= this.#lastReceived) return this.#reset(id, RESET.protocolError);
    this.#lastReceived = id;
    if (this.#streams.size >= MOST_STREAMS || this.#incoming.waiting >= MOST_STREAMS || this.#closing) {
      return this.#reset(id, RESET.refusedStream);
    }
    const stream = new SpdyStream(id, headers, this);
    this.#streams.set(id, stream);
    if ((flags & FLAG_FIN) !== 0) stream.finishReading();
    this.#incoming.push({
      headers,
      accept: () => {
        this.#control(controlFrame(TYPE.synReply, 0, id, this.#encoder.encode({})));
        if ((flags & FLAG_UNIDIRECTIONAL) !== 0) void stream.end();
        return stream;
      },
      refuse: () => {
        stream.abort(new Error("Stream reset"));
        this.#reset(id, RESET.refusedStream);
      },
    });
  }

  #offerWindows(): void {
    if (this.#offered) return;
    this.#offered = true;
    this.#control(controlFrame(TYPE.settings, 0, 1, SETTING_INITIAL_WINDOW, OWN_WINDOW.stream));
    this.#control(controlFrame(TYPE.windowUpdate, 0, 0, OWN_WINDOW.connection - INITIAL_WINDOW));
  }

  #set(setting: number, value: number): void {
    if (setting !== SETTING_INITIAL_WINDOW) return;
    this.#initialWindow = value & 0x7fffffff;
    for (const stream of this.#streams.values()) stream.window.wake();
  }

  #enlarge(id: number, bytes: number): void {
    this.#flowControl = true;
    if (id === 0) {
      if (!this.#window.grant(bytes, INITIAL_WINDOW)) throw new Error("spdy: the window is too large");
      return;
    }
    const stream = this.#streams.get(id);
    if (stream?.window.grant(bytes, this.#initialWindow) === false) {
      stream.abort(new Error("Stream reset"));
      this.#reset(id, RESET.flowControlError);
    }
  }

  /** Enlarges the windows of a peer that has flow control, as readers take its bytes. */
  #giveBack(stream: SpdyStream | undefined, bytes: number): void {
    for (const [id, window] of [
      [0, this.#window],
      [stream?.id ?? 0, stream?.window],
    ] as const) {
      const back = window?.take(bytes) ?? 0;
      if (back > 0 && this.#flowControl) this.#control(controlFrame(TYPE.windowUpdate, 0, id, back));
    }
  }

  #ping(): void {
    this.#control(controlFrame(TYPE.ping, 0, this.#pingId));
    this.#pingId = this.#pingId > 0x7ffffffd ? this.#pingId % 2 || 2 : this.#pingId + 2;
  }

  #reset(id: number, status: number): void {
    this.#control(controlFrame(TYPE.rstStream, 0, id, status));
  }

  /** Control frames do not wait; `#serve` bounds how many are not sent. */
  #control(frame: Buffer): void {
    this.#writer.write([frame]).catch(() => {});
  }

  /** Errors of a connection that is being closed are no faults. */
  #broke(error: unknown): void {
    if (this.#closing) return;
    this.#fault ??= error instanceof Error ? error : new Error(String(error));
  }

  #over(): void {
    this.#decoder.close();
    this.#incoming.end();
    const reason = this.#fault ?? new Error("the connection is closed");
    for (const reply of this.#opening.values()) reply.reject(reason);
    // A stream that did not end before its connection is broken, whichever end closed that.
    for (const stream of this.#streams.values()) stream.abort(reason, this.#fault ?? new Error("unexpected EOF"));
    this.#window.wake();
  }
}
