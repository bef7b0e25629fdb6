import { setTimeout as pause } from "node:timers/promises";
import type { ApiProcess } from "../api-process.js";
import { versionOf } from "../informer.js";
import { sharedNow } from "./server-log.js";

/** Between two writes, in milliseconds: sixteen writers write twenty times a second together. */
const PERIOD = 800;
/** How long a server may take before the writer turns to another one. */
const PATIENCE = 5000;

/** Writes one object over and over, each time on the version that it read last: a write that comes too late changes nothing. */
export class CarefulWriter {
  readonly acknowledged: { readonly version: number; readonly at: number }[] = [];
  readonly name: string;
  readonly #collection: string;
  #holds = -1;
  /** Steps whose answer never came. */
  readonly #unknown = new Set<number>();

  constructor(private readonly path: string) {
    const end = path.lastIndexOf("/");
    this.#collection = path.slice(0, end);
    this.name = path.slice(end + 1);
  }

  /** Whether the object may hold this step: the last one that was acknowledged, or one that may have come after it. */
  couldHold(step: number | undefined): boolean {
    return step === this.#holds || (step !== undefined && this.#unknown.has(step));
  }

  async run(servers: readonly ApiProcess[], first: number, signal: AbortSignal): Promise<void> {
    let turn = first;
    let version: string | undefined;
    for (let step = 0; !signal.aborted; step++) {
      const metadata = { name: this.name, ...(version !== undefined && { resourceVersion: version }) };
      const body = { metadata, data: { step: String(step) } };
      this.#unknown.add(step);
      const answer = await this.#ask(servers[turn % servers.length], version === undefined ? "POST" : "PUT", body);
      if (answer?.status === 200 || answer?.status === 201) {
        version = answer.body.metadata.resourceVersion;
        this.#holds = step;
        this.#unknown.clear();
        this.acknowledged.push({ version: versionOf(answer.body), at: sharedNow() });
      } else {
        turn++;
        const read = await this.#ask(servers[turn % servers.length], "GET");
        if (read?.status === 200) {
          version = read.body.metadata.resourceVersion;
          const held = Number(read.body.data?.["step"]);
          if (held !== this.#holds && !this.#unknown.has(held))
            throw new Error(`${this.name} holds ${held}, not ${this.#holds}`);
          this.#holds = held;
        }
      }
      await pause(PERIOD);
    }
  }

  async #ask(server: ApiProcess | undefined, method: string, body?: object) {
    const answer = server?.call(method, method === "POST" ? this.#collection : this.path, body).catch(() => undefined);
    return Promise.race([answer, pause(PATIENCE, undefined)]);
  }
}
