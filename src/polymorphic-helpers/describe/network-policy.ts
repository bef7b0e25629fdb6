import type { LabelSelector } from "../../api/types/meta/v1.js";
import type {
  NetworkPolicyEgressRule,
  NetworkPolicyIngressRule,
  NetworkPolicyPeer,
  NetworkPolicyPort,
  NetworkPolicySpec,
} from "../../api/types/networking/v1.js";
import { absent, isStruct, list, object, objects, type Received, text } from "../../machinery/meta/received.js";
import { formatSelectorObject } from "../../machinery/selectors/api-label-selector.js";
import { timeText } from "./dates.js";
import type { Describer } from "./describer.js";
import type { DescriptionWriter } from "./description.js";
import { joined, scalar, whole } from "./go-fields.js";
import { describeLabelsAndAnnotations, describeName } from "./labels.js";

/** Describes a NetworkPolicy without events, because kubectl requests none. */
export const describeNetworkPolicy: Describer = async (namespace, name, description, { reader, zoneName }) => {
  const policy = await reader.get("networking.k8s.io/v1/NetworkPolicy", namespace, name);
  const spec = object(policy.spec);
  describeName(description, policy);
  description.write(0, `Created on:\t${timeText(policy.metadata?.creationTimestamp, zoneName)}\n`);
  describeLabelsAndAnnotations(description, policy);
  description.write(0, "Spec:\n");
  const selected = selectorText(spec.podSelector);
  const all = "<none> (Allowing the specific traffic to all pods in this namespace)";
  // Written in two pieces by kubectl, the second of which is indented too.
  description.write(1, `PodSelector:     ${selected === "<none>" ? all : selected}\n`);
  for (const direction of DIRECTIONS) describeDirection(description, direction, spec);
  description.write(1, `Policy Types: ${joined(spec.policyTypes, ", ") || "<none>"}\n`);
};

type Peers = Received<NetworkPolicyPeer[]> | null | undefined;

interface Direction {
  readonly type: "Ingress" | "Egress";
  /** The field of the rules, and how the traffic is called. */
  readonly rules: "ingress" | "egress";
  /** Who is at the other end of a rule's traffic. */
  readonly peers: (rule: Received<NetworkPolicyIngressRule & NetworkPolicyEgressRule>) => Peers;
  readonly title: string;
  readonly otherEnd: string;
}

const DIRECTIONS: readonly Direction[] = [
  { type: "Ingress", rules: "ingress", peers: ({ from }) => from, title: "From", otherEnd: "source" },
  { type: "Egress", rules: "egress", peers: ({ to }) => to, title: "To", otherEnd: "destination" },
];

function describeDirection(
  description: DescriptionWriter,
  direction: Direction,
  spec: Received<NetworkPolicySpec>,
): void {
  const { type, rules: traffic, peers, title, otherEnd } = direction;
  if (!list(spec.policyTypes).includes(type)) {
    description.write(1, `Not affecting ${traffic} traffic\n`);
    return;
  }
  description.write(1, `Allowing ${traffic} traffic:\n`);
  const rules: readonly Received<NetworkPolicyIngressRule & NetworkPolicyEgressRule>[] = objects(spec[traffic]);
  if (rules.length === 0) {
    description.write(2, `<none> (Selected pods are isolated for ${traffic} connectivity)\n`);
  }
  for (const [index, rule] of rules.entries()) {
    if (index > 0) description.write(2, "----------\n");
    const [ports, ends] = [objects(rule.ports), objects(peers(rule))];
    if (ports.length === 0) description.write(2, "To Port: <any> (traffic allowed to all ports)\n");
    for (const port of ports) description.write(2, `${portText(port)}\n`);
    if (ends.length === 0) description.write(2, `${title}: <any> (traffic not restricted by ${otherEnd})\n`);
    for (const end of ends) {
      description.write(2, `${title}:\n`);
      describePeer(description, end);
    }
  }
}

/** A range has a numbered beginning; a port that is not told is kubectl's "<nil>". */
function portText({ port, endPort, protocol }: Received<NetworkPolicyPort>): string {
  const [first, over] = [scalar(port, "<nil>"), absent(protocol) ? "TCP" : text(protocol)];
  return absent(endPort) ? `To Port: ${first}/${over}` : `To Port Range: ${first}-${whole(endPort)}/${over}`;
}

function describePeer(description: DescriptionWriter, peer: Received<NetworkPolicyPeer>): void {
  const { namespaceSelector, podSelector, ipBlock } = peer;
  const selectors = { NamespaceSelector: namespaceSelector, PodSelector: podSelector };
  for (const [title, selector] of Object.entries(selectors)) {
    if (isStruct(selector)) description.write(3, `${title}: ${selectorText(selector)}\n`);
  }
  if (isStruct(namespaceSelector) || isStruct(podSelector) || !isStruct(ipBlock)) return;
  description.write(3, "IPBlock:\n");
  description.write(4, `CIDR: ${text(ipBlock.cidr)}\n`);
  description.write(4, `Except: ${joined(ipBlock.except, ", ")}\n`);
}

const selectorText = (selector: Received<LabelSelector> | null | undefined): string =>
  formatSelectorObject(object(selector));
