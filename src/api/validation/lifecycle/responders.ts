import { type FieldError, forbiddenField, invalidValue, required } from "../../../machinery/errors/field-error.js";
import { goQuote } from "../../../base/text/go-quote.js";
import { absent, objects, type Received, text } from "../../../machinery/meta/received.js";
import type { EvictionStatus, ResponderStatus, TargetResponder } from "../../types/lifecycle/v1alpha1.js";
import { IMMUTABLE, repeatedAt, sameValue } from "../rules.js";
import { MOST_RESPONDERS } from "./eviction-rules.js";

// Several programs write the status of an Eviction: its controller, the requesters and the responders. These rules keep each to its part (K37-062).

const MINUTE = 60_000;
/** How long an active responder may be silent. */
const HEARTBEAT_DEADLINE = 20 * MINUTE;
/** How far clocks of programs may be apart. */
const CLOCK_SKEW = 30_000;
const MOST_FUTURE = 10 * 365 * 24 * 60 * MINUTE;
const TARGETS = "status.targetResponders";
const RESPONDERS = "status.responders";

interface Now {
  /** In milliseconds. */
  readonly now: number;
  /** Whether the target is evicted, or the eviction has failed. */
  readonly isEnded: boolean;
}

/** Validates the responders of a status that replaces `old`. */
export function validateResponders(
  status: Received<EvictionStatus>,
  old: Received<EvictionStatus>,
  now: Now,
): FieldError[] {
  const targets = objects(status.targetResponders);
  const responders = objects(status.responders);
  return [
    ...targetErrors(targets, objects(old.targetResponders), responders, now),
    ...responderErrors(responders, objects(old.responders), targets, now),
  ];
}

type Targets = readonly Received<TargetResponder>[];
type Responders = readonly Received<ResponderStatus>[];

const namesOf = (items: Targets | Responders): readonly string[] => items.map(({ name }) => text(name));

/** Lists that the declared rules refuse are not looked at. */
const isRefused = (items: Targets | Responders): boolean =>
  items.length === 0 || items.length > MOST_RESPONDERS || repeatedAt(namesOf(items)).size > 0;

function targetErrors(targets: Targets, old: Targets, responders: Responders, now: Now): FieldError[] {
  if (old.length > 0) {
    if (targets.length !== old.length) {
      return [invalidValue(TARGETS, targets, "must preserve the same length and the same keys in the same order")];
    }
    if (!sameValue(namesOf(targets), namesOf(old))) {
      return [invalidValue(TARGETS, targets, "must preserve the same keys in the same order")];
    }
  }
  if (isRefused(targets)) return [];
  return targets.flatMap((target, index) => {
    const path = `${TARGETS}[${index}]`;
    const responder = responders[index]?.name === target.name ? responders[index] : undefined;
    if (responder === undefined) {
      const detail = `${goQuote(text(target.name))} has to be tracked in ${RESPONDERS} first`;
      return [invalidValue(path, target, detail)];
    }
    const expected = expectedStates(index, targets, old, now.isEnded);
    return [...stateErrors(target, expected, `${path}.state`), ...silenceErrors(responder, expected, path, now)];
  });
}

interface Expected {
  readonly states: readonly string[];
  readonly reason: string;
}

const ENDED = ["Canceled", "Completed", "Interrupted"] as const;

/** The states that a responder may have: one after the other is active, in the order of the list, and none twice. */
function expectedStates(index: number, targets: Targets, old: Targets, isEnded: boolean): Expected {
  const active = old.findIndex(({ state }) => state === "Active");
  const isPassedOn = active >= 0 && targets[active]?.state !== "Active";
  if (index < active || (old.length > 0 && active < 0 && isEnded)) {
    return { states: [text(old[index]?.state)], reason: "final state is immutable" };
  }
  if (index === active && isPassedOn) return { states: ENDED, reason: "this responder must reach a final state" };
  if (index === active) {
    if (isEnded) return { states: ENDED, reason: "the eviction request has finished processing" };
    return { states: ["Active"], reason: "the eviction request stays active" };
  }
  if ((index === 0 && old.length === 0) || (index === active + 1 && isPassedOn)) {
    if (isEnded) return { states: ["Inactive"], reason: "the eviction request has finished processing" };
    return { states: ["Active"], reason: "this responder is next in line" };
  }
  return { states: ["Inactive"], reason: "the previously active has not finished processing" };
}

function stateErrors({ state }: Received<TargetResponder>, { states, reason }: Expected, path: string): FieldError[] {
  if (states.includes(text(state))) return [];
  return [invalidValue(path, text(state), `must be one of: ${states.join(", ")}, because ${reason}`)];
}

/** A responder that has begun and not ended stays active until it has been silent for long. */
function silenceErrors(
  responder: Received<ResponderStatus>,
  { states }: Expected,
  path: string,
  { now, isEnded }: Now,
): FieldError[] {
  if (states.includes("Active") || isEnded) return [];
  if (absent(responder.startTime) || !absent(responder.completionTime)) return [];
  const heard = timeOf(responder.heartbeatTime ?? responder.startTime);
  if (now >= heard + HEARTBEAT_DEADLINE - CLOCK_SKEW) return [];
  const detail = `must stay Active because the responder is in progress and it should report ${RESPONDERS}.heartbeatTime or ${RESPONDERS}.completionTime`;
  return [forbiddenField(`${path}.state`, detail)];
}

function responderErrors(responders: Responders, old: Responders, targets: Targets, { now }: Now): FieldError[] {
  if (responders.length !== targets.length) {
    const detail = "must be the same length as status.targetResponders and contain the same keys in the same order";
    return [invalidValue(RESPONDERS, responders, detail)];
  }
  if (!sameValue(namesOf(responders), namesOf(targets))) {
    return [
      invalidValue(RESPONDERS, responders, "must contain the same keys in the same order as status.targetResponders"),
    ];
  }
  if (isRefused(responders)) return [];
  return responders.flatMap((responder, index) => {
    const path = `${RESPONDERS}[${index}]`;
    const before = old[index];
    const isActive = targets[index]?.state === "Active";
    if (before !== undefined && !isActive && !sameValue(responder, before)) {
      return [invalidValue(path, responder, IMMUTABLE)];
    }
    return timeErrors(responder, before ?? {}, path, { now, isActive });
  });
}

interface Times {
  readonly now: number;
  readonly isActive: boolean;
}

const NOW = "must be set to the present time";

function timeErrors(
  responder: Received<ResponderStatus>,
  old: Received<ResponderStatus>,
  path: string,
  { now, isActive }: Times,
): FieldError[] {
  const start = responder.startTime;
  const started = `${path}.startTime`;
  const errors: FieldError[] = [];
  const isChanged = (field: TimeField): boolean => !absent(responder[field]) && responder[field] !== old[field];
  const wrong = (field: TimeField, detail: string): void => {
    errors.push(invalidValue(`${path}.${field}`, responder[field], detail));
  };
  /** Whether the time may be there: no time comes before that of the start. */
  const isAfterStart = (field: TimeField): boolean => {
    if (absent(start)) wrong(field, `cannot be set before ${started} is set`);
    else if (timeOf(responder[field]) < timeOf(start)) wrong(field, `must occur after ${started}`);
    else return true;
    return false;
  };
  if (absent(old.startTime)) {
    if (absent(start) && isActive) errors.push(required(started, "is required for an active responder"));
    if (!absent(start) && !isNear(start, now)) wrong("startTime", NOW);
  }
  if (!absent(old.heartbeatTime) && absent(responder.heartbeatTime)) {
    errors.push(required(`${path}.heartbeatTime`, "is required once set"));
  }
  if (isChanged("heartbeatTime")) {
    if (!absent(start) && !absent(old.heartbeatTime) && timeOf(responder.heartbeatTime) < timeOf(old.heartbeatTime)) {
      wrong("heartbeatTime", "cannot be decreased");
    } else if (isAfterStart("heartbeatTime") && !isNear(responder.heartbeatTime, now)) wrong("heartbeatTime", NOW);
  }
  if (isChanged("expectedCompletionTime") && isAfterStart("expectedCompletionTime")) {
    const expected = timeOf(responder.expectedCompletionTime);
    if (expected < now - CLOCK_SKEW) wrong("expectedCompletionTime", "cannot be set to the past time");
    else if (expected > now + MOST_FUTURE) wrong("expectedCompletionTime", "must complete within 10 years");
  }
  const isEndChanged = !absent(old.completionTime) && isChanged("completionTime");
  if (!absent(responder.completionTime) && !isEndChanged && isAfterStart("completionTime")) {
    if (isChanged("completionTime") && !isNear(responder.completionTime, now)) wrong("completionTime", NOW);
  }
  return errors;
}

type TimeField = "startTime" | "heartbeatTime" | "expectedCompletionTime" | "completionTime";

const timeOf = (time: string | null | undefined): number => Date.parse(text(time));

const isNear = (time: string | null | undefined, now: number): boolean => Math.abs(timeOf(time) - now) < CLOCK_SKEW;
