import type { ContainerRecord } from "./container-record.js";
import type { PodContext } from "./pod-context.js";
import { runContainer } from "./run-container.js";
import { killContainers } from "./stop-containers.js";

/** Runs the containers of a pod: the init containers one after the other, then the others together. A restart rule may start another round. */
export class PodRounds {
  /** The containers of the last round are being ended, so that the next one may begin. */
  isRestarting = false;

  constructor(
    private readonly records: readonly ContainerRecord[],
    private readonly context: PodContext,
    private readonly stopping: AbortSignal,
    /** Takes work that goes on beside the round. */
    private readonly supervise: (work: Promise<unknown>) => void,
  ) {}

  /** Resolves when no container of the pod will run again but its sidecars, or when the pod is being stopped. */
  async run(): Promise<void> {
    while (!this.stopping.aborted) {
      if (!(await this.#round())) return;
    }
  }

  /** Runs a container that was added to the pod, once. */
  runEphemeral(record: ContainerRecord): Promise<void> {
    return runContainer(record, { signal: this.stopping, restartAll: () => {} }, this.context);
  }

  /** Answers whether a rule asks for another round. */
  async #round(): Promise<boolean> {
    const over = new AbortController();
    const end = (): void => over.abort();
    this.stopping.addEventListener("abort", end, { once: true });
    const sidecars: Promise<unknown>[] = [];
    let again = false;
    const restartAll = (): void => {
      again = true;
      this.isRestarting = true;
      this.context.changed();
      over.abort();
    };
    const main = this.#start({ signal: over.signal, restartAll }, sidecars);
    const ended = new Promise<void>((resolve) => over.signal.addEventListener("abort", () => resolve()));
    await Promise.race([main, ended]);
    if (!again || this.stopping.aborted) {
      await main;
      return false;
    }
    this.stopping.removeEventListener("abort", end);
    await this.#clear([main, ...sidecars]);
    return true;
  }

  /** Ends all containers, without their hooks and without grace. */
  async #clear(work: readonly Promise<unknown>[]): Promise<void> {
    const own = this.records.filter(({ kind }) => kind !== "ephemeral");
    await killContainers(own, this.context);
    await Promise.all(work);
    if (this.stopping.aborted) return;
    for (const record of own) if (record.id !== "") record.removedToRestart();
    this.isRestarting = false;
    this.context.changed();
  }

  async #start(run: { readonly signal: AbortSignal; restartAll(): void }, sidecars: Promise<unknown>[]): Promise<void> {
    for (const record of this.records.filter(({ kind }) => kind === "init")) {
      if (record.isSidecar) {
        await this.#startSidecar(record, run, sidecars);
        continue;
      }
      await runContainer(record, run, this.context);
      if (run.signal.aborted || record.exitCode !== 0) return;
      record.ready = true;
    }
    const main = this.records.filter(({ kind }) => kind === "main");
    await Promise.all(main.map((record) => runContainer(record, run, this.context)));
  }

  /** The next container waits until the sidecar has started once. */
  #startSidecar(
    record: ContainerRecord,
    run: { readonly signal: AbortSignal; restartAll(): void },
    sidecars: Promise<unknown>[],
  ): Promise<void> {
    return new Promise((resolve) => {
      const running = runContainer(record, { ...run, onStart: resolve }, this.context).finally(resolve);
      sidecars.push(running);
      this.supervise(running);
    });
  }
}
