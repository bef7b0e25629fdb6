/** The window of a stream and of the connection until a peer says otherwise. */
export const INITIAL_WINDOW = 64 * 1024;

/** The windows that an end with flow control gives its peer, of each stream and of the connection: several streams that nobody reads hold back no other. */
export const OWN_WINDOW = { stream: 4 * 1024 * 1024, connection: 16 * 1024 * 1024 } as const;

/** Bytes that the reader has taken before the peer gets them back as window. */
const UPDATE_BYTES = INITIAL_WINDOW / 2;

/**
 * The window of one stream, or of the connection, towards a peer with flow control. Kubernetes' peers have none: they never send
 * WINDOW_UPDATE or SETTINGS, and drop both. A peer that sends one of them has; until then windows are only counted.
 */
export class Window {
  #sent = 0;
  #granted = 0;
  #taken = 0;
  #waiting: (() => void)[] = [];

  /** Bytes that may be sent. */
  available(initial: number): number {
    return initial + this.#granted - this.#sent;
  }

  send(bytes: number): void {
    this.#sent += bytes;
  }

  /** The peer has enlarged the window. False when it is larger than the protocol allows. */
  grant(bytes: number, initial: number): boolean {
    this.#granted += bytes;
    this.wake();
    return this.available(initial) < 2 ** 31;
  }

  /** Resolves when the window may have changed. */
  changed(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  wake(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }

  /** Counts what the reader took. Returns the bytes to give back to the peer now: 0 for none. */
  take(bytes: number): number {
    this.#taken += bytes;
    if (this.#taken < UPDATE_BYTES) return 0;
    const back = this.#taken;
    this.#taken = 0;
    return back;
  }
}
