import type { Timers } from "../../../base/time/timers.js";
import type { Kv } from "../kv.js";

/**
 * Removes the history of an etcd that is older than an interval, as kube-apiserver does. Several servers may do so on one etcd: each removes
 * what was there an interval ago.
 */
export class Compactor {
  #cancel: (() => void) | undefined;
  #revision: number | undefined;

  /** `interval` is in milliseconds. */
  constructor(
    private readonly kv: Pick<Kv, "compact" | "currentRevision">,
    private readonly timers: Timers,
    private readonly interval: number,
  ) {
    this.#wait();
  }

  stop(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }

  #wait(): void {
    this.#cancel = this.timers.start(this.interval, () => {
      const stopped = (): boolean => this.#cancel === undefined;
      // An etcd that does not answer keeps its history until the next time.
      void this.#compact()
        .catch(() => {})
        .then(() => stopped() || this.#wait());
    });
  }

  async #compact(): Promise<void> {
    const before = this.#revision;
    this.#revision = await this.kv.currentRevision();
    if (before !== undefined) await this.kv.compact(before);
  }
}
