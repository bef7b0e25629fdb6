import type { Duplex } from "node:stream";
import type { Random } from "../../../base/numbers/random.js";
import { endConnection } from "../streams/closing.js";
import { GatedWriter } from "../streams/gated-writer.js";
import { receivedChunks } from "../streams/received-chunks.js";
import { CLOSE, mayBeReceived, WebSocketCloseError, WebSocketProtocolError } from "./close-error.js";
import { FrameReader, type MessagePiece } from "./frame-reader.js";
import { encodeFrame, encodeMaskedFrame, OPCODE } from "./frames.js";

/** The longest frame whose memory is used again: a full message of a remote command or a tunnel, and its head. */
const LARGEST_FRAME = 64 * 1024 + 64;
/** Frames of this length or more are worth it. */
const SMALLEST_FRAME = 4096;
/** What is sent at once by a writer that waits while 128 KiB are buffered. */
const MOST_SPARE = 8;

/**
 * Memory for the masked frames of one connection, used again once a frame is sent. Without it each byte that a client sends would be
 * garbage outside of V8's heap, which V8 collects only when there are tens of megabytes of it.
 */
class FrameMemory {
  readonly #spare: Buffer[] = [];

  allocate(length: number): Buffer {
    if (length < SMALLEST_FRAME || length > LARGEST_FRAME) return Buffer.allocUnsafe(length);
    const memory = this.#spare.pop() ?? Buffer.allocUnsafeSlow(LARGEST_FRAME);
    return memory.subarray(0, length);
  }

  /** The frame is sent: its bytes are needed no more. */
  release(frame: Buffer): void {
    if (frame.buffer.byteLength !== LARGEST_FRAME || this.#spare.length >= MOST_SPARE) return;
    this.#spare.push(Buffer.from(frame.buffer));
  }
}

export interface WebSocketOptions {
  /** A client masks its frames with keys of its source of randomness. */
  readonly role: { readonly client: Random } | "server";
  /** Sends pings, and breaks the connection when it is being read and no byte has come for `deadline` milliseconds. */
  readonly heartbeat?: { readonly period: number; readonly deadline: number };
}

/** Pings are not answered while more than this is not sent: a peer that sends them and reads no answers. */
const MOST_UNSENT_BYTES = 8 * 1024 * 1024;

/**
 * A WebSocket over a connection after the handshake. While {@link pieces} is iterated, it reads and answers pings; otherwise it
 * holds back the peer. It takes over the duplex.
 */
export class WebSocket {
  /** Resolves when the connection is over; never rejects. */
  readonly closed: Promise<void>;
  readonly #writer: GatedWriter;
  readonly #role: "client" | "server";
  readonly #random: Random | undefined;
  readonly #memory = new FrameMemory();
  #fault: Error | undefined;
  #closing = false;
  /** Milliseconds since the peer was last heard while it was listened to. */
  #silence = 0;
  #reading = false;

  constructor(
    private readonly duplex: Duplex,
    { role, heartbeat }: WebSocketOptions,
  ) {
    this.#role = role === "server" ? "server" : "client";
    this.#random = role === "server" ? undefined : role.client;
    this.#writer = new GatedWriter(duplex);
    duplex.on("error", (error: Error) => this.#broke(error));
    this.closed = new Promise((resolve) => {
      if (duplex.closed) resolve();
      else duplex.once("close", () => resolve());
    });
    if (heartbeat !== undefined) {
      const timer = setInterval(() => this.#beat(heartbeat), heartbeat.period).unref();
      void this.closed.then(() => clearInterval(timer));
    }
  }

  /** Why the connection broke; undefined after a close frame with code 1000. */
  get fault(): Error | undefined {
    return this.#fault;
  }

  /**
   * Sends a message. Resolves when more may be sent: await it. Rejects when the connection is over. The parts may not change afterwards.
   */
  send(parts: readonly Uint8Array[], as: "text" | "binary" = "binary"): Promise<void> {
    if (this.#closing) return Promise.reject(this.#fault ?? new Error("the connection is closed"));
    return this.#frame(as === "text" ? OPCODE.text : OPCODE.binary, parts);
  }

  /** Sends a close frame and resolves when the connection is over. */
  close(code: number = CLOSE.normal, reason = ""): Promise<void> {
    if (!this.#closing) {
      this.#sayClosed(code, reason);
      endConnection(this.duplex, this.#role);
    }
    return this.closed;
  }

  /** Ends the connection at once. */
  destroy(): void {
    this.#closing = true;
    this.duplex.destroy();
  }

  /**
   * The messages of the peer, in pieces. Iterate it once. Ends after a close frame with code 1000, and throws a WebSocketCloseError, a
   * WebSocketProtocolError, or what broke the connection otherwise.
   */
  async *pieces(): AsyncGenerator<MessagePiece, void, void> {
    const reader = new FrameReader(this.#random === undefined);
    let closed = false;
    try {
      this.#reading = true;
      for await (const chunk of receivedChunks(this.duplex)) {
        this.#reading = false;
        this.#silence = 0;
        for (const frame of reader.read(chunk)) {
          if (frame.kind === "message") yield frame;
          else if (this.#control(frame.opcode, frame.payload) === "closed") closed = true;
          if (closed) break;
        }
        if (closed) break;
        if (this.#writer.buffered > MOST_UNSENT_BYTES) await this.#writer.drained();
        this.#reading = true;
      }
      if (!closed) this.#broke(new WebSocketCloseError(CLOSE.abnormal, "unexpected EOF"));
    } catch (error) {
      this.#broke(error);
      if (error instanceof WebSocketProtocolError) this.#sayClosed(CLOSE.protocolError, error.reason);
    } finally {
      this.#closing = true;
      endConnection(this.duplex, this.#role);
    }
    if (this.#fault !== undefined) throw this.#fault;
  }

  #control(opcode: number, payload: Buffer): "closed" | undefined {
    if (opcode === OPCODE.ping && !this.#closing) this.#frame(OPCODE.pong, [Buffer.from(payload)]).catch(() => {});
    if (opcode !== OPCODE.close) return undefined;
    const code = payload.length < 2 ? CLOSE.noStatus : payload.readUInt16BE(0);
    if (payload.length >= 2 && !mayBeReceived(code)) throw new WebSocketProtocolError(`bad close code ${code}`);
    // Many clients end without a code; for Kubernetes' clients a server that does so has failed.
    const orderly = code === CLOSE.normal || (code === CLOSE.noStatus && this.#random === undefined);
    if (!orderly) this.#broke(new WebSocketCloseError(code, payload.toString("utf8", 2)));
    this.#sayClosed(code, "");
    return "closed";
  }

  /** A close frame without a code is answered by one without. */
  #sayClosed(code: number, reason: string): void {
    if (this.#closing) return;
    this.#closing = true;
    const payload = Buffer.alloc(code === CLOSE.noStatus ? 0 : 2 + Buffer.byteLength(reason));
    if (payload.length > 0) {
      payload.writeUInt16BE(code, 0);
      payload.write(reason, 2);
    }
    this.#frame(OPCODE.close, [payload]).catch(() => {});
  }

  #beat({ period, deadline }: { readonly period: number; readonly deadline: number }): void {
    if (this.#reading) this.#silence += period;
    // Looks come once a period: the one before the deadline finds it.
    if (this.#silence + period > deadline) {
      this.#broke(new Error("i/o timeout"));
      this.duplex.destroy();
    } else if (!this.#closing) {
      this.#frame(OPCODE.ping, []).catch(() => {});
    }
  }

  #frame(opcode: number, parts: readonly Uint8Array[]): Promise<void> {
    const key = this.#random?.bytes(4);
    if (key === undefined) return this.#writer.write(encodeFrame(opcode, parts));
    const frame = encodeMaskedFrame(opcode, parts, key, (length) => this.#memory.allocate(length));
    return this.#writer.write([frame], () => this.#memory.release(frame));
  }

  /** What ends a connection that is being closed is no fault. */
  #broke(error: unknown): void {
    if (this.#closing) return;
    this.#fault ??= error instanceof Error ? error : new Error(String(error));
  }
}
