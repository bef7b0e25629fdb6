import { setTimeout } from "node:timers/promises";
import { differenceOf, type Pair } from "./comparison.js";
import type { Scenario, Session } from "./scenario.js";
import { isComplete, isObserved, type Seen } from "./seen.js";
import { PATIENCE } from "../../helpers/patience.js";

/** Takes the steps of a scenario in both clusters. Answers how they differ after a step, or what a step waits for in vain; else "". */
export async function play({ steps }: Scenario, pair: Pair): Promise<string> {
  for (const [index, { act, until = isComplete }] of steps.entries()) {
    await Promise.all([act(pair.theirs), act(pair.ours)]);
    const end = performance.now() + PATIENCE;
    let found: string;
    do {
      await setTimeout(50);
      const [theirs, ours] = [pending(pair.theirs, until), pending(pair.ours, until)];
      if (theirs === "" && ours === "") found = differenceOf(pair);
      else found = `1.20: ${theirs || "done"}\nours: ${ours || "done"}`;
    } while (found !== "" && performance.now() < end);
    if (found !== "") return `after step ${index + 1}\n${found}`;
  }
  return "";
}

/** What a session waits for; "" when its controllers have done their part of a step. */
function pending(session: Session, until: (seen: Seen) => boolean): string {
  if (!session.isCurrent()) return "the caches do not know all writes";
  const { seen } = session;
  if (!isObserved(seen)) return "a workload is not observed, or a pod is on its way out";
  return until(seen) ? "" : `the condition of the step does not hold: ${until}`;
}
