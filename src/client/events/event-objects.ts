import type { ApiObject } from "../../machinery/meta/object.js";
import type { ObjectReference } from "./object-reference.js";
import type { Random } from "../../base/numbers/random.js";
import { randomBelow } from "../../base/numbers/random-below.js";
import { uuid } from "../../base/numbers/uuid.js";
import { dns1123SubdomainErrors } from "../../machinery/validation/names.js";

export type EventType = "Normal" | "Warning";

/** An Event of core/v1, as recorders write it. Times are RFC 3339 with whole seconds. */
export interface CoreEvent extends ApiObject {
  readonly involvedObject: ObjectReference;
  readonly reason: string;
  readonly message: string;
  readonly source: { readonly component: string; readonly host?: string };
  readonly firstTimestamp: string;
  readonly lastTimestamp: string;
  readonly count: number;
  readonly type: EventType;
  readonly reportingComponent?: string;
  readonly reportingInstance?: string;
}

/** An Event of events.k8s.io/v1, as recorders write it. Times are MicroTimes. */
export interface ActionEvent extends ApiObject {
  readonly eventTime: string;
  readonly reportingController: string;
  readonly reportingInstance: string;
  readonly action: string;
  readonly reason: string;
  readonly regarding: ObjectReference;
  readonly related?: ObjectReference;
  readonly note: string;
  readonly type: EventType;
  readonly series?: EventSeries;
}

/** The series of a repeated event. */
export interface EventSeries {
  /** At least 2. */
  readonly count: number;
  readonly lastObservedTime: string;
}

export const CORE_EVENTS = { group: "", version: "v1", resource: "events" } as const;
export const ACTION_EVENTS = { group: "events.k8s.io", version: "v1", resource: "events" } as const;

/** Makes a map key from texts that may be absent. */
export function keyOf(...parts: readonly (string | undefined)[]): string {
  return parts.map((part) => part ?? "").join("\0");
}

const PER_MILLISECOND = 1_000_000;

/**
 * Names events as client-go does: "<object>.<nanoseconds in hexadecimal>", or a uuid where that is not a valid name. The clock has
 * no nanoseconds: a counter replaces them, and distinguishes events of the same moment. It starts at a random number, so that two
 * sources choose different names for events of one object at the same moment.
 */
export class EventNames {
  #counter: number | undefined;

  constructor(private readonly random: Random) {}

  /** `now` is in milliseconds since the Unix epoch. */
  next(object: string, now: number): string {
    this.#counter = ((this.#counter ?? randomBelow(this.random, PER_MILLISECOND)) + 1) % PER_MILLISECOND;
    const nanoseconds = BigInt(Math.floor(now)) * BigInt(PER_MILLISECOND) + BigInt(this.#counter);
    const name = `${object}.${nanoseconds.toString(16)}`;
    return dns1123SubdomainErrors(name).length === 0 ? name : uuid(this.random);
  }
}
