import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";

/** Runs programs and says what each cost: wall and CPU in milliseconds, RSS in megabytes. Needs python3. */
export class MeasuredProcesses {
  #python = spawn("python3", [join(import.meta.dirname, "measure.py")], { stdio: ["pipe", "pipe", "inherit"] });
  #answers = createInterface({ input: this.#python.stdout });

  /** Throws when the program fails. */
  async run(argv, env) {
    const answered = once(this.#answers, "line");
    this.#python.stdin.write(`${JSON.stringify({ argv, env })}\n`);
    const cost = JSON.parse((await answered)[0]);
    if (cost.code !== 0) throw new Error(`${argv.join(" ")} ended with ${cost.code}: ${cost.stderr}`);
    return cost;
  }

  async stop() {
    this.#python.stdin.end();
    await once(this.#python, "exit");
  }
}
