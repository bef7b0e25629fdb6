import { goQuote } from "../../../base/text/go-quote.js";
import { type AmountKind, podTotal } from "../../../api/pods/pod-total.js";
import type { Node, Pod, ResourceList } from "../../../api/types/core/v1.js";
import { object, type OrAbsent, type Received, type ReceivedObject, text } from "../../../machinery/meta/received.js";
import { milliValue, wholeValue } from "../../../machinery/text/quantity/quantity.js";
import { handling, type AdmissionPlugin } from "../plugin.js";
import { refused } from "../attributes.js";
import { boundPodChange, nodeOf } from "./bound-pod-change.js";

/** Rejects a resize of a pod beyond the capacity of its node, or on a node that does not support it. */
export const podResizeValidator: AdmissionPlugin = {
  name: "PodResizeValidator",
  handles: handling(["UPDATE"], "pods/resize"),
  validate(attributes, context) {
    const change = boundPodChange(attributes);
    if (change === undefined) return;
    return nodeOf(change.node, attributes, context).then((node) => {
      const problem = lacking(change.pod, node) ?? unable(node);
      if (problem !== undefined) throw refused(attributes, problem);
    });
  },
};

/** CPU in thousandths, memory in bytes. */
interface Amounts {
  cpu: number;
  memory: number;
}

const amountsOf = (list: OrAbsent<Received<ResourceList>>): Amounts => ({
  cpu: milliValue(list?.cpu ?? 0),
  memory: wholeValue(list?.memory ?? 0),
});

const AMOUNTS: AmountKind<Amounts> = {
  none: () => ({ cpu: 0, memory: 0 }),
  add(to, more) {
    to.cpu += more.cpu;
    to.memory += more.memory;
  },
  raise(to, least) {
    to.cpu = Math.max(to.cpu, least.cpu);
    to.memory = Math.max(to.memory, least.memory);
  },
};

/** What a pod asks for: requests of the whole pod replace those of its containers, and overhead comes on top. */
function requestsOf({ spec }: Pod): Amounts {
  const { cpu, memory } = podTotal(spec, AMOUNTS, ({ resources }) => amountsOf(resources?.requests));
  const ofPod = spec?.resources?.requests;
  const overhead = amountsOf(spec?.overhead);
  return {
    cpu: (ofPod?.cpu === undefined ? cpu : milliValue(ofPod.cpu)) + overhead.cpu,
    memory: (ofPod?.memory === undefined ? memory : wholeValue(ofPod.memory)) + overhead.memory,
  };
}

function lacking(pod: ReceivedObject<Pod>, node: ReceivedObject<Node>): string | undefined {
  const asked = requestsOf(pod as Pod);
  const has = amountsOf(object(node.status).allocatable);
  const short = (["cpu", "memory"] as const)
    .filter((name) => asked[name] > has[name])
    .map((name) => `${name}, requested: ${asked[name]}, allocatable: ${has[name]}`);
  return short.length === 0 ? undefined : `Node didn't have enough allocatable resources: ${short.join("; ")}`;
}

function unable({ metadata }: ReceivedObject<Node>): string | undefined {
  const system = metadata?.labels?.["kubernetes.io/os"] ?? "";
  if (system === "linux") return undefined;
  const [node, found] = [goQuote(text(metadata?.name)), goQuote(system)];
  return `pod resize is only supported on linux nodes, node ${node} is ${found}`;
}
