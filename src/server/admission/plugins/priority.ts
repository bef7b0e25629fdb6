import type { PriorityClass } from "../../../api/types/scheduling/v1.js";
import type { Pod } from "../../../api/types/core/v1.js";
import {
  absent,
  type DraftObject,
  ensureChild,
  number,
  object,
  type ReceivedObject,
  text,
} from "../../../machinery/meta/received.js";
import { type AdmissionAttributes, refused } from "../attributes.js";
import { handling, WRITES, type AdmissionContext, type AdmissionPlugin } from "../plugin.js";
import { isPods } from "./pods.js";

/** Sets the priority of pods from their PriorityClass, and rejects a second default class. */
export const priority: AdmissionPlugin = {
  name: "Priority",
  handles: handling(WRITES, "pods", "priorityclasses.scheduling.k8s.io"),
  async admit(attributes, context) {
    const { object: pod, oldObject, resource } = attributes;
    if (pod === undefined || !isPods(resource)) return;
    if (oldObject === undefined) await resolveClass(pod, attributes, context);
    else keepPriority(pod, oldObject);
  },
  async validate(attributes, context) {
    const { operation, resource } = attributes;
    const given: ReceivedObject<PriorityClass> | undefined = attributes.object;
    if (given?.globalDefault !== true || isPods(resource)) return;
    const current = globalDefault(await classesOf(context));
    if (current === undefined) return;
    const name = text(current.metadata?.name);
    if (operation === "UPDATE" && name === given.metadata?.name) return;
    throw refused(attributes, `PriorityClass ${name} is already marked as default. Only one default can exist`);
  },
};

const classesOf = ({ objects }: AdmissionContext): Promise<readonly ReceivedObject<PriorityClass>[]> =>
  objects.list("scheduling.k8s.io", "priorityclasses");

/** Two defaults come of writes at the same time; the lower one then counts. */
function globalDefault(classes: readonly ReceivedObject<PriorityClass>[]): ReceivedObject<PriorityClass> | undefined {
  const [lowest] = classes
    .filter((candidate) => candidate.globalDefault === true)
    .toSorted((a, b) => number(a.value) - number(b.value));
  return lowest;
}

/** Writes the class, or the default one, into a new pod. Throws 403 for a class that does not exist, and for another number. */
async function resolveClass(
  pod: DraftObject<Pod>,
  attributes: AdmissionAttributes,
  context: AdmissionContext,
): Promise<void> {
  const spec = ensureChild(pod, "spec");
  const name = text(spec.priorityClassName);
  const classes = await classesOf(context);
  const chosen = name === "" ? globalDefault(classes) : classes.find((candidate) => candidate.metadata?.name === name);
  if (name !== "" && chosen === undefined) throw refused(attributes, `no PriorityClass with name ${name} was found`);
  if (chosen !== undefined) spec.priorityClassName = chosen.metadata?.name;
  const value = number(chosen?.value);
  if (!absent(spec.priority) && spec.priority !== value) {
    const given = `the integer value of priority (${number(spec.priority)}) must not be provided in pod spec`;
    const computed = `priority admission controller computed ${value} from the given PriorityClass name`;
    throw refused(attributes, `${given}; ${computed}`);
  }
  spec.priority = value;
  const policy = text(chosen?.preemptionPolicy) || "PreemptLowerPriority";
  if (!absent(spec.preemptionPolicy) && spec.preemptionPolicy !== policy) {
    const given = `the string value of PreemptionPolicy (${text(spec.preemptionPolicy)}) must not be provided in pod spec`;
    const computed = `priority admission controller computed ${policy} from the given PriorityClass name`;
    throw refused(attributes, `${given}; ${computed}`);
  }
  spec.preemptionPolicy = policy;
}

/** What a changed pod leaves out is the old one's; validation decides whether it may differ. */
function keepPriority(pod: DraftObject<Pod>, old: ReceivedObject<Pod>): void {
  const [spec, before] = [ensureChild(pod, "spec"), object(old.spec)];
  if (absent(spec.priority) && !absent(before.priority)) spec.priority = before.priority;
  if (absent(spec.preemptionPolicy) && !absent(before.preemptionPolicy))
    spec.preemptionPolicy = before.preemptionPolicy;
}
