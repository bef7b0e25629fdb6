import { readFile } from "node:fs/promises";
import { PathError } from "../base/path-error.js";
import type { Timers } from "../base/timers.js";
import { WatchedFile } from "../base/watched-file.js";

export interface FileWatch {
  readonly path: string;
  readonly timers: Timers;
  /** Gets the text of a file that has changed, and tells whether it took it; a rejection is the file's fault. */
  take(text: string): void | Promise<void>;
  /** Hears what is wrong with the file as it stands now; undefined once it is right again. */
  tell(fault: string | undefined): void;
}

/** The file's text. Throws in Go's words, "open PATH: no such file or directory". */
export async function readText(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    throw new PathError("open", path, error);
  }
}

/**
 * Looks at a file when it changes, from `known` on, until it is stopped. A text is handed on once; one that was not taken is not
 * handed on again before it changes.
 */
export function watchFile({ path, timers, take, tell }: FileWatch, known: string): () => void {
  let [last, stopped, unreadable] = [known, false, false];
  const look = async (): Promise<void> => {
    try {
      const text = await readText(path);
      if (stopped) return;
      if (text !== last) {
        last = text;
        await take(text);
        tell(undefined);
      } else if (unreadable) tell(undefined);
      unreadable = false;
    } catch (error) {
      if (stopped) return;
      unreadable = error instanceof PathError;
      tell(error instanceof Error ? error.message : String(error));
    }
  };
  const watched = new WatchedFile({ file: path, timers, look });
  return () => {
    stopped = true;
    void watched.close();
  };
}
