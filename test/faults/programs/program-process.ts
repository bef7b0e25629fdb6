import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { programUnderTest } from "../../helpers/program-under-test.js";

/** A program of a control plane in a process of its own, which is killed and begun again. */
export class ProgramProcess {
  readonly name: string;
  readonly #args: readonly string[];
  readonly #cwd: string;
  #child: ChildProcess | undefined;
  #log = "";

  constructor(name: string, args: readonly string[], cwd: string) {
    this.name = name;
    this.#args = args;
    this.#cwd = cwd;
  }

  /** What the last process has logged, at most its last 20,000 characters. */
  get log(): string {
    return this.#log;
  }

  begin(): void {
    const [program = "", ...words] = programUnderTest;
    const child = spawn(program, [...words, ...this.#args], { cwd: this.#cwd, stdio: ["ignore", "ignore", "pipe"] });
    this.#log = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => (this.#log = (this.#log + text).slice(-20_000)));
    // One that gives up, as a leader does that lost its Lease, is begun again, as a kubelet would.
    child.once("exit", () => {
      if (this.#child === child) this.begin();
    });
    this.#child = child;
  }

  /** Ends it with SIGKILL; it begins again. */
  kill(): void {
    this.#child?.kill("SIGKILL");
  }

  /** Lets it stand still, as on a machine that is suspended, until {@link resume}. */
  freeze(): void {
    this.#child?.kill("SIGSTOP");
  }

  /** It goes on where it was. */
  resume(): void {
    this.#child?.kill("SIGCONT");
  }

  /** Ends it for good. */
  async end(): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, "exit");
    child.kill("SIGKILL");
    await ended;
  }
}
