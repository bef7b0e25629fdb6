import type { RuntimeClass } from "../../../api/types/node/v1.js";
import { goQuote } from "../../../base/text/go-quote.js";
import type { Pod, ResourceList, Toleration } from "../../../api/types/core/v1.js";
import { quantity } from "../../../api/validation/resources.js";
import {
  absent,
  type DraftObject,
  ensureChild,
  list,
  object,
  type OrAbsent,
  type Received,
  type ReceivedObject,
  text,
} from "../../../machinery/meta/received.js";
import { compareQuantities } from "../../../machinery/text/quantity/quantity.js";
import { type AdmissionAttributes, refused } from "../attributes.js";
import { handling, type AdmissionContext, type AdmissionPlugin } from "../plugin.js";
import { mergeTolerations } from "./tolerations.js";

/** Sets the overhead, node selector and tolerations of the RuntimeClass on new pods, and rejects pods with another overhead. */
export const runtimeClass: AdmissionPlugin = {
  name: "RuntimeClass",
  handles: handling(["CREATE"], "pods"),
  admit(attributes, context) {
    const { object: pod } = attributes;
    const name = classNameOf(pod);
    if (pod === undefined || name === undefined) return;
    return classOf(name, attributes, context).then((found) => {
      setOverhead(pod, found, attributes);
      setScheduling(pod, found, attributes);
    });
  },
  validate(attributes, context) {
    const { object: pod } = attributes;
    if (pod === undefined) return;
    const name = classNameOf(pod);
    if (name === undefined) return checkOverhead(pod, {}, attributes);
    return classOf(name, attributes, context).then((found) => checkOverhead(pod, found, attributes));
  },
};

function classNameOf(pod: ReceivedObject<Pod> | undefined): string | undefined {
  const name = object(pod?.spec).runtimeClassName;
  return absent(name) ? undefined : text(name);
}

async function classOf(
  name: string,
  attributes: AdmissionAttributes,
  { objects }: AdmissionContext,
): Promise<ReceivedObject<RuntimeClass>> {
  const wanted = ["node.k8s.io", "runtimeclasses", "", name] as const;
  // As kube-apiserver: another look where the cache does not know the class yet.
  const found = (await objects.cached.get(...wanted)) ?? (await objects.get(...wanted));
  if (found === undefined) throw refused(attributes, `pod rejected: RuntimeClass ${goQuote(name)} not found`);
  return found;
}

type Amounts = OrAbsent<Received<ResourceList>>;

const MISMATCH = "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead";

function setOverhead(
  pod: DraftObject<Pod>,
  found: ReceivedObject<RuntimeClass>,
  attributes: AdmissionAttributes,
): void {
  if (absent(found.overhead)) return;
  const fixed = object(found.overhead).podFixed;
  const spec = ensureChild(pod, "spec");
  if (!absent(spec.overhead) && !sameAmounts(fixed, spec.overhead)) throw refused(attributes, MISMATCH);
  if (absent(fixed)) delete spec.overhead;
  else spec.overhead = structuredClone(fixed);
}

function checkOverhead(
  pod: ReceivedObject<Pod>,
  found: ReceivedObject<RuntimeClass>,
  attributes: AdmissionAttributes,
): void {
  const { overhead } = object(pod.spec);
  if (!absent(found.overhead)) {
    if (!sameAmounts(object(found.overhead).podFixed, overhead)) throw refused(attributes, MISMATCH);
  } else if (!absent(overhead)) {
    throw refused(attributes, "pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead");
  }
}

/** Whether two lists have the same amounts, however they are written. */
function sameAmounts(one: Amounts, other: Amounts): boolean {
  const [left, right] = [object(one), object(other)];
  const names = Object.keys(left);
  if (names.length !== Object.keys(right).length) return false;
  return names.every((name) => {
    const [a, b] = [quantity(left[name]), quantity(right[name])];
    return a !== undefined && b !== undefined && compareQuantities(a, b) === 0;
  });
}

function setScheduling(
  pod: DraftObject<Pod>,
  found: ReceivedObject<RuntimeClass>,
  attributes: AdmissionAttributes,
): void {
  if (absent(found.scheduling)) return;
  const { nodeSelector, tolerations } = object(found.scheduling);
  const spec = ensureChild(pod, "spec");
  const chosen = object(spec.nodeSelector);
  for (const [key, value] of Object.entries(object(nodeSelector))) {
    if (!Object.hasOwn(chosen, key) || chosen[key] === value) continue;
    const wanted = `runtimeClass.scheduling.nodeSelector[${key}] = ${String(value)}`;
    throw refused(attributes, `conflict: ${wanted}; pod.spec.nodeSelector[${key}] = ${String(chosen[key])}`);
  }
  if (!absent(nodeSelector)) spec.nodeSelector = { ...chosen, ...object(nodeSelector) };
  const merged = mergeTolerations(tolerationsOf(spec.tolerations), tolerationsOf(tolerations));
  if (merged.length > 0) spec.tolerations = structuredClone(merged);
}

const tolerationsOf = (value: OrAbsent<Received<Toleration[]>>): readonly Toleration[] =>
  list(value) as readonly Toleration[];
