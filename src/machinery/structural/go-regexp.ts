import { RE2JS } from "re2js";

/** A pattern in Go's syntax (RE2) that runs in time linear in the text. */
export interface GoRegexp {
  /** Whether the pattern is found anywhere in the text. */
  test(text: string): boolean;
}

/** Throws in Go's words for what is no pattern ("error parsing regexp: missing closing ]: `[a`"). */
export function goRegexp(pattern: string): GoRegexp {
  const known = patterns.get(pattern);
  if (known !== undefined) return known;
  const compiled = RE2JS.compile(pattern);
  const made = { test: (text: string): boolean => compiled.matcher(text).find() };
  if (patterns.size >= MOST_KEPT) patterns.clear();
  patterns.set(pattern, made);
  return made;
}

/** The same patterns come in many schemas: names of Kubernetes. */
const patterns = new Map<string, GoRegexp>();
const MOST_KEPT = 1000;
