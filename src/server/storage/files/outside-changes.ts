import { type FSWatcher, watch } from "node:fs";
import { dirname, join } from "node:path";
import { outside } from "../../../base/async/turns.js";
import type { Timers } from "../../../base/time/timers.js";
import { type FileStamp, sameStamp, stampOf } from "./durable-files.js";
import { filesBelow } from "./load-folder.js";
import { EXTENSION } from "./layout.js";

export interface OutsideChangesOptions {
  readonly directory: string;
  readonly timers: Timers;
  /** The files that should be there. */
  readonly paths: () => Iterable<string>;
  /** The stamp of a file as it was last seen and dealt with; undefined for one that is missing. */
  readonly known: (path: string) => FileStamp | undefined;
  /** A file is not as it is known, and has not changed for a while. */
  readonly changed: (path: string) => Promise<void>;
  /** False while the folder itself is missing. */
  readonly isThere: () => boolean;
}

/** A file that somebody writes is looked at until two looks, so far apart, find the same. */
const SETTLE_MILLISECONDS = 50;
/** All files are looked at so often, for what no event has told of. */
const SCAN_MILLISECONDS = 10_000;

/** Finds files that other programs have changed. */
export class OutsideChanges {
  /** Files that may have changed, with what the last look has found. */
  readonly #suspects = new Map<string, FileStamp | "missing" | "unseen">();
  readonly #watchers = new Map<string, FSWatcher>();
  readonly #newFolders = new Set<string>();
  #cancelLook: (() => void) | undefined;
  #cancelScan: (() => void) | undefined;
  #working: Promise<void> = Promise.resolve();
  #stopped = false;

  constructor(private readonly options: OutsideChangesOptions) {}

  start(): void {
    this.#watch("");
    for (const path of this.options.paths()) this.#watchAbove(path);
    this.#armScan();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#cancelLook?.();
    this.#cancelScan?.();
    for (const watcher of this.#watchers.values()) watcher.close();
    this.#watchers.clear();
    await this.#working;
  }

  suspect(path: string): void {
    if (this.#stopped) return;
    if (!this.#suspects.has(path)) this.#suspects.set(path, "unseen");
    this.#armLook();
  }

  #armLook(): void {
    this.#cancelLook ??= this.options.timers.start(SETTLE_MILLISECONDS, () => {
      this.#cancelLook = undefined;
      this.#begin(() => this.#look());
    });
  }

  #armScan(): void {
    this.#cancelScan = this.options.timers.start(SCAN_MILLISECONDS, () => {
      this.#begin(async () => {
        await this.#scan("");
        if (!this.#stopped) this.#armScan();
      });
    });
  }

  /** One piece of work at a time. A folder that cannot be read now is looked at again by the next scan. */
  #begin(work: () => Promise<void>): void {
    const next = async (): Promise<void> => {
      if (!this.#stopped) await work().catch(() => {});
    };
    this.#working = outside(this.#working.then(next));
  }

  async #look(): Promise<void> {
    for (const folder of this.#newFolders) await this.#scan(folder).catch(() => {});
    this.#newFolders.clear();
    for (const [path, last] of this.#suspects) {
      const stamp = await stampOf(join(this.options.directory, path));
      if (sameStamp(stamp, this.options.known(path))) {
        this.#suspects.delete(path);
      } else if (last !== "unseen" && sameStamp(stamp, last === "missing" ? undefined : last)) {
        this.#suspects.delete(path);
        if (this.options.isThere()) await this.options.changed(path);
      } else {
        this.#suspects.set(path, stamp ?? "missing");
      }
    }
    if (this.#suspects.size > 0 && !this.#stopped) this.#armLook();
  }

  /** Compares all files below a folder with what is known of them. */
  async #scan(below: string): Promise<void> {
    const { directory, known, paths, isThere } = this.options;
    if (!isThere()) return;
    const found = new Set(await filesBelow(directory, below));
    for (const path of found) {
      this.#watchAbove(path);
      if (!sameStamp(await stampOf(join(directory, path)), known(path))) this.suspect(path);
    }
    const prefix = below === "" ? "" : `${below}/`;
    for (const path of paths()) {
      if (path.startsWith(prefix) && !found.has(path) && known(path) !== undefined) this.suspect(path);
    }
  }

  #watchAbove(path: string): void {
    for (let folder = dirname(path); folder !== "."; folder = dirname(folder)) this.#watch(folder);
  }

  /** Events come sooner than the scan, where the system gives any. */
  #watch(folder: string): void {
    if (this.#watchers.has(folder) || this.#stopped) return;
    try {
      const watcher = watch(join(this.options.directory, folder), { persistent: false }, (_, name) => {
        if (name !== null) this.#told(folder, name);
      });
      this.#watchers.set(folder, watcher);
      watcher.on("error", () => this.#unwatch(folder));
    } catch {
      // The system takes no more watches. The scan finds what happens here.
    }
  }

  #unwatch(folder: string): void {
    this.#watchers.get(folder)?.close();
    this.#watchers.delete(folder);
  }

  #told(folder: string, name: string): void {
    if (name.startsWith(".") || this.#stopped) return;
    const path = folder === "" ? name : `${folder}/${name}`;
    if (path.endsWith(EXTENSION)) {
      this.suspect(path);
      return;
    }
    // It may be a folder, which is new or gone. Another one may have its name.
    this.#unwatch(path);
    this.#newFolders.add(folder === "" ? name : path);
    this.#watch(path);
    this.#armLook();
  }
}
