import type { Clock } from "../../../base/time/clock.js";
import { inSlices } from "../../../base/async/time-slice.js";
import type { Steps } from "../../../base/async/steps.js";
import { evaluatePod, violationReasons } from "../../../api/pod-security/evaluate-pod.js";
import { formatStandard, type Standard } from "../../../api/pod-security/policy.js";
import { object, text } from "../../../machinery/meta/access.js";
import type { KubeObject } from "../../../machinery/meta/object.js";
import type { AdmissionAttributes } from "../attributes.js";
import type { AdmissionObjectReader } from "../plugin.js";
import { checkedPod } from "./review-pod.js";

const MOST_PODS = 3000;
const MOST_MILLISECONDS = 1000;

/** What is used of the server. */
export interface PodLister {
  readonly objects: { readonly cached: Pick<AdmissionObjectReader, "list"> };
  readonly clock: Clock;
}

/**
 * What a namespace's new level of enforcement would say of the pods that are there, as warnings: pods with the same violations
 * together, under the first of their names. At most 3000 pods are looked at, for at most a second and half of the time that the
 * request has left; one pod of each controller comes first.
 */
export async function existingPodWarnings(
  namespace: string,
  enforce: Standard,
  { timeLeft = Number.POSITIVE_INFINITY, signal }: Pick<AdmissionAttributes, "timeLeft" | "signal">,
  { objects, clock }: PodLister,
  exemptClasses: ReadonlySet<string>,
): Promise<readonly string[]> {
  const end = clock.now() + Math.min(MOST_MILLISECONDS, timeLeft / 2);
  let all: readonly KubeObject[];
  try {
    all = await objects.cached.list("", "pods", namespace);
  } catch {
    return ["failed to list pods while checking new PodSecurity enforce level"];
  }
  const pods = inOrderOfNews(all, exemptClasses);
  const { looked, violators } = await inSlices(
    look(pods.slice(0, MOST_PODS), enforce, () => clock.now() >= end || signal.aborted),
  );
  const warnings: string[] = [];
  if (looked < pods.length) {
    const among = `${looked} of ${pods.length} existing pods`;
    warnings.push(`new PodSecurity enforce level only checked against the first ${among}`);
  }
  if (violators.size > 0) {
    const level = `"${formatStandard(enforce)}"`;
    warnings.push(`existing pods in namespace "${namespace}" violate the new PodSecurity enforce level ${level}`);
  }
  const grouped = [...violators].map(([reasons, { first, count }]) => `${first}${others(count)}: ${reasons}`);
  return [...warnings, ...grouped.toSorted()];
}

interface Violators {
  /** The first in byte order. */
  first: string;
  count: number;
}

/** Groups pods by what is wrong with them. It ends behind the pod at which it is late. */
function* look(
  pods: readonly KubeObject[],
  enforce: Standard,
  isLate: () => boolean,
): Steps<{ readonly looked: number; readonly violators: ReadonlyMap<string, Violators> }> {
  const violators = new Map<string, Violators>();
  let looked = 0;
  for (const pod of pods) {
    yield;
    looked += 1;
    const violations = evaluatePod(enforce, checkedPod(pod));
    if (violations.length > 0) add(violators, violationReasons(violations), pod.metadata?.name ?? "");
    if (isLate()) break;
  }
  return { looked, violators };
}

function add(violators: Map<string, Violators>, reasons: string, name: string): void {
  const known = violators.get(reasons);
  if (known === undefined) {
    violators.set(reasons, { first: name, count: 1 });
    return;
  }
  known.count += 1;
  if (name < known.first) known.first = name;
}

function others(count: number): string {
  if (count === 1) return "";
  return count === 2 ? " (and 1 other pod)" : ` (and ${count - 1} other pods)`;
}

/** Pods that tell something new first: those behind the first of a controller are likely the same. */
function inOrderOfNews(pods: readonly KubeObject[], exemptClasses: ReadonlySet<string>): readonly KubeObject[] {
  const seen = new Set<string>();
  const [first, alike]: [KubeObject[], KubeObject[]] = [[], []];
  for (const pod of pods) {
    if (exemptClasses.has(text(object(pod["spec"])["runtimeClassName"]))) continue;
    const owner = pod.metadata?.ownerReferences?.find(({ controller }) => controller === true)?.uid;
    if (owner !== undefined && seen.has(owner)) {
      alike.push(pod);
      continue;
    }
    first.push(pod);
    if (owner !== undefined) seen.add(owner);
  }
  return [...first, ...alike];
}
