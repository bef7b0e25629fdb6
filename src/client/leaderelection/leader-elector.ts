import { hostname } from "node:os";
import { pause } from "../../base/time/pause.js";
import { randomBelow } from "../../base/numbers/random-below.js";
import { withTimeLimit } from "../../base/time/time-limit.js";
import { uuid } from "../../base/numbers/uuid.js";
import { isAlreadyExists, isConflict } from "../../machinery/errors/status-error.js";
import type { ApiObject } from "../../machinery/meta/object.js";
import { formatMicroTime } from "../../machinery/meta/time.js";
import { dns1123LabelErrors, dns1123SubdomainErrors } from "../../machinery/validation/names.js";
import type { KubernetesClient } from "../dynamic/kubernetes-client.js";
import { type Surroundings, surroundingsOf } from "../surroundings.js";
import { type LeaderElectionRecord, LEASES, type Lease, LeaseLock } from "./lease-lock.js";
import { LeadershipLostError, type Elapsed, LeadershipTerm } from "./leadership-term.js";

/** Records that a candidate became the leader or stopped leading. An EventRecorder is one. */
export interface ElectionEvents {
  event(object: ApiObject, type: "Normal", reason: "LeaderElection", message: string): void;
}

export interface LeaderElectorOptions extends Partial<Pick<Surroundings, "clock" | "random" | "timers" | "stopwatch">> {
  readonly client: Pick<KubernetesClient, "resource">;
  /** The Lease that candidates compete for. The first candidate creates it. The namespace must exist. */
  readonly lease: { readonly namespace: string; readonly name: string };
  /** The candidate's name in the Lease. No two candidates that run at the same time may share one. Default: "<hostname>_<uuid>". */
  readonly identity?: string;
  /**
   * How long other candidates wait, without seeing a renewal, before they take over; milliseconds, default 15,000. The Lease
   * holds it in whole seconds, rounded up.
   */
  readonly leaseDuration?: number;
  /** How long the leader leads without a renewal; milliseconds, default 10,000. Less than `leaseDuration`. */
  readonly renewDeadline?: number;
  /**
   * The pause between two renewals, and between two attempts to become the leader (of other candidates 1 to 2.2 times as
   * long, at random); milliseconds, default 2,000.
   */
  readonly retryPeriod?: number;
  /** Gives the Lease up when the leader stops, so that another candidate leads within a retry period. Default true. */
  readonly releaseOnCancel?: boolean;
  /**
   * The leader's work; called once in a run, when the process became the leader. `signal` aborts when it must stop. The
   * promise resolves when nothing of the work runs any more: until then a leader that is stopped keeps the Lease. Work that
   * ends by itself does not end the leadership. Work that throws does.
   */
  readonly onStartedLeading: (signal: AbortSignal) => Promise<void> | void;
  /** Called once after onStartedLeading, when the process is no longer the leader, before the Lease is given up. */
  readonly onStoppedLeading?: () => void;
  /** Called when another identity leads than before, the first one and the candidate's own too. */
  readonly onNewLeader?: (identity: string) => void;
  /** Called with errors of requests, which are tried again, and of callbacks. Default: ignores them. */
  readonly onError?: (error: unknown) => void;
  /** Records "<identity> became leader" and "<identity> stopped leading" as Events of the Lease. */
  readonly events?: ElectionEvents;
}

type Settings = Required<Pick<LeaderElectorOptions, "leaseDuration" | "renewDeadline" | "retryPeriod">>;

const JITTER_FACTOR = 1.2;
/** How many steps a random pause has. */
const JITTER_STEPS = 2 ** 20;

/**
 * Takes part in the election of one leader among processes, as client-go's LeaderElector does, with the same Lease: candidates
 * of both can compete.
 *
 * At most one candidate leads. The leader counts its deadline from before it sent the renewal that succeeded last, and stops
 * at `renewDeadline`. Another candidate counts `leaseDuration`, which is longer, from when it saw that renewal. Neither compares
 * times of the Lease with its clock, so clocks may differ and jump; it is enough that the leader's time is less than
 * leaseDuration / renewDeadline slower than that of others. The leader also stops when its clock jumps ahead by the deadline,
 * because some systems stop all other clocks while they sleep. Deleting or editing the Lease by hand voids the guarantee.
 *
 * A process that was stopped (SIGSTOP, a suspended machine, a blocked event loop) runs on where it was, and its timers fire in
 * any order. So ask isLeader() before each act that only the leader may do: it measures at the time of the call. A request that
 * was sent before the stop can still arrive after it; where that matters, make it conditional on a resourceVersion.
 */
export class LeaderElector {
  readonly identity: string;
  readonly #settings: Settings;
  readonly #surroundings: Pick<Surroundings, "clock" | "random" | "timers">;
  readonly #lock: LeaseLock;
  /** Milliseconds of a clock that never jumps. */
  readonly #monotonic: Elapsed;
  #running = false;
  #term: LeadershipTerm | undefined;
  /** What the Lease held when it was last read or written. */
  #observed: LeaderElectionRecord | undefined;
  #observedVersion = "";
  /** When the record was first seen, by #monotonic. */
  #observedAt = 0;
  #reportedLeader = "";
  /** A write was sent and not answered: the Lease may name this candidate. */
  #isWriteUnanswered = false;
  #lastError: unknown;
  /** Ends the pause of a candidate between two attempts. */
  #attemptNow = (): void => {};
  #microseconds = 0;

  /** Throws for options that cannot be right; for durations, client-go's errors. */
  constructor(private readonly options: LeaderElectorOptions) {
    const { leaseDuration = 15_000, renewDeadline = 10_000, retryPeriod = 2_000, lease } = options;
    this.#settings = { leaseDuration, renewDeadline, retryPeriod };
    checkElectionDurations(this.#settings);
    requireName("namespace", lease.namespace, dns1123LabelErrors(lease.namespace));
    requireName("name", lease.name, dns1123SubdomainErrors(lease.name));
    this.#surroundings = surroundingsOf(options);
    this.identity = options.identity ?? `${hostname()}_${uuid(this.#surroundings.random)}`;
    if (this.identity === "") throw new Error("Lock identity is empty");
    const leases = options.client.resource<Lease>(LEASES).namespace(lease.namespace);
    this.#lock = new LeaseLock(leases, lease.namespace, lease.name);
    this.#monotonic = surroundingsOf(options).stopwatch();
  }

  /**
   * True while this process is the leader, measured now. Once it was false, the signal of onStartedLeading has aborted. It
   * stays true between the abort of a leader whose signal aborts and the end of its work.
   */
  isLeader(): boolean {
    return this.#term?.isValid() === true;
  }

  /** The identity that led when the Lease was last read; "" when none is known. For information only. */
  get leader(): string {
    return this.#observed?.holderIdentity ?? "";
  }

  /** What the Lease held when it was last read or written; undefined before. For information only. */
  get record(): LeaderElectionRecord | undefined {
    return this.#observed;
  }

  /**
   * Ends the pause of a candidate before its next attempt, for one who has seen that the Lease was given up. Without effect while this
   * process leads.
   */
  attempt(): void {
    this.#attemptNow();
  }

  /**
   * Competes until this process leads, and leads until `signal` aborts. Then resolves when onStartedLeading has ended and the
   * Lease is given up. Rejects with a LeadershipLostError as soon as the leadership is lost, without waiting for
   * onStartedLeading: a process that cannot be sure that its work has stopped should exit. Rejects with the error of
   * onStartedLeading when that throws. Failed requests are tried again, whatever the reason. Keeps the process alive. After it
   * has ended it may be called again.
   */
  async run(signal: AbortSignal): Promise<void> {
    if (this.#running) throw new Error(`the elector of lease ${this.#lock.description} is already running`);
    this.#running = true;
    try {
      await this.#compete(signal);
    } finally {
      this.#running = false;
    }
  }

  async #compete(signal: AbortSignal): Promise<void> {
    const since = await this.#acquire(signal);
    if (since !== undefined && !signal.aborted) await this.#lead(since, signal);
    else if (since !== undefined || this.#isWriteUnanswered) await this.#release();
  }

  /** Resolves with the time since the winning request was sent; undefined when the signal aborted. */
  async #acquire(signal: AbortSignal): Promise<Elapsed | undefined> {
    const { retryPeriod, renewDeadline } = this.#settings;
    const { random } = this.#surroundings;
    while (!signal.aborted) {
      const since = await this.#attempt(signal);
      // An answer that took too long says nothing about now: the next attempt finds this candidate in the Lease.
      if (since !== undefined && since() < renewDeadline) return since;
      const jitter = (JITTER_FACTOR * randomBelow(random, JITTER_STEPS)) / JITTER_STEPS;
      await this.#pauseBeforeAttempt(retryPeriod * (1 + jitter), signal);
    }
    return undefined;
  }

  async #pauseBeforeAttempt(milliseconds: number, signal: AbortSignal): Promise<void> {
    const next = new AbortController();
    const end = (): void => next.abort();
    this.#attemptNow = end;
    signal.addEventListener("abort", end, { once: true });
    if (signal.aborted) end();
    await pause(this.#surroundings.timers, milliseconds, next.signal);
    signal.removeEventListener("abort", end);
  }

  async #lead(since: Elapsed, signal: AbortSignal): Promise<void> {
    const { onStoppedLeading } = this.options;
    const term = new LeadershipTerm({
      since,
      renewDeadline: this.#settings.renewDeadline,
      timers: this.#surroundings.timers,
      expired: () => this.#lost(`was not renewed within ${this.#settings.renewDeadline} ms`),
    });
    this.#term = term;
    this.#recordEvent("became leader");
    const finished = this.#work(term);
    const stop = () => {
      term.stopWork(signal.reason);
      void finished.then(() => term.end({ kind: "stopped" }));
    };
    signal.addEventListener("abort", stop, { once: true });
    if (signal.aborted) stop();
    try {
      await this.#renew(term);
    } catch (error) {
      // A callback threw that reports errors.
      term.end({ kind: "failed", error });
    }
    signal.removeEventListener("abort", stop);
    if (onStoppedLeading !== undefined) this.#guarded(onStoppedLeading);
    this.#recordEvent("stopped leading");
    const { ending } = term;
    if (ending?.kind !== "lost") await this.#release();
    if (ending !== undefined && ending.kind !== "stopped") throw ending.error;
  }

  /** Resolves when onStartedLeading has ended. Its error ends the term, unless it only says that the signal has aborted. */
  async #work(term: LeadershipTerm): Promise<void> {
    try {
      await this.options.onStartedLeading(term.work);
    } catch (error) {
      if (term.work.aborted && isAbort(error, term.work)) return;
      if (term.over.aborted) this.#report(error);
      else term.end({ kind: "failed", error });
    }
  }

  /** Renews until the term is over. */
  async #renew(term: LeadershipTerm): Promise<void> {
    while (term.isValid()) {
      await pause(this.#surroundings.timers, this.#settings.retryPeriod, term.over);
      if (!term.isValid()) return;
      const since = await this.#attempt(term.over);
      if (since !== undefined) term.renewed(since);
    }
  }

  /**
   * Tries to become or to stay the leader. Resolves with the time since the successful request was sent; undefined when there
   * was none.
   */
  async #attempt(signal: AbortSignal): Promise<Elapsed | undefined> {
    // A request that hangs leaves time for another one.
    const limit = { timers: this.#surroundings.timers, milliseconds: this.#settings.renewDeadline / 2, signal };
    try {
      const since = await withTimeLimit(limit, (within) => this.#tryAcquireOrRenew(within));
      if (since !== undefined) this.#lastError = undefined;
      return since;
    } catch (error) {
      if (signal.aborted) return undefined;
      this.#lastError = error;
      this.#report(error);
      return undefined;
    } finally {
      this.#reportNewLeader();
    }
  }

  async #tryAcquireOrRenew(signal: AbortSignal): Promise<Elapsed | undefined> {
    const term = this.isLeader() ? this.#term : undefined;
    if (term !== undefined) {
      const renewed = await this.#renewUnread(signal);
      if (renewed !== undefined) return renewed;
    }
    const found = await this.#lock.get(signal);
    if (term?.isValid() === false) return undefined;
    if (found !== undefined) {
      this.#observe(found);
      if (term !== undefined && found.holderIdentity !== this.identity) {
        const holder = found.holderIdentity === "" ? "was given up" : `is held by ${found.holderIdentity}`;
        term.end({ kind: "lost", error: this.#lost(holder) });
        return undefined;
      }
    }
    // A holder whose Lease was deleted does not know yet.
    if (this.#isHeldByAnother()) return undefined;
    return this.#write(found, signal);
  }

  /** The leader's shortcut: it writes without reading first. Undefined when that did not succeed, for whatever reason. */
  async #renewUnread(signal: AbortSignal): Promise<Elapsed | undefined> {
    try {
      return await this.#write(this.#observed, signal);
    } catch {
      signal.throwIfAborted();
      return undefined;
    }
  }

  /** Writes this candidate into the Lease. Undefined when another candidate has written since `old` was read. */
  async #write(old: LeaderElectionRecord | undefined, signal: AbortSignal): Promise<Elapsed | undefined> {
    const record = this.#recordAfter(old);
    const since = this.#startMeasuring();
    this.#isWriteUnanswered = true;
    try {
      if (old === undefined) await this.#lock.create(record, signal);
      else await this.#lock.update(record, signal);
    } catch (error) {
      if (!isConflict(error) && !isAlreadyExists(error)) throw error;
      this.#isWriteUnanswered = false;
      return undefined;
    }
    this.#isWriteUnanswered = false;
    this.#observe(record);
    return since;
  }

  #recordAfter(old: LeaderElectionRecord | undefined): LeaderElectionRecord {
    const renewTime = this.#renewTimeAfter(old?.renewTime ?? "");
    const isRenewal = old?.holderIdentity === this.identity;
    return {
      holderIdentity: this.identity,
      // Rounded down, as client-go does, it could be less than the renewDeadline.
      leaseDurationSeconds: Math.ceil(this.#settings.leaseDuration / 1000),
      acquireTime: isRenewal && old.acquireTime !== "" ? old.acquireTime : renewTime,
      renewTime,
      leaderTransitions: old === undefined ? 0 : old.leaderTransitions + (isRenewal ? 0 : 1),
    };
  }

  /** Differs from the previous time even when the clock stands still: the server ignores a write that changes nothing. */
  #renewTimeAfter(previous: string): string {
    const now = this.#surroundings.clock.now();
    const standsStill = previous.slice(0, 23) === formatMicroTime(now).slice(0, 23);
    this.#microseconds = standsStill ? (this.#microseconds + 1) % 1000 : 0;
    return formatMicroTime(now, this.#microseconds);
  }

  /** Writes that no candidate holds the Lease, if this one does. */
  async #release(): Promise<void> {
    if (this.options.releaseOnCancel === false) return;
    const limit = { timers: this.#surroundings.timers, milliseconds: this.#settings.renewDeadline };
    try {
      await withTimeLimit(limit, async (signal) => {
        let isReleased = false;
        while (!isReleased) isReleased = await this.#tryRelease(signal);
      });
      this.#isWriteUnanswered = false;
    } catch (error) {
      this.#report(error);
    }
  }

  /** False when a renewal that was given up reached the server in between. */
  async #tryRelease(signal: AbortSignal): Promise<boolean> {
    const found = await this.#lock.get(signal);
    if (found?.holderIdentity !== this.identity) return true;
    const now = this.#renewTimeAfter(found.renewTime);
    const released = { ...found, holderIdentity: "", leaseDurationSeconds: 1, acquireTime: now, renewTime: now };
    try {
      await this.#lock.update(released, signal);
    } catch (error) {
      if (isConflict(error)) return false;
      throw error;
    }
    this.#observe(released);
    return true;
  }

  #observe(record: LeaderElectionRecord): void {
    this.#observed = record;
    if (this.#lock.version === this.#observedVersion) return;
    this.#observedVersion = this.#lock.version;
    this.#observedAt = this.#monotonic();
  }

  #isHeldByAnother(): boolean {
    const { holderIdentity = "", leaseDurationSeconds = 0 } = this.#observed ?? {};
    if (holderIdentity === "" || holderIdentity === this.identity) return false;
    const duration = leaseDurationSeconds > 0 ? leaseDurationSeconds * 1000 : this.#settings.leaseDuration;
    return this.#monotonic() - this.#observedAt < duration;
  }

  /** The larger of what both clocks say: one may stop while the machine sleeps, the other may be set back. */
  #startMeasuring(): Elapsed {
    const { clock } = this.#surroundings;
    const [monotonic, wall] = [this.#monotonic(), clock.now()];
    return () => Math.max(this.#monotonic() - monotonic, clock.now() - wall);
  }

  #lost(why: string): LeadershipLostError {
    return new LeadershipLostError(this.#lock.description, why, this.#lastError);
  }

  #reportNewLeader(): void {
    if (this.leader === this.#reportedLeader) return;
    const identity = this.leader;
    this.#reportedLeader = identity;
    if (identity !== "") this.#guarded(() => this.options.onNewLeader?.(identity));
  }

  #recordEvent(what: string): void {
    const { events } = this.options;
    this.#guarded(() => events?.event(this.#lock.reference, "Normal", "LeaderElection", `${this.identity} ${what}`));
  }

  #guarded(callback: () => void): void {
    try {
      callback();
    } catch (error) {
      this.#report(error);
    }
  }

  #report(error: unknown): void {
    this.options.onError?.(error);
  }
}

/** Throws client-go's errors for durations that do not fit each other. */
export function checkElectionDurations({ leaseDuration, renewDeadline, retryPeriod }: Settings): void {
  if (!(leaseDuration > renewDeadline)) throw new Error("leaseDuration must be greater than renewDeadline");
  if (!(renewDeadline > retryPeriod * JITTER_FACTOR)) {
    throw new Error("renewDeadline must be greater than retryPeriod*JitterFactor");
  }
  if (!(leaseDuration > 0)) throw new Error("leaseDuration must be greater than zero");
  if (!(renewDeadline > 0)) throw new Error("renewDeadline must be greater than zero");
  if (!(retryPeriod > 0)) throw new Error("retryPeriod must be greater than zero");
}

function requireName(field: string, value: string, [error]: readonly string[]): void {
  if (error !== undefined) throw new Error(`invalid lease ${field} ${JSON.stringify(value)}: ${error}`);
}

/** True for what work throws because its signal has aborted. */
function isAbort(error: unknown, signal: AbortSignal): boolean {
  return error === signal.reason || (error instanceof Error && error.name === "AbortError");
}
