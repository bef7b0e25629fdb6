import { type ChildProcess, fork } from "node:child_process";
import { join } from "node:path";

/** How a shell ended and what it printed. */
export interface ShellOutcome {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

interface Surroundings {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

type Answer = { readonly id: number } & (ShellOutcome | { readonly error: string });

/**
 * Shells that a small process of their own starts. The process of the tests has a gigabyte, whose page tables the kernel copies for
 * each child: that takes ten milliseconds, in which no other test goes on.
 */
class Shells {
  readonly #waiting = new Map<number, { resolve(outcome: ShellOutcome): void; reject(error: Error): void }>();
  readonly #process: ChildProcess = fork(join(import.meta.dirname, "shells.mjs"), { execArgv: [] });
  #last = 0;

  constructor() {
    this.#process.on("message", (answer: Answer) => {
      const waiting = this.#waiting.get(answer.id);
      this.#waiting.delete(answer.id);
      if (this.#waiting.size === 0) this.#process.channel?.unref();
      if ("error" in answer) waiting?.reject(new Error(answer.error));
      else waiting?.resolve(answer);
    });
    this.#process.on("exit", () => {
      for (const { reject } of this.#waiting.values()) reject(new Error("the process that starts shells ended"));
      this.#waiting.clear();
    });
    this.#process.unref();
    this.#process.channel?.unref();
  }

  run(command: string, surroundings: Surroundings): Promise<ShellOutcome> {
    const id = ++this.#last;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#process.channel?.ref();
      this.#process.send({ id, command, ...surroundings });
    });
  }
}

let shells: Shells | undefined;

/** Runs a line by /bin/sh, without input, to its end. */
export const runShell = (command: string, surroundings: Surroundings): Promise<ShellOutcome> =>
  (shells ??= new Shells()).run(command, surroundings);
