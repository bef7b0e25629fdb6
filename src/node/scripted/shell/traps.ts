import type { ProgramIo } from "../program.js";

/** What is trapped beside signals. */
const EVENTS = new Set(["EXIT", "ERR"]);

/** The traps of a shell: scripts that run at a signal, after the command that is running then. */
export class Traps {
  readonly #scripts = new Map<string, string>();
  readonly #remove = new Map<string, () => void>();
  /** The signals that have come and whose scripts have not run: one that comes again meanwhile counts once. */
  readonly #pending = new Set<string>();
  #wake = (_signal: string): void => {};

  constructor(private readonly io: Pick<ProgramIo, "onSignal" | "memory">) {}

  /** "" ignores the signal; undefined restores the default. "EXIT" is the end of the shell, "ERR" a command that fails. */
  set(signal: string, script: string | undefined): void {
    this.#remove.get(signal)?.();
    this.#remove.delete(signal);
    this.io.memory.take((script?.length ?? 0) - (this.#scripts.get(signal)?.length ?? 0));
    this.#scripts.delete(signal);
    if (script === undefined) return;
    this.#scripts.set(signal, script);
    if (EVENTS.has(signal)) return;
    this.#remove.set(
      signal,
      this.io.onSignal(signal, () => void this.receive(signal)),
    );
  }

  /** A signal has come. False where nothing traps it. */
  receive(signal: string): boolean {
    const script = this.#scripts.get(signal);
    if (script === undefined) return false;
    if (script !== "") this.#pending.add(signal);
    this.#wake(signal);
    return true;
  }

  /** What is trapped, and the scripts. */
  get scripts(): ReadonlyMap<string, string> {
    return this.#scripts;
  }

  /** The script of a signal that has come; undefined when none is left. */
  takePending(): string | undefined {
    const [signal] = this.#pending;
    if (signal === undefined) return undefined;
    this.#pending.delete(signal);
    return this.#scripts.get(signal) ?? "";
  }

  /** The script of the shell's end, which runs once. */
  takeExit(): string | undefined {
    const script = this.#scripts.get("EXIT");
    this.#scripts.delete("EXIT");
    return script;
  }

  /** Nothing more is trapped. */
  dispose(): void {
    for (const remove of this.#remove.values()) remove();
  }

  /** Resolves with the name of a trapped signal when one comes, or has come and its script has not run yet. */
  nextSignal(): Promise<string> {
    const [signal] = this.#pending;
    if (signal !== undefined) return Promise.resolve(signal);
    return new Promise((resolve) => (this.#wake = resolve));
  }
}
