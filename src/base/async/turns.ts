import { AsyncResource } from "node:async_hooks";
import { deferred } from "./deferred.js";
import { Fifo } from "../collections/fifo.js";

/** Resolves in a later turn of the event loop, after all callbacks that are waiting now. */
export const turn = (): Promise<void> => new Promise((resolve) => soon(resolve));

/** A callback that runs alone in a turn of the event loop, once `after` has settled. */
interface Turn {
  readonly run: () => void;
  readonly after: Promise<unknown> | undefined;
}

/** A call of {@link quiet} that waits. */
interface Waiting {
  readonly until: number;
  resolve(): void;
  reject(error: Error): void;
}

/** Of no work: what a turn begins does not belong to the work that asked for it. */
const ownContext = new AsyncResource("Turns");

let drivers = 0;
const turns = new Fifo<Turn>();
/** Whether {@link takeTurn} is scheduled, or will be when a turn's promise has settled. */
let taking = false;
let taken = 0;
/** Operations outside of this thread that {@link outside} waits for. */
let outsideCount = 0;
let waiting: readonly Waiting[] = [];

/** Thrown when more turns ran than {@link quiet} allows. */
export class TooManyTurnsError extends Error {
  override readonly name = "TooManyTurnsError";
}

/**
 * Puts all turns of the process into one queue, until the returned function is called. A turn then begins when all that the turn before it
 * began has run, so that their order does not depend on how long anything takes. A driven clock needs that.
 */
export function driveTurns(): () => void {
  drivers += 1;
  let driven = true;
  return () => {
    if (driven) drivers -= 1;
    driven = false;
  };
}

/** Returns whether turns are driven; see {@link driveTurns}. */
export const turnsAreDriven = (): boolean => drivers > 0;

/** Returns the number of driven turns so far. */
export const turnNumber = (): number => taken;

/** Calls `run` in a later turn of the event loop. */
export function soon(run: () => void): void {
  if (drivers === 0) setImmediate(run);
  else queueTurn({ run, after: undefined });
}

/**
 * Awaits `work`, such as a module that loads or a thread that computes, and returns its result. The code after it keeps its place
 * among driven turns, however long the work takes. The work itself must not need a turn of the event loop.
 */
export async function inOrder<T>(work: Promise<T>): Promise<T> {
  if (drivers === 0) return work;
  // A failure that comes before the turn is not unhandled: it is thrown below.
  work.catch(() => {});
  await new Promise<void>((run) => queueTurn({ run, after: work }));
  return work;
}

/** Returns the result of `work` outside of this thread, such as a request over a socket. {@link quiet} waits for it. */
export function outside<T>(work: Promise<T>): Promise<T> {
  return drivers === 0 ? work : counted(work);
}

async function counted<T>(work: Promise<T>): Promise<T> {
  outsideCount += 1;
  try {
    return await work;
  } finally {
    outsideCount -= 1;
    if (waiting.length > 0) begin();
  }
}

/**
 * Resolves when no driven turn is left and nothing is under way outside. Rejects with a TooManyTurnsError when that takes more
 * than `most` turns.
 */
export function quiet(most: number): Promise<void> {
  const { promise, resolve, reject } = deferred<void>();
  waiting = [...waiting, { until: taken + most, resolve, reject }];
  begin();
  return promise;
}

function queueTurn(turn: Turn): void {
  turns.push(turn);
  begin();
}

function begin(): void {
  if (taking) return;
  taking = true;
  setImmediate(takeTurn);
}

/** Takes one turn. What it begins runs before the next immediate, in which the next turn is taken. */
function takeTurn(): void {
  const turn = turns.shift();
  if (turn === undefined) {
    taking = false;
    if (outsideCount === 0) endWaits((wait) => wait.resolve());
    return;
  }
  taken += 1;
  if (waiting.some(({ until }) => taken > until)) {
    endWaits((wait) => wait.reject(new TooManyTurnsError("too many turns of the event loop at one moment")));
  }
  const run = (): void => {
    setImmediate(takeTurn);
    // Not as a part of what began the turn before it.
    ownContext.runInAsyncScope(turn.run);
  };
  if (turn.after === undefined) run();
  else turn.after.then(run, run);
}

function endWaits(end: (wait: Waiting) => void): void {
  const ended = waiting;
  waiting = [];
  for (const wait of ended) end(wait);
}
