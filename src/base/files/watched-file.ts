import { type FSWatcher, watch } from "node:fs";
import { basename, dirname } from "node:path";
import type { Timers } from "../time/timers.js";
import { outside } from "../async/turns.js";

export interface WatchedFileOptions {
  readonly file: string;
  /** It is a folder, of which every entry counts. Default: a file. */
  readonly isFolder?: boolean;
  readonly timers: Timers;
  /** Looks at the file. It must not throw. One look ends before the next begins. */
  readonly look: () => Promise<void>;
}

/** How often to look without an event, in milliseconds. kube-apiserver's. */
const POLL_INTERVAL = 60_000;

/** Names that a volume of Kubernetes replaces a file by: the link from which it is reached. */
const VOLUME_LINK = "..data";

/**
 * Calls `look` at once, when an entry of the folder that contains the file changes (thus also when the file is replaced), and once
 * a minute; for a folder, when any of its entries changes. Where the folder cannot be watched, only once a minute. Does not keep
 * the process alive.
 */
export class WatchedFile {
  readonly #options: WatchedFileOptions;
  #watcher: FSWatcher | undefined;
  #cancelPoll: () => void = () => {};
  #looking: Promise<void> | undefined;
  #lookAgain = false;
  #closed = false;

  constructor(options: WatchedFileOptions) {
    this.#options = options;
    this.#watch();
    this.#poll();
    // The file may have changed before it was watched.
    this.#look();
  }

  /** Resolves when the look under way has ended. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#cancelPoll();
    this.#watcher?.close();
    await this.#looking;
  }

  #watch(): void {
    const { file, isFolder = false } = this.#options;
    const names = [basename(file), VOLUME_LINK];
    try {
      this.#watcher = watch(isFolder ? file : dirname(file), { persistent: false }, (_, name) => {
        if (name === null || isFolder || names.includes(name)) this.#look();
      });
      this.#watcher.on("error", () => this.#unwatch());
    } catch {
      this.#unwatch();
    }
  }

  /** The next poll watches again. */
  #unwatch(): void {
    this.#watcher?.close();
    this.#watcher = undefined;
  }

  #poll(): void {
    const { timers } = this.#options;
    this.#cancelPoll = timers.start(POLL_INTERVAL, () => {
      if (this.#closed) return;
      if (this.#watcher === undefined) this.#watch();
      this.#look();
      this.#poll();
    });
  }

  #look(): void {
    this.#lookAgain = true;
    this.#looking ??= outside(this.#lookWhileAsked()).finally(() => {
      this.#looking = undefined;
    });
  }

  async #lookWhileAsked(): Promise<void> {
    while (this.#lookAgain && !this.#closed) {
      this.#lookAgain = false;
      await this.#options.look();
    }
  }
}
