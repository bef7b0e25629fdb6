import { existsSync, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { RunLine } from "./coverage/line-counts.js";

/** One of the parts in which the sessions are compared. */
export interface Part {
  readonly index: number;
  readonly of: number;
}

/** What a part has run, and the names of the meant differences that it met. */
export interface PartResult {
  readonly run: readonly RunLine[];
  readonly used: readonly string[];
}

const folder = join(import.meta.dirname, "../../node_modules/.cache/parity");
/** What is older belongs to another run. */
const LONGEST_RUN = 3 * 60 * 60 * 1000;

/**
 * Keeps what a part came to, and answers what all parts together came to; undefined while another has not ended. The one that ends last
 * judges. When it failed and is run once more alone, it finds the others' results again.
 */
export function shareResult(part: Part, result: PartResult): PartResult | undefined {
  const file = (index: number): string => join(folder, `${index}-of-${part.of}.json`);
  mkdirSync(folder, { recursive: true });
  const lines = result.run.map(({ command, code, stderr }) => ({ command, code, stderr }));
  writeFileSync(`${file(part.index)}.new`, JSON.stringify({ run: lines, used: result.used }));
  renameSync(`${file(part.index)}.new`, file(part.index));
  const files = Array.from({ length: part.of }, (_, index) => file(index));
  const isThere = (path: string): boolean => existsSync(path) && Date.now() - statSync(path).mtimeMs < LONGEST_RUN;
  if (!files.every(isThere)) {
    process.stdout.write(
      `parity: part ${part.index + 1} of ${part.of} leaves the judgement of all lines to the one that ends last\n`,
    );
    return undefined;
  }
  const results = files.map((path) => JSON.parse(readFileSync(path, "utf8")) as PartResult);
  return { run: results.flatMap(({ run }) => run), used: results.flatMap(({ used }) => used) };
}
