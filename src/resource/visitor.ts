import { errorMessage } from "../base/text/error-message.js";
import type { Info } from "./info.js";

export type VisitorFn = (info: Info) => Promise<void>;

/** Called with the error of an item that could not become an {@link Info}. If it returns, the walk continues with the next item. */
export type VisitFailure = (error: unknown) => void;

/**
 * Walks a list of resources in order, and reads each in its turn. An error of `fn` ends the walk, unless `continueOnError` is
 * used. Without `failed`, an item that cannot be read ends it, too.
 */
export interface Visitor {
  visit(fn: VisitorFn, failed?: VisitFailure): Promise<void>;
}

export const stopAtFailure: VisitFailure = (error) => {
  throw error;
};

/** Runs each step, in the given order, before the caller's own function. */
export function decorate(inner: Visitor, ...steps: readonly VisitorFn[]): Visitor {
  return {
    visit: (fn, failed) =>
      inner.visit(async (info) => {
        for (const step of steps) await step(info);
        await fn(info);
      }, failed),
  };
}

/** Visits everything, then throws the errors: a single one as it is, several as an AggregateError. */
export function continueOnError(inner: Visitor): Visitor {
  return {
    async visit(fn) {
      const failures: unknown[] = [];
      const collect = (error: unknown): void => void failures.push(error);
      await inner.visit((info) => fn(info).catch(collect), collect).catch(collect);
      if (failures.length === 1) throw failures[0];
      throwAll(failures);
    },
  };
}

/** Visits one visitor after the other; the first failure ends the walk. */
export function inOrder(visitors: readonly Visitor[]): Visitor {
  return {
    async visit(fn, failed) {
      for (const visitor of visitors) await visitor.visit(fn, failed);
    },
  };
}

/** Visits all visitors, at most `limit` at a time and at least one; after that it throws the first failure. */
export function concurrently(visitors: readonly Visitor[], limit: number): Visitor {
  return {
    async visit(fn, failed) {
      const waiting = visitors.values();
      const failures: unknown[] = [];
      const work = async (): Promise<void> => {
        for (const visitor of waiting) await visitor.visit(fn, failed).catch((error: unknown) => failures.push(error));
      };
      await Promise.all(Array.from({ length: Math.max(1, Math.min(limit, visitors.length)) }, work));
      if (failures.length > 0) throw failures[0];
    },
  };
}

/** Visits one visitor after the other, all of them, and throws the failures afterwards. */
export function eagerly(visitors: readonly Visitor[]): Visitor {
  return {
    async visit(fn) {
      const failures: unknown[] = [];
      const collect = (error: unknown): void => void failures.push(error);
      for (const visitor of visitors) await visitor.visit((info) => fn(info).catch(collect), collect).catch(collect);
      throwAll(failures);
    },
  };
}

/** Visits only the Infos that `keep` accepts. */
export function filtered(inner: Visitor, keep: (info: Info) => boolean): Visitor {
  return {
    visit: (fn, failed) =>
      inner.visit(async (info) => {
        if (keep(info)) await fn(info);
      }, failed),
  };
}

/**
 * Throws an AggregateError of the failures, even for a single one, because the error boundary words it differently; does nothing
 * without failures.
 */
export function throwAll(failures: readonly unknown[]): void {
  if (failures.length > 0) throw aggregate(failures);
}

/** Makes an AggregateError whose message is Go's text for a list of errors: each text once. */
export function aggregate(failures: readonly unknown[]): AggregateError {
  const texts = [...new Set(failures.flatMap(messages))];
  return new AggregateError(failures, texts.length === 1 ? texts[0] : `[${texts.join(", ")}]`);
}

function messages(error: unknown): readonly string[] {
  if (error instanceof AggregateError) return error.errors.flatMap(messages);
  return [errorMessage(error)];
}

/** Removes from an error what `ignore` accepts, inside aggregates too; undefined when nothing is left. */
export function withoutErrors(error: unknown, ignore: (error: unknown) => boolean): unknown {
  if (!(error instanceof AggregateError)) return ignore(error) ? undefined : error;
  const left = error.errors
    .map((inner: unknown) => withoutErrors(inner, ignore))
    .filter((inner) => inner !== undefined);
  return left.length === 0 ? undefined : aggregate(left);
}
