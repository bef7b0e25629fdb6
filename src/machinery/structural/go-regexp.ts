import { RE2JS } from "re2js";

/** A pattern in Go's syntax (RE2) that runs in time linear in the text. */
export interface GoRegexp {
  /** Whether the pattern is found anywhere in the text. */
  test(text: string): boolean;
  /** How many instructions it has: a test takes at most so many steps for each character. */
  programSize(): number;
}

/** Compiles a Go pattern. Throws in Go's words for an invalid one ("error parsing regexp: missing closing ]: `[a`"). */
export function goRegexp(pattern: string): GoRegexp {
  const known = patterns.get(pattern);
  if (known !== undefined) return known;
  const made = compile(pattern);
  if (pattern.length > LONGEST_KEPT) return made;
  if (kept + pattern.length > MOST_KEPT) forget();
  kept += pattern.length;
  patterns.set(pattern, made);
  return made;
}

function compile(pattern: string): GoRegexp {
  try {
    return RE2JS.compile(pattern);
  } catch (error) {
    const message = (error as Error).message;
    // Go shows what it could not read, even where that is nothing.
    throw new Error(/: `/.test(message) ? message : `${message}: \`\``, { cause: error });
  }
}

function forget(): void {
  patterns.clear();
  kept = 0;
}

/** The same patterns come in many schemas: names of Kubernetes. A compiled one takes about 100 bytes a character. */
const patterns = new Map<string, GoRegexp>();
/** Characters of the patterns that are kept. */
let kept = 0;
const MOST_KEPT = 10_000;
const LONGEST_KEPT = 500;
