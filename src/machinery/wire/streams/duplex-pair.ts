import { Duplex } from "node:stream";

/** The two ends of a connection in memory: each reads what the other writes. Destroying one destroys the other. */
export function duplexPair(): readonly [Duplex, Duplex] {
  const one = new End();
  const other = new End();
  one.connect(other);
  other.connect(one);
  return [one, other];
}

class End extends Duplex {
  #other: End | undefined;
  /** Continues the other's write. */
  #taken: (() => void) | undefined;

  constructor() {
    super({ allowHalfOpen: true, highWaterMark: 64 * 1024 });
  }

  connect(other: End): void {
    this.#other = other;
    // An error shows in the streams of whoever reads or writes, and need not end the process.
    this.on("error", () => undefined);
  }

  override _read(): void {
    const taken = this.#taken;
    this.#taken = undefined;
    taken?.();
  }

  override _write(chunk: Uint8Array, _encoding: string, done: () => void): void {
    const other = this.#other;
    if (other === undefined || other.destroyed) return done();
    // A copy: neither side can change what the other holds.
    if (other.push(Buffer.from(chunk))) done();
    else other.#taken = done;
  }

  override _final(done: () => void): void {
    this.#other?.push(null);
    done();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    const other = this.#other;
    this.#other = undefined;
    this.#taken?.();
    // After what was sent before it: the other reads its end first.
    if (other !== undefined && !other.destroyed) {
      if (other.readableEnded) other.destroy();
      else {
        if (!this.writableFinished) other.push(null);
        other.once("end", () => other.destroy());
      }
    }
    done(error);
  }
}
