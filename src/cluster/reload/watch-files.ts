import { errorMessage } from "../../base/text/error-message.js";
import { readText } from "../../base/files/read-file.js";
import type { Timers } from "../../base/time/timers.js";
import { WatchedFile } from "../../base/files/watched-file.js";
import type { HealthCheck } from "../../server/endpoints/non-resource/health.js";

export interface FileWatch {
  readonly path: string;
  readonly timers: Timers;
  /** Gets the text of a file that has changed, and tells whether it took it; a rejection is the file's fault. */
  take(text: string): void | Promise<void>;
  /** Hears what is wrong with the file as it stands now; undefined once it is right again. */
  tell(fault: string | undefined): void;
}

/** Reads the texts of files, in order; the error for several missing files names the first. */
export async function readTexts(paths: readonly string[]): Promise<readonly string[]> {
  const texts: string[] = [];
  for (const path of paths) texts.push(await readText(path));
  return texts;
}

/**
 * Reloads a file whenever it changes, from `known` on, until it is stopped. Each text is passed to `take` once; a rejected text is
 * not passed again before the file changes.
 */
export function watchFile({ path, take, ...watch }: FileWatch, known: string): () => void {
  return watchFiles({ ...watch, paths: [path], take: ([text = ""]) => take(text) }, [known]);
}

/** Files that make sense together: a certificate and its key. */
export interface FilesWatch extends Pick<FileWatch, "timers" | "tell"> {
  readonly paths: readonly string[];
  /** Gets the texts of all files when one has changed; a rejection is their fault. */
  take(texts: readonly string[]): void | Promise<void>;
}

/** Reloads several files together: `take` gets the texts of all of them when one has changed. */
export function watchFiles({ paths, timers, take, tell }: FilesWatch, known: readonly string[]): () => void {
  let [last, stopped, unreadable] = [known, false, false];
  /** What is wrong with the texts of the last time. */
  let fault: string | undefined;
  const look = async (): Promise<void> => {
    const texts = await readTexts(paths).catch((error: unknown) => errorMessage(error));
    if (stopped) return;
    if (typeof texts === "string") {
      unreadable = true;
      tell(texts);
    } else if (texts.some((text, index) => text !== last[index])) {
      last = texts;
      fault = await faultOf(() => take(texts));
      tell(fault);
      unreadable = false;
    } else if (unreadable) {
      tell(fault);
      unreadable = false;
    }
  };
  // The files of one change are read together, and one change is taken before the next is looked at.
  let looking = Promise.resolve();
  const lookInTurn = (): Promise<void> => (looking = looking.then(look));
  const watched = paths.map((file) => new WatchedFile({ file, timers, look: lookInTurn }));
  return () => {
    stopped = true;
    for (const one of watched) void one.close();
  };
}

async function faultOf(take: () => void | Promise<void>): Promise<string | undefined> {
  try {
    await take();
    return undefined;
  } catch (error) {
    return errorMessage(error);
  }
}

/** Collects the faults of files that a server reloads while it runs. The server keeps using their earlier content. */
export class FileFaults {
  readonly #faults = new Map<string, string>();
  /** Fails as long as a file is wrong. */
  readonly check: HealthCheck;

  /** `name` is the check's; `report` gets each new fault. */
  constructor(
    name: string,
    private readonly report: (error: unknown) => void,
  ) {
    this.check = {
      name,
      check: () => {
        const [[what, fault] = []] = this.#faults;
        return what === undefined ? Promise.resolve() : Promise.reject(new Error(`${what}: ${fault}`));
      },
    };
  }

  /** Hears of a file: what is wrong with it now, undefined for nothing. */
  readonly of =
    (what: string) =>
    (fault: string | undefined): void => {
      if (fault === undefined) this.#faults.delete(what);
      else if (this.#faults.get(what) !== fault) {
        this.#faults.set(what, fault);
        this.report(new Error(`failed to reload ${what}: ${fault}`));
      }
    };
}
