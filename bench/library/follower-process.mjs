import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";

/** Nothing that this process started outlives it, suspended or not. */
const running = new Set();
process.once("exit", () => {
  for (const child of running) child.kill("SIGKILL");
});

/** A contender's process that has its cache; what that cost is in `synced` (see contenders/measured-follower.mjs). */
export class FollowerProcess {
  #child;
  #lines;

  /** `argv` is the program; `objects` are in the cluster of `kubeconfig`, a file. Throws when the program ends early. */
  static async start(argv, kubeconfig, objects) {
    const follower = new FollowerProcess(argv, kubeconfig, objects);
    follower.synced = await follower.#answer();
    if (follower.synced.objects !== objects) {
      throw new Error(
        `${argv.join(" ")} has ${follower.synced.objects} objects in its cache, the server has ${objects}`,
      );
    }
    return follower;
  }

  constructor([program, ...words], kubeconfig, objects) {
    this.#child = spawn(program, [...words, String(objects)], {
      stdio: ["pipe", "pipe", "inherit"],
      env: { ...process.env, KUBECONFIG: kubeconfig },
    });
    running.add(this.#child);
    this.#child.once("exit", () => running.delete(this.#child));
    this.#lines = createInterface({ input: this.#child.stdout })[Symbol.asyncIterator]();
  }

  /** Counts the next `count` changes. The process is ready for them when this resolves; `counted` resolves after the last. */
  async count(count) {
    this.#child.stdin.write(`count ${count}\n`);
    await this.#answer();
    return { counted: this.#answer() };
  }

  /** Holds the process: what the server sends waits in sockets and in the server. */
  suspend() {
    this.#child.kill("SIGSTOP");
  }

  resume() {
    this.#child.kill("SIGCONT");
  }

  async stop() {
    if (this.#child.exitCode !== null) return;
    const exited = once(this.#child, "exit");
    this.#child.stdin.end();
    await exited;
  }

  async #answer() {
    const { done, value } = await this.#lines.next();
    if (done) throw new Error(`${this.#child.spawnargs.join(" ")} ended before it answered`);
    return JSON.parse(value);
  }
}
