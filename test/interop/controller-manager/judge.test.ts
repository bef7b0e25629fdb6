import { setTimeout } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { deferred } from "../../../src/base/async/deferred.js";
import { inParallel } from "../../../src/base/async/in-parallel.js";
import { eventually } from "../../helpers/eventually.js";
import { controllerManagerMissing as missing } from "../../helpers/kube-controller-manager.js";
import { differenceOf, eventDifferenceOf, needed, type Pair } from "./comparison.js";
import { daemonSetScenarios } from "./daemon-set-scenarios.js";
import { deploymentScenarios } from "./deployment-scenarios.js";
import { type JudgedCluster, judgedCluster } from "./judged-cluster.js";
import { BEYOND, LATER } from "./later.js";
import { play } from "./play.js";
import { replicaSetScenarios } from "./replica-set-scenarios.js";
import { isComplete, isObserved } from "./seen.js";
import { statefulSetScenarios } from "./stateful-set-scenarios.js";

// kube-controller-manager 1.20 and our controllers do the same work, each in a cluster of ours. Both end with the same objects.
if (missing !== undefined) process.stdout.write(`kube-controller-manager 1.20 as a judge is skipped: ${missing}\n`);

const scenarios = [...deploymentScenarios, ...replicaSetScenarios, ...statefulSetScenarios, ...daemonSetScenarios];
const LANES = 6;

describe.skipIf(missing !== undefined)("kube-controller-manager 1.20 and our controllers", () => {
  const plays = scenarios.map((scenario) => ({ scenario, found: deferred<string>() }));
  const pairs: Pair[] = [];
  let theirs: JudgedCluster;
  let ours: JudgedCluster;

  async function newPair(namespace: string): Promise<Pair> {
    return { theirs: await theirs.session(namespace), ours: await ours.session(namespace) };
  }

  /** Plays all scenarios, a few at a time. */
  async function playAll(): Promise<void> {
    await inParallel(plays, LANES, async ({ scenario, found }, index) => {
      const pair = await newPair(`scenario-${index}`);
      pairs.push(pair);
      await play(scenario, pair).then(found.resolve, found.reject);
    });
  }

  beforeAll(async () => {
    [theirs, ours] = await Promise.all([judgedCluster("theirs"), judgedCluster("ours")]);
    // A test waits for its own scenario, and reports how it failed.
    for (const { found } of plays) found.promise.catch(() => {});
    void playAll();
  });
  afterAll(async () => {
    await theirs?.close();
    await ours?.close();
  });

  test.each(plays)("leave the same objects: $scenario.title", async ({ found }) => {
    expect(await found.promise).toBe("");
  });

  test("have changed nothing more when all scenarios have ended", async () => {
    await Promise.all(plays.map(({ found }) => found.promise));
    await setTimeout(500);
    expect(pairs.map(differenceOf).filter((found) => found !== "")).toEqual([]);
  });

  test("record the same events, except for names and numbers", async () => {
    await eventually(() => {
      expect(pairs.map(eventDifferenceOf).filter((found) => found !== "")).toEqual([]);
    });
  });

  test.each(BEYOND)("differ in a known way: $title", async ({ title, steps, done }) => {
    const pair = await newPair(title.replaceAll(/\W+/g, "-").toLowerCase().replace(/-+$/, ""));
    for (const act of steps) {
      await Promise.all([act(pair.theirs), act(pair.ours)]);
      await eventually(() => {
        for (const session of [pair.theirs, pair.ours]) {
          expect(session.isCurrent() && isObserved(session.seen) && isComplete(session.seen)).toBe(true);
        }
      });
    }
    await eventually(() => expect(done(pair.ours.seen)).toBe(true));
    expect(done(pair.theirs.seen)).toBe(false);
  });

  test("differ in every field of the list of later additions", () => {
    expect(LATER.filter((row) => !needed.has(row))).toEqual([]);
  });
});
