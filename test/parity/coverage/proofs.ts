import { readFileSync } from "node:fs";
import { join } from "node:path";

/** A line of a session that shows what a flag does: without the flag the real kubectl does something else. */
export interface Proof {
  /** "annotate --all". */
  readonly pair: string;
  /** A session's name. */
  readonly session: string;
  readonly line: string;
}

export const PROOFS_FILE = join(import.meta.dirname, "proofs.txt");

/** One proof a line: pair, session and line with tabs between. */
export function parseProofs(text: string): readonly Proof[] {
  return text
    .split("\n")
    .filter((row) => row !== "")
    .map((row) => {
      const [pair = "", session = "", ...line] = row.split("\t");
      return { pair, session, line: line.join("\t") };
    });
}

export function proofsText(proofs: Iterable<Proof>): string {
  const rows = [...proofs].map(({ pair, session, line }) => `${pair}\t${session}\t${line}\n`);
  return rows.sort((a, b) => (a < b ? -1 : 1)).join("");
}

export const storedProofs = (): readonly Proof[] => parseProofs(readFileSync(PROOFS_FILE, "utf8"));
