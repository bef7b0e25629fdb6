import type { Queuing } from "./queue-set.js";
import type { DemandStatistics } from "./seat-demand.js";

/** What a request does: it waits for its seats, or has them. */
export type Phase = "waiting" | "executing";

/** The reason why a request got no seats. */
export type Rejection = "concurrency-limit" | "queue-full" | "time-out";

/** The limits, the demand and the target of a priority level, by which seats are divided. */
export interface LevelState {
  readonly limits: LevelLimits;
  readonly demand: DemandStatistics;
  /** What the level should have, of what the levels share. */
  readonly target: number;
  readonly queuing: Queuing;
}

/** The seats of a priority level. */
export interface LevelLimits {
  /** Its share of the server's seats. */
  readonly nominal: number;
  /** What it never lends, and what it may have at most with what it borrows. */
  readonly lowest: number;
  readonly highest: number;
  /** What it has now. */
  readonly current: number;
}

/** The virtual world of a level's queues when a request leaves one of them, in seat-seconds. */
export interface VirtualTimes {
  readonly now: number;
  /** When the request leaves, and between which times the oldest requests of all queues would. */
  readonly dispatched: number;
  readonly earliest: number;
  readonly latest: number;
  /** The same, less the work that the requests which execute are expected to do. */
  readonly earliestDiscounted: number;
  readonly latestDiscounted: number;
}

/**
 * Sees what priority and fairness does, for metrics. Each method is called at the moment of the change, and must not throw. Levels and FlowSchemas are
 * named; durations are milliseconds.
 */
export interface FlowControlObserver {
  estimated?(level: string, flowSchema: string, seats: number): void;
  /** The estimator found so many open watches to which the server will send the object of a write. */
  watchers?(level: string, flowSchema: string, count: number): void;
  /** A request waits. `length` is that of its queue, with it. */
  enqueued?(level: string, flowSchema: string, seats: number, length: number): void;
  /** A request waits no more; `executes` is whether it got its seats. */
  dequeued?(level: string, flowSchema: string, seats: number, waited: number, executes: boolean): void;
  started?(level: string, flowSchema: string, seats: number): void;
  ended?(level: string, flowSchema: string, executed: number, isWatch: boolean): void;
  /** Seats are free again, possibly some time behind the end. */
  freed?(level: string, flowSchema: string, seats: number): void;
  /** A request leaves its queue for seats. `times` is computed when it is called, which has to be at once. */
  leaves?(level: string, times: () => VirtualTimes): void;
  /** The virtual time of the level, in seat-seconds, is so much now. */
  advanced?(level: string, now: number): void;
  /** Virtual time went back, with all that is measured by it. */
  epochEnded?(level: string): void;
  rejected?(level: string, flowSchema: string, reason: Rejection): void;
  /** The request whose turn it is waits on, because its seats are not free. */
  notAccommodated?(level: string, flowSchema: string): void;
  limits?(level: string, state: LevelState): void;
  levelRemoved?(level: string): void;
  /** One request more, or one fewer, is in the phase. */
  phase?(phase: Phase, isMutating: boolean, change: 1 | -1): void;
  /** Each level got this multiple of its target where no bound of its own held; 0 where the bounds alone decided. */
  divided?(proportion: number): void;
}
