import { setTimeout } from "node:timers/promises";
import { deferred } from "../../../src/base/deferred.js";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { controllerManagerMissing as missing } from "../../helpers/kube-controller-manager.js";
import { daemonSetScenarios } from "./daemon-set-scenarios.js";
import { deploymentScenarios } from "./deployment-scenarios.js";
import { type JudgedCluster, judgedCluster } from "./judged-cluster.js";
import { LATER } from "./later.js";
import { masked } from "../../helpers/masked-objects.js";
import { replicaSetScenarios } from "./replica-set-scenarios.js";
import type { Scenario, Session } from "./scenario.js";
import { isComplete, isObserved, objectsOf, type Seen } from "./seen.js";
import { statefulSetScenarios } from "./stateful-set-scenarios.js";

// kube-controller-manager 1.20 and our controllers do the same work, each in a cluster of ours. Both end with the same objects.
if (missing !== undefined) process.stdout.write(`kube-controller-manager 1.20 as a judge is skipped: ${missing}\n`);

const scenarios = [...deploymentScenarios, ...replicaSetScenarios, ...statefulSetScenarios, ...daemonSetScenarios];
/** Longer than any step takes on a busy machine. Milliseconds. */
const PATIENCE = 60_000;
const LANES = 6;
const used = new Set<string>();

/** What 1.20 left and what ours left: those fields of a scenario that differ, without those that came later. */
interface Difference {
  readonly step: number;
  readonly only120: readonly string[];
  readonly onlyOurs: readonly string[];
}

function differenceOf(step: number, [theirs, ours]: readonly [Session, Session]): Difference {
  const [then, now] = [masked(objectsOf(theirs.seen)), masked(objectsOf(ours.seen))];
  const [known, found] = [new Set(then), new Set(now)];
  const later = ({ field }: (typeof LATER)[number], text: string): boolean => {
    const is = field.test(text);
    if (is) used.add(String(field));
    return is;
  };
  return {
    step,
    only120: then.filter((text) => !found.has(text) && !LATER.some((one) => later(one, text))),
    onlyOurs: now.filter((text) => !known.has(text) && !LATER.some((one) => later(one, text))),
  };
}

async function run({ steps }: Scenario, sessions: readonly [Session, Session]): Promise<Difference | undefined> {
  for (const [index, { act, until = isComplete }] of steps.entries()) {
    await Promise.all(sessions.map(act));
    const end = performance.now() + PATIENCE;
    let difference: Difference | undefined;
    do {
      await setTimeout(50);
      const [theirs, ours] = sessions.map((session) => pending(session, until));
      if (`${theirs}${ours}` === "") difference = differenceOf(index + 1, sessions);
      else difference = { step: index + 1, only120: [`${theirs}`], onlyOurs: [`${ours}`] };
    } while (!isEmpty(difference) && performance.now() < end);
    if (!isEmpty(difference)) return difference;
  }
  return undefined;
}

function textOf(difference: Difference | undefined): string {
  if (difference === undefined) return "";
  const { step, only120, onlyOurs } = difference;
  return [`after step ${step}`, ...only120.map((one) => `1.20: ${one}`), ...onlyOurs.map((one) => `ours: ${one}`)].join(
    "\n",
  );
}

/** What a session waits for; "" when a step's work is done. */
function pending({ seen, isCurrent }: Session, until: (seen: Seen) => boolean): string {
  if (!isCurrent()) return "the cache does not know all writes";
  if (!isObserved(seen)) return "a workload is not observed, or a pod terminates";
  return until(seen)
    ? ""
    : `waits for ${until}: ${JSON.stringify([seen.pods.length, seen.deployments.map((d) => [d.spec?.replicas, d.status]), seen.replicaSets.map((d) => [d.metadata?.annotations, d.spec?.replicas, d.status])])}`;
}

const isEmpty = ({ only120, onlyOurs }: Difference): boolean => only120.length + onlyOurs.length === 0;

describe.skipIf(missing !== undefined)(
  "kube-controller-manager 1.20 and our controllers end with the same",
  {
    timeout: 300_000,
  },
  () => {
    let clusters: readonly [JudgedCluster, JudgedCluster];
    const sessions: (readonly [Session, Session])[] = [];
    const runs = scenarios.map(() => deferred<Difference | undefined>());

    /** Runs the scenarios, a few at once. */
    async function inLanes(): Promise<void> {
      const waiting = [...scenarios.entries()];
      const lane = async (): Promise<void> => {
        for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
          const [index, scenario] = next;
          const done = runs[index] as (typeof runs)[number];
          await run(scenario, sessions[index] as readonly [Session, Session]).then(done.resolve, done.reject);
        }
      };
      await Promise.all(Array.from({ length: LANES }, lane));
    }

    beforeAll(async () => {
      clusters = await Promise.all([judgedCluster("theirs"), judgedCluster("ours")]);
      for (const [index] of scenarios.entries()) {
        const [theirs, ours] = clusters.map((cluster) => cluster.session(`scenario-${index}`));
        sessions.push(await Promise.all([theirs as Promise<Session>, ours as Promise<Session>]));
      }
      void inLanes();
    });
    afterAll(async () => {
      await Promise.all((clusters ?? []).map((cluster) => cluster.close()));
    });

    test.each(scenarios.map(({ title }, index) => ({ title, index })))("$title", async ({ index }) => {
      expect(textOf(await runs[index]?.promise)).toBe("");
    });

    test("nothing has changed when all scenarios have ended", async () => {
      await Promise.all(runs.map(({ promise }) => promise));
      await setTimeout(500);
      const differences = sessions.map((pair) => differenceOf(0, pair)).filter((one) => !isEmpty(one));
      expect(differences.map(textOf)).toEqual([]);
    });

    test("every field that came later is there", () => {
      expect(LATER.map(({ field }) => String(field)).filter((field) => !used.has(field))).toEqual([]);
    });
  },
);
