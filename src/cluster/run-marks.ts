import { closeSync, openSync, readFileSync, renameSync, writeFileSync, writeSync } from "node:fs";
import type { RunMarks } from "../node/agent/run-marks.js";

const MODE = 0o600;

interface Mark {
  /** How often the server's process ended while the pod was marked. */
  readonly interruptions: number;
  readonly runs: boolean;
}

/** The marks of a cluster that keeps its objects on a disk. */
export interface StoredRunMarks extends RunMarks {
  /** The server is being stopped: no pod is to blame. */
  close(): void;
}

/**
 * Opens the marks of a server's pods: lines of a file, "UID INTERRUPTIONS runs" or "UID INTERRUPTIONS rests", of which the last
 * one of a pod counts. A pod that runs by its last line ran when the previous process ended. Where the file cannot be written,
 * pods run without marks, and `report` is called once.
 */
export function openRunMarks(path: string, report: (error: unknown) => void): StoredRunMarks {
  const marks = new Map<string, Mark>();
  for (const [uid, { interruptions, runs }] of read(path))
    marks.set(uid, { interruptions: interruptions + (runs ? 1 : 0), runs: false });
  let file = openFile(path, marks, report);
  const set = (uid: string, mark: Mark): void => {
    if (mark.runs || mark.interruptions > 0) marks.set(uid, mark);
    else marks.delete(uid);
    if (file === undefined) return;
    try {
      writeSync(file, lineOf(uid, mark));
    } catch (error) {
      report(error);
      file = undefined;
    }
  };
  const interruptions = (uid: string): number => marks.get(uid)?.interruptions ?? 0;
  return {
    interruptions,
    begin: (uid) => set(uid, { interruptions: interruptions(uid), runs: true }),
    end(uid) {
      if (marks.has(uid)) set(uid, { interruptions: 0, runs: false });
    },
    close() {
      if (file === undefined) return;
      for (const [uid, mark] of marks) if (mark.runs) set(uid, { ...mark, runs: false });
      closeSync(file);
      file = undefined;
    },
  };
}

const lineOf = (uid: string, { interruptions, runs }: Mark): string =>
  `${uid} ${interruptions} ${runs ? "runs" : "rests"}\n`;

function read(path: string): ReadonlyMap<string, Mark> {
  const marks = new Map<string, Mark>();
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch {
    // There is none yet.
    return marks;
  }
  for (const line of text.split("\n")) {
    const [uid = "", interruptions = "", state = ""] = line.split(" ");
    if (uid !== "" && /^\d{1,9}$/.test(interruptions))
      marks.set(uid, { interruptions: Number(interruptions), runs: state === "runs" });
  }
  return marks;
}

/** Writes the marks that count into a file of their own and opens it. */
function openFile(
  path: string,
  marks: ReadonlyMap<string, Mark>,
  report: (error: unknown) => void,
): number | undefined {
  const kept = [...marks].filter(([, mark]) => mark.interruptions > 0);
  try {
    writeFileSync(`${path}.new`, kept.map(([uid, mark]) => lineOf(uid, mark)).join(""), { mode: MODE });
    renameSync(`${path}.new`, path);
    return openSync(path, "a", MODE);
  } catch (error) {
    report(error);
    return undefined;
  }
}
