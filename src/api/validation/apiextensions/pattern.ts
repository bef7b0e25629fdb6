import { type ReadonlyFields, text } from "../../../machinery/meta/access.js";
import { goRegexp } from "../../../machinery/structural/go-regexp.js";
import type { Schema } from "./definition-types.js";

/** Returns Go's error for a pattern that it cannot parse ("error parsing regexp: ..."); undefined for a good one. */
export function patternProblem(pattern: string): string | undefined {
  try {
    goRegexp(pattern);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

const GOOD = "";

/** To read a pattern takes long, and a definition may have thousands: each is read once. */
const known = new WeakMap<ReadonlyFields, string>();

/** Returns Go's error for the pattern of a schema; undefined when it is good. Results are cached. */
export function schemaPatternProblem(schema: Schema): string | undefined {
  const pattern = text(schema.pattern);
  if (pattern === "") return undefined;
  let problem = known.get(schema);
  if (problem === undefined) {
    problem = patternProblem(pattern) ?? GOOD;
    known.set(schema, problem);
  }
  return problem === GOOD ? undefined : problem;
}
