import { type CancellationToken, REQUEST_IS_OVER, throwIfCancelled } from "./cancellation.js";
import { Fifo } from "../collections/fifo.js";
import type { Steps } from "./steps.js";
import { soon, turnNumber, turnsAreDriven } from "./turns.js";

/** How long all long work together may hold the event loop before others get their turn. */
const SLICE_MILLISECONDS = 4;
/** How many steps long work may do in a driven turn. */
const SLICE_STEPS = 1000;
/** Of so many turns that long work takes, work that stands behind gets at least one. */
const TURNS_OF_ONE_BEHIND = 16;

/** Work that waits for its turn. */
interface Waiting {
  readonly token: CancellationToken | undefined;
  resume(): void;
  cancel(reason: unknown): void;
}

const waiting = new Fifo<Waiting>();
/** The request whose work has every second turn, until it waits no more. */
let favoured: CancellationToken | undefined;
/** Its work, when it waits. */
let favourite: Waiting | undefined;
let favouriteIsNext = false;
/** Work that stands behind, by its owners: they take their turns in rotation, however much each of them has. */
const behind = new Map<object, Fifo<Waiting>>();
let turnsBefore = 0;
/** When this turn's long work began; undefined while there is none. */
let began: number | undefined;
let scheduled = false;
/** The steps of the driven turn that `countedTurn` names. */
let steps = 0;
let countedTurn = 0;

/**
 * Whether long work has used up its slice of the event loop: then await {@link nextSlice}. All callers share one slice per turn of
 * the event loop, so that many at once hold it no longer than one. With driven turns the slice is a number of steps: the order of
 * work never depends on the speed of the machine.
 */
export function sliceIsSpent(): boolean {
  if (turnsAreDriven()) return stepsAreSpent();
  const now = performance.now();
  began ??= now;
  schedule();
  return now - began > SLICE_MILLISECONDS;
}

/**
 * Resolves in a later turn of the event loop. Each turn resumes one of the waiting callers in order of arrival, except that every
 * second turn goes to the same request until it is done: concurrent requests of the same size so end one after the other, each as
 * early as possible, instead of all at the end. Work with an `owner`, such as a container, waits behind all work without one,
 * which is that of requests. Rejects with REQUEST_IS_OVER when the work is cancelled meanwhile.
 */
export function nextSlice(token?: CancellationToken, owner?: object): Promise<void> {
  return new Promise((resume, cancel) => {
    const place: Waiting = { token, resume, cancel };
    if (turnsAreDriven()) return soon(() => take(place));
    if (owner === undefined) waitInLine(place);
    else waitBehind(owner, place);
    schedule();
  });
}

/**
 * Does work in slices, with turns of other work in between, and returns its result. Rejects with REQUEST_IS_OVER when the work is cancelled
 * meanwhile.
 */
export async function inSlices<T>(work: Steps<T>, token?: CancellationToken): Promise<T> {
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
    if (step.value !== undefined) {
      await step.value;
      throwIfCancelled(token);
    }
    if (sliceIsSpent()) await nextSlice(token);
  }
}

function stepsAreSpent(): boolean {
  if (countedTurn !== turnNumber()) {
    countedTurn = turnNumber();
    steps = 0;
  }
  steps += 1;
  return steps > SLICE_STEPS;
}

function waitInLine(place: Waiting): void {
  if (place.token === undefined || place.token !== favoured || favourite !== undefined) waiting.push(place);
  else favourite = place;
}

/** The request that every second turn is for, else the first in the line; where no request has that turn, it is that one's from now on. */
function takeInLine(): Waiting | undefined {
  favouriteIsNext = !favouriteIsNext;
  const first = favouriteIsNext ? undefined : waiting.shift();
  const next = first ?? favourite ?? waiting.shift();
  if (next === favourite) favourite = undefined;
  else if (favourite === undefined) favoured = next?.token;
  return next;
}

function waitBehind(owner: object, place: Waiting): void {
  const own = behind.get(owner) ?? new Fifo();
  own.push(place);
  behind.set(owner, own);
}

/** The next of those behind: its owner is the last in the rotation from now on. */
function takeBehind(): Waiting | undefined {
  const [first] = behind;
  if (first === undefined) return undefined;
  const [owner, own] = first;
  behind.delete(owner);
  const next = own.shift();
  if (own.length > 0) behind.set(owner, own);
  return next;
}

function takeWaiting(): Waiting | undefined {
  turnsBefore += 1;
  if (turnsBefore < TURNS_OF_ONE_BEHIND || behind.size === 0) {
    const next = takeInLine();
    if (next !== undefined) return next;
  }
  turnsBefore = 0;
  return takeBehind() ?? takeInLine();
}

function schedule(): void {
  if (scheduled) return;
  scheduled = true;
  setImmediate(nextTurn);
}

function nextTurn(): void {
  scheduled = false;
  // Cancelled work needs no turn: it ends beside the next one that goes on.
  for (let next = takeWaiting(); next !== undefined; next = takeWaiting()) {
    began = performance.now();
    if (!take(next)) continue;
    schedule();
    return;
  }
  began = undefined;
}

/** Lets work go on, or ends it when it is cancelled; says whether it goes on. */
function take({ token, resume, cancel }: Waiting): boolean {
  if (token?.isCancelled === true) {
    cancel(REQUEST_IS_OVER);
    return false;
  }
  resume();
  return true;
}
