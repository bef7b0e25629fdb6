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

const COMPONENTS = ["deployment", "replicaset", "statefulset", "daemonset"].map((name) => `${name}-controller`);

/** The kinds of events that one of the two recorded and the other did not, a line for each; "" when there are none. */
export function eventDifferenceOf({ theirs, ours }: Pair): string {
  const [then, now] = [eventsOf(theirs), eventsOf(ours)];
  return [
    ...[...then].filter((event) => !now.has(event)).map((event) => `1.20: ${event}`),
    ...[...now].filter((event) => !then.has(event)).map((event) => `ours: ${event}`),
  ].join("\n");
}

function eventsOf({ events }: Session): ReadonlySet<string> {
  const own = events.filter(({ source }) => COMPONENTS.includes(source?.component ?? ""));
  return new Set(
    own
      // A cache that was behind shows when it happens to be read.
      .filter(({ message = "" }) => !/(not found|already exists)$/.test(message))
      .map(({ type, reason, message = "", source, involvedObject }) => {
        return [source?.component, involvedObject.kind, type, reason, withoutNames(message)].join(" ");
      }),
  );
}

/** With names and numbers masked, which depend on the steps in which a rollout happens to go; as 1.20 words it. */
function withoutNames(message: string): string {
  return message
    .replace("(combined from similar events): ", "")
    .replace(/^(Scaled .*) from \d+ to/, "$1 to")
    .replaceAll(/\b(web|old)(-[a-z0-9]{8,10})?(-[a-z0-9]{5})?\b/g, "NAME")
    .replaceAll(/\b\d+\b/g, "N");
}
