import type { Clock } from "../../../base/time/clock.js";
import type { Timers } from "../../../base/time/timers.js";
import type { RecordedEvent } from "../recorded-event.js";
import type { AuditBackend, ReportLost } from "./audit-backend.js";

export interface BatchLimits {
  /** How many events wait at most; more are lost. */
  readonly bufferSize: number;
  readonly maxSize: number;
  /** How long the first event of a batch waits for others, in milliseconds. */
  readonly maxWait: number;
  /** How many batches are sent a second on average and at the same moment; undefined for no limit. */
  readonly throttle: { readonly qps: number; readonly burst: number } | undefined;
  /** How many batches are under way at once. A batch beyond them waits in the buffer. */
  readonly concurrency: number;
}

interface BatchSurroundings {
  readonly clock: Clock;
  readonly timers: Timers;
  readonly lost: ReportLost;
}

/** The mode "batch": requests never wait. Events that the backend cannot take in time are lost and counted. */
export class BatchingBackend implements AuditBackend {
  readonly #waiting: RecordedEvent[] = [];
  readonly #underWay = new Set<Promise<unknown>>();
  readonly #bucket: TokenBucket | undefined;
  #cancelTimer: (() => void) | undefined;
  /** Whether the batch that begins is sent although it is not full. */
  #isDue = false;
  #isClosed = false;

  constructor(
    private readonly backend: AuditBackend,
    private readonly limits: BatchLimits,
    private readonly surroundings: BatchSurroundings,
  ) {
    this.#bucket = limits.throttle && new TokenBucket(limits.throttle, surroundings.clock);
  }

  process(events: readonly RecordedEvent[]): boolean {
    const room = this.#isClosed ? 0 : this.limits.bufferSize - this.#waiting.length;
    this.#waiting.push(...events.slice(0, room));
    if (room < events.length) {
      const reason = this.#isClosed ? "audit backend shut down" : "audit buffer queue blocked";
      this.surroundings.lost("buffered", new Error(reason), events.slice(room));
    }
    this.#send();
    return true;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancelTimer?.();
    while (this.#waiting.length > 0 || this.#underWay.size > 0) {
      while (this.#waiting.length > 0 && this.#underWay.size < this.limits.concurrency) this.#start();
      await Promise.race(this.#underWay);
    }
    await this.backend.close();
  }

  /** Starts the batches that are full or whose time has come, and a timer for what remains. */
  #send(): void {
    const { maxSize, maxWait, concurrency } = this.limits;
    while (!this.#isClosed && this.#waiting.length > 0 && this.#underWay.size < concurrency) {
      if (this.#waiting.length < maxSize && !this.#isDue) {
        if (maxWait > 0) return this.#wakeIn(maxWait, () => (this.#isDue = true));
        this.#isDue = true;
      }
      const pause = this.#bucket?.take() ?? 0;
      if (pause > 0) return this.#wakeIn(pause, () => {});
      this.#start();
    }
  }

  #wakeIn(milliseconds: number, onWake: () => void): void {
    this.#cancelTimer ??= this.surroundings.timers.start(milliseconds, () => {
      this.#cancelTimer = undefined;
      onWake();
      this.#send();
    });
  }

  #start(): void {
    const sent = this.backend.process(this.#waiting.splice(0, this.limits.maxSize));
    this.#isDue = false;
    if (!(sent instanceof Promise)) return;
    const running = sent.then(() => {
      this.#underWay.delete(running);
      this.#send();
    });
    this.#underWay.add(running);
  }
}

/** Allows `burst` takes at once and `qps` a second on average. */
class TokenBucket {
  #tokens: number;
  #since: number;

  constructor(
    private readonly rate: { readonly qps: number; readonly burst: number },
    private readonly clock: Clock,
  ) {
    this.#tokens = rate.burst;
    this.#since = clock.now();
  }

  /** Takes a token and returns 0, or returns in how many milliseconds there is one. */
  take(): number {
    const { qps, burst } = this.rate;
    const now = this.clock.now();
    this.#tokens = Math.min(burst, this.#tokens + (Math.max(0, now - this.#since) * qps) / 1000);
    this.#since = now;
    if (this.#tokens < 1) return Math.ceil(((1 - this.#tokens) * 1000) / qps);
    this.#tokens -= 1;
    return 0;
  }
}
