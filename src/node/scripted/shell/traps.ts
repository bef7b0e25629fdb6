import type { ProgramIo } from "../program.js";

/** The traps of a shell: scripts that run when a signal comes, after the command that runs then. */
export class Traps {
  readonly #scripts = new Map<string, string>();
  readonly #remove = new Map<string, () => void>();
  #pending: string[] = [];
  #wake = (): void => {};

  constructor(private readonly io: Pick<ProgramIo, "onSignal">) {}

  /** "" ignores the signal; undefined restores the default. "EXIT" is the end of the shell. */
  set(signal: string, script: string | undefined): void {
    this.#remove.get(signal)?.();
    this.#scripts.delete(signal);
    if (script === undefined) return;
    this.#scripts.set(signal, script);
    if (signal === "EXIT") return;
    const remove = this.io.onSignal(signal, () => {
      if (script !== "") this.#pending.push(script);
      this.#wake();
    });
    this.#remove.set(signal, remove);
  }

  /** The scripts of the signals that have come since the last call. */
  takePending(): readonly string[] {
    return this.#pending.splice(0);
  }

  /** The script of the shell's end, which runs once. */
  takeExit(): string | undefined {
    const script = this.#scripts.get("EXIT");
    this.#scripts.delete("EXIT");
    return script;
  }

  /** Resolves when a trapped signal comes. */
  nextSignal(): Promise<undefined> {
    return new Promise((resolve) => (this.#wake = () => resolve(undefined)));
  }
}
