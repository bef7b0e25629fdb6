import { writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { turn } from "../../src/base/async/turns.js";
import { isStatusError } from "../../src/machinery/errors/status-error.js";
import { ManualTime } from "../helpers/manual-time.js";
import { type Operation, type Restart, type Scenario, scenarios, type Step } from "./commands.js";
import { must } from "./model.js";
import { Operations } from "./operations.js";
import type { StoreSettings, StoreUnderTest } from "./store-under-test.js";
import { emptyTally, type Tally, World } from "./world.js";

export interface ModelTestOptions {
  /** Operations to run where KUBETS_MODEL_OPERATIONS does not say. */
  readonly operations: number;
  /** Whether the store can be killed. */
  readonly killable: boolean;
  /** Why the test cannot run. */
  readonly skip?: string | undefined;
  open(settings: StoreSettings): Promise<StoreUnderTest>;
}

/** How long a failing scenario is made smaller, in milliseconds. */
const SHRINKING = 60_000;

/**
 * Plays random scenarios on a store until enough operations were carried out. A failure names the seed of its scenario:
 * with KUBETS_MODEL_SEED only that one is played.
 */
export function modelTest(name: string, options: ModelTestOptions): void {
  const { skip } = options;
  const operations = Number(process.env["KUBETS_MODEL_OPERATIONS"] ?? options.operations);
  const only = process.env["KUBETS_MODEL_SEED"];
  describe.skipIf(skip !== undefined)(
    `random operations and faults on ${name}${skip === undefined ? "" : ` (skipped: ${skip})`}`,
    () => {
      test("clients receive only true answers under random operations and faults", {
        timeout: 3_600_000,
        retry: 0,
      }, async () => {
        const tally = emptyTally();
        if (only !== undefined) return playSeed(Number(only), options, tally);
        const first = Math.floor(Math.random() * 2 ** 30);
        for (let seed = first; tally.operations < operations; seed++) await playSeed(seed, options, tally);
        if (process.env["KUBETS_MODEL_REPORT"] !== undefined) {
          process.stdout.write(`${name}: ${JSON.stringify(tally)}\n`);
        }
        expectVariety(tally, options);
      });
    },
  );
}

async function playSeed(seed: number, options: ModelTestOptions, tally: Tally): Promise<void> {
  let failed: number | undefined;
  const property = fc.asyncProperty(scenarios, async (scenario) => {
    // What is not tried any more counts as good, so that the smallest failure found so far is kept.
    if (failed !== undefined && performance.now() - failed > SHRINKING) return;
    try {
      const played = await play(scenario, options);
      for (const what of Object.keys(tally) as (keyof Tally)[]) tally[what] += played[what];
    } catch (error) {
      failed ??= performance.now();
      throw error;
    }
  });
  const details = await fc.check(property, { seed, numRuns: 1 });
  if (!details.failed) return;
  const [scenario] = details.counterexample ?? [];
  const file = join(tmpdir(), `kubets-model-${seed}.json`);
  writeFileSync(file, JSON.stringify(scenario, undefined, 1));
  throw new Error(
    `KUBETS_MODEL_SEED=${seed} plays this again; ${details.numShrinks} times made smaller it is in ${file}`,
    {
      cause: details.errorInstance,
    },
  );
}

/** A test in which nothing happened proves nothing. */
function expectVariety(tally: Tally, { killable }: ModelTestOptions): void {
  for (const [what, count] of Object.entries(tally)) {
    if (what === "killed" && !killable) continue;
    if (tally.operations >= 20_000) expect(count, what).toBeGreaterThan(0);
  }
}

async function play(scenario: Scenario, options: ModelTestOptions): Promise<Tally> {
  const time = new ManualTime();
  const tally = emptyTally();
  const store = await options.open({ time, history: scenario.history });
  const world = new World(scenario, store, time, tally);
  try {
    await new Play(scenario, world).run();
    return tally;
  } finally {
    world.stopClock();
    await store.dispose();
  }
}

/** One scenario from its beginning to its end. */
class Play {
  readonly #operations: Operations;

  constructor(
    private readonly scenario: Scenario,
    private readonly world: World,
  ) {
    this.#operations = new Operations(world, scenario.keys);
  }

  async run(): Promise<void> {
    const { world, scenario } = this;
    const { steps } = scenario;
    await world.open(scenario.servers, nextEnd(steps) === "kill");
    for (const [index, step] of steps.entries()) await this.#take(step, steps.slice(index + 1));
    await this.#finish();
  }

  async #take(step: Step, rest: readonly Step[]): Promise<void> {
    const { world } = this;
    switch (step.step) {
      case "burst":
        await this.#burst(step.operations, step.restart, rest);
        return step.operations.length % 2 === 0 ? world.drain() : undefined;
      case "pass":
        await world.drain();
        return world.pass(step.seconds * 1000);
      case "compact":
        await world.drain();
        return world.compact(step.back);
      case "future":
        return this.#future();
    }
  }

  async #burst(operations: readonly Operation[], restart: Restart | undefined, rest: readonly Step[]): Promise<void> {
    const { world } = this;
    let answered = 0;
    const underWay = operations.map(async (operation) => {
      await this.#operations.perform(operation);
      answered++;
    });
    const all = Promise.all(underWay);
    if (restart === undefined) {
      await world.within("all operations are answered", all);
    } else {
      all.catch((error: unknown) => world.fail(error));
      const enough = Math.min(restart.after, operations.length);
      await world.until("operations are answered", () => answered >= enough);
      await world.end(restart.kind, all);
      await world.open(restart.servers, nextEnd(rest) === "kill");
      await this.#operations.resumeWatchers();
    }
    await world.settle();
  }

  /** A revision that does not come is waited for, and then a timeout. */
  async #future(): Promise<void> {
    const { world } = this;
    await world.drain();
    const resourceVersion = String((await world.current()) + 1000);
    for (let server = 0; server < world.serverCount; server++) {
      const store = world.server(server, "pods");
      const { signal } = new AbortController();
      const attempts = [
        store.get("a/k1", { resourceVersion }),
        store.list("", { resourceVersion }),
        store.list("", { resourceVersion, resourceVersionMatch: "Exact" }),
        first(store.watch("", { resourceVersion, sendInitialEvents: true, signal })),
      ].map((attempt) => attempt.then(() => "answered", codeOf));
      let codes: unknown[] | undefined;
      void Promise.all(attempts).then((all) => (codes = all));
      while (codes === undefined) {
        await sleep(2);
        world.elapse(500);
      }
      must(codes.join() === "504,504,504,504", () => `the future answered ${codes?.join()}`);
    }
    await world.pass(0);
    await turn();
  }

  /** Everybody reads on to the end; then all that anybody believes must be the state of the store. */
  async #finish(): Promise<void> {
    const { world } = this;
    for (const watcher of world.watchers) watcher.readOn();
    await world.drain();
    for (const watcher of world.watchers) if (watcher.running) watcher.verifyState();
    for (let server = 0; server < world.serverCount; server++) {
      for (const resource of ["pods", "configmaps"]) {
        await world.list(world.server(server, resource), { prefix: `/registry/${resource}/`, node: undefined });
      }
    }
    await world.settle();
    await world.end("close", Promise.resolve());
  }
}

/** How the store will next come to its end. */
function nextEnd(steps: readonly Step[]): "close" | "kill" {
  for (const step of steps) if (step.step === "burst" && step.restart !== undefined) return step.restart.kind;
  return "close";
}

async function first(watch: Promise<AsyncIterable<unknown>>): Promise<void> {
  for await (const _ of await watch) return;
}

function codeOf(error: unknown): unknown {
  return isStatusError(error) ? error.status.code : error;
}
