import { nameOfValue, WrongAnswerError } from "./check-answer.js";
import type { SourcePage } from "./object-source.js";

/** Checks the answer of a source that pages itself. Throws a {@link WrongAnswerError}. */
export function pageOf(answer: unknown): SourcePage {
  const { items, continue: token, remainingItemCount } = (answer ?? {}) as Partial<SourcePage>;
  if (items === undefined) throw new WrongAnswerError("items", "is missing, and the source makes its own pages");
  if (token !== undefined && typeof token !== "string") throw new WrongAnswerError("continue", "is not a string");
  if (remainingItemCount !== undefined && !Number.isSafeInteger(remainingItemCount)) {
    throw new WrongAnswerError("remainingItemCount", "is not an integer");
  }
  return { items, continue: token, remainingItemCount };
}

/** The answer of a list. Throws a {@link WrongAnswerError}. */
export function iterated(given: unknown): Iterable<unknown> | AsyncIterable<unknown> {
  const value = given as Partial<Iterable<unknown> & AsyncIterable<unknown>> | null | undefined;
  const isIterable = typeof value === "object" && value !== null;
  if (isIterable && (value[Symbol.asyncIterator] ?? value[Symbol.iterator]) !== undefined) {
    return value as Iterable<unknown>;
  }
  throw new WrongAnswerError("", `the answer is ${nameOfValue(given)}, not an array or another iterable`);
}

/** Runs a check, and puts the place before the field that a {@link WrongAnswerError} names. */
export function within<T>(place: string, check: () => T): T {
  try {
    return check();
  } catch (error) {
    throw error instanceof WrongAnswerError ? new WrongAnswerError(place, error.message) : error;
  }
}

/** Resolves as `promise` does, or with an end when the signal aborts. */
export function untilAborted<T>(
  promise: Promise<IteratorResult<T>>,
  signal: AbortSignal,
): Promise<IteratorResult<T, undefined>> {
  return new Promise((resolve, reject) => {
    const end = (): void => resolve({ done: true, value: undefined });
    if (signal.aborted) return end();
    signal.addEventListener("abort", end, { once: true });
    promise
      .then((result) => resolve(result.done === true ? { done: true, value: undefined } : result), reject)
      .finally(() => signal.removeEventListener("abort", end));
  });
}
