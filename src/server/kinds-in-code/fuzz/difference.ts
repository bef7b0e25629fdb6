import { isFields } from "../../../machinery/meta/access.js";

/** The first field that two values differ in. */
export interface Difference {
  /** "spec.tags[1]"; "" for the values themselves. */
  readonly path: string;
  /** Undefined where there is no such field. */
  readonly before: unknown;
  readonly after: unknown;
}

/** Finds the first difference between two values; undefined for equal ones. */
export function firstDifference(before: unknown, after: unknown, path = ""): Difference | undefined {
  if (Object.is(before, after)) return undefined;
  if (Array.isArray(before) && Array.isArray(after)) {
    for (let index = 0; index < Math.max(before.length, after.length); index++) {
      const found = firstDifference(before[index], after[index], `${path}[${index}]`);
      if (found !== undefined) return found;
    }
    return undefined;
  }
  if (isFields(before) && isFields(after)) {
    for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
      const found = firstDifference(before[name], after[name], path === "" ? name : `${path}.${name}`);
      if (found !== undefined) return found;
    }
    return undefined;
  }
  return { path, before, after };
}

/** "loses spec.tags, which was [\"a\"]", and so on. */
export function describeDifference({ path, before, after }: Difference): string {
  const at = path === "" ? "the object" : path;
  if (after === undefined) return `loses ${at}, which was ${JSON.stringify(before)}`;
  if (before === undefined) return `adds ${at}: ${JSON.stringify(after)}`;
  return `changes ${at} from ${JSON.stringify(before)} to ${JSON.stringify(after)}`;
}
