import { append } from "../../../base/collections/append.js";
import {
  type FieldError,
  forbiddenField,
  invalidValue,
  notSupported,
  required,
} from "../../../machinery/errors/field-error.js";
import {
  absent,
  isStruct,
  list,
  number,
  object,
  objects,
  type Received,
  type ReceivedObject,
  text,
} from "../../../machinery/meta/received.js";
import { isStrictlyWithin, parseCidr } from "../../../machinery/validation/ip.js";
import { portNameErrors } from "../../../machinery/validation/names.js";
import type {
  IPBlock,
  NetworkPolicy,
  NetworkPolicyPeer,
  NetworkPolicyPort,
  NetworkPolicySpec,
} from "../../types/networking/v1.js";
import { named, oneOf } from "../rules.js";
import { type SelectorRules, selectorRulesFor, validateSelector } from "../label-selector.js";
import { cidrWarnings, legacyCidr } from "../service/ip-fields.js";
import { portNumber } from "../service/service.js";

export function validateNetworkPolicy(policy: ReceivedObject<NetworkPolicy>): FieldError[] {
  return validateSpec(object(policy.spec), new Set(), {});
}

/** Validates an update of a NetworkPolicy. CIDR blocks and label values that the policy had before are accepted, wherever they are now. */
export function validateNetworkPolicyUpdate(
  policy: ReceivedObject<NetworkPolicy>,
  old: ReceivedObject<NetworkPolicy>,
): FieldError[] {
  const before = object(old.spec);
  const kept = peersOf(before).flatMap(({ peer }) => {
    const { cidr, except } = object(peer.ipBlock);
    return [text(cidr), ...list(except).map(text)];
  });
  return validateSpec(object(policy.spec), new Set(kept), selectorRulesFor([before.podSelector]));
}

function validateSpec(
  spec: Received<NetworkPolicySpec>,
  kept: ReadonlySet<string>,
  rules: SelectorRules,
): FieldError[] {
  const errors = validateSelector(spec.podSelector, "spec.podSelector", rules);
  for (const { rule, path, peers, at } of rulesOf(spec)) {
    append(
      errors,
      objects(rule.ports).flatMap((port, index) => validatePort(port, `${path}.ports[${index}]`)),
    );
    append(
      errors,
      objects(peers).flatMap((peer, index) => validatePeer(peer, `${at}[${index}]`, kept, rules)),
    );
  }
  return [...errors, ...validatePolicyTypes(list(spec.policyTypes).map(text))];
}

const rulesOf = (spec: Received<NetworkPolicySpec>) => [
  ...objects(spec.ingress).map((rule, index) => ({
    rule,
    path: `spec.ingress[${index}]`,
    peers: rule.from,
    at: `spec.ingress[${index}].from`,
  })),
  ...objects(spec.egress).map((rule, index) => ({
    rule,
    path: `spec.egress[${index}]`,
    peers: rule.to,
    at: `spec.egress[${index}].to`,
  })),
];

const peersOf = (spec: Received<NetworkPolicySpec>) =>
  rulesOf(spec).flatMap(({ peers, at }) => objects(peers).map((peer, index) => ({ peer, path: `${at}[${index}]` })));

const TYPES = ["Ingress", "Egress"];

function validatePolicyTypes(types: readonly string[]): FieldError[] {
  const path = "spec.policyTypes";
  if (types.length > TYPES.length) return [invalidValue(path, types, "may not specify more than two policyTypes")];
  return types.flatMap((type, index) => oneOf(type, `${path}[${index}]`, TYPES));
}

const PROTOCOLS = ["TCP", "UDP", "SCTP"];

function validatePort({ protocol, port, endPort }: Received<NetworkPolicyPort>, path: string): FieldError[] {
  const errors = absent(protocol) || PROTOCOLS.includes(text(protocol)) ? [] : [unsupportedProtocol(protocol, path)];
  const refuseEnd = (detail: string) => invalidValue(`${path}.endPort`, endPort, detail);
  if (absent(port)) {
    if (!absent(endPort)) errors.push(refuseEnd("may not be specified when `port` is not specified"));
  } else if (typeof port === "string") {
    if (!absent(endPort)) errors.push(refuseEnd("may not be specified when `port` is non-numeric"));
    append(errors, named(port, `${path}.port`, portNameErrors));
  } else {
    append(errors, portNumber(port, `${path}.port`));
    if (absent(endPort)) return errors;
    if (number(endPort) < number(port)) errors.push(refuseEnd("must be greater than or equal to `port`"));
    append(errors, portNumber(endPort, `${path}.endPort`));
  }
  return errors;
}

const unsupportedProtocol = (protocol: unknown, path: string) => notSupported(`${path}.protocol`, protocol, PROTOCOLS);

function validatePeer(
  peer: Received<NetworkPolicyPeer>,
  path: string,
  kept: ReadonlySet<string>,
  rules: SelectorRules,
): FieldError[] {
  const { podSelector, namespaceSelector, ipBlock } = peer;
  const errors = [
    ...validateSelector(podSelector, `${path}.podSelector`, rules),
    ...validateSelector(namespaceSelector, `${path}.namespaceSelector`, rules),
    ...(isStruct(ipBlock) ? validateIpBlock(ipBlock, `${path}.ipBlock`, kept) : []),
  ];
  const count = [podSelector, namespaceSelector, ipBlock].filter((one) => !absent(one)).length;
  if (count === 0) errors.push(required(path, "must specify a peer"));
  if (count > 1 && !absent(ipBlock)) {
    errors.push(forbiddenField(path, "may not specify both ipBlock and another peer"));
  }
  return errors;
}

function validateIpBlock(block: Received<IPBlock>, path: string, kept: ReadonlySet<string>): FieldError[] {
  const cidr = text(block.cidr);
  if (cidr === "") return [required(`${path}.cidr`)];
  const errors = legacyCidr(cidr, `${path}.cidr`, kept);
  const outer = parseCidr(cidr);
  if (outer === undefined) return errors;
  for (const [index, value] of list(block.except).map(text).entries()) {
    const at = `${path}.except[${index}]`;
    append(errors, legacyCidr(value, at, kept));
    const inner = parseCidr(value);
    if (inner !== undefined && !isStrictlyWithin(inner, outer)) {
      errors.push(invalidValue(at, value, "must be a strict subset of `cidr`"));
    }
  }
  return errors;
}

/** Returns the warnings about CIDR blocks that are valid but not canonical. */
export function networkPolicyWarnings(policy: ReceivedObject<NetworkPolicy>): string[] {
  return peersOf(object(policy.spec)).flatMap(({ peer, path }) => {
    const { cidr, except } = object(peer.ipBlock);
    const at = `${path}.ipBlock`;
    const excepted = list(except).flatMap((value, index) => cidrWarnings(text(value), `${at}.except[${index}]`));
    return [...(text(cidr) === "" ? [] : cidrWarnings(text(cidr), `${at}.cidr`)), ...excepted];
  });
}
