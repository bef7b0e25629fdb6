import { goRegexp } from "../../../machinery/structural/go-regexp.js";

/** What Go says of a pattern it cannot read ("error parsing regexp: ..."); undefined for one that is good. */
export function patternProblem(pattern: string): string | undefined {
  try {
    goRegexp(pattern);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}
