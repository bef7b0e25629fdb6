import { masked } from "../../helpers/masked-objects.js";
import { LATER } from "./later.js";
import type { Session } from "./scenario.js";
import { objectsOf } from "./seen.js";

/** The same namespace as kube-controller-manager 1.20 has it, and as our controllers have it. */
export interface Pair {
  readonly theirs: Session;
  readonly ours: Session;
}

/** The rows of {@link LATER} that were needed. */
export const needed = new Set<(typeof LATER)[number]>();

/** The fields that differ, a line for each, without those that came after 1.20; "" when there are none. */
export function differenceOf({ theirs, ours }: Pair): string {
  const [then, now] = [masked(objectsOf(theirs.seen)), masked(objectsOf(ours.seen))];
  return [...notIn(now, then).map((line) => `1.20: ${line}`), ...notIn(then, now).map((line) => `ours: ${line}`)].join(
    "\n",
  );
}

/** The lines of the second that the first has not. */
function notIn(known: readonly string[], lines: readonly string[]): readonly string[] {
  const all = new Set(known);
  return lines.filter((line) => {
    if (all.has(line)) return false;
    const later = LATER.find(({ field }) => field.test(line));
    if (later !== undefined) needed.add(later);
    return later === undefined;
  });
}
