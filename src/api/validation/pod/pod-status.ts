import { append } from "../../../base/collections/append.js";
import { type FieldError, forbiddenField, invalidValue } from "../../../machinery/errors/field-error.js";
import {
  absent,
  list,
  number,
  object,
  objects,
  type Received,
  type ReceivedObject,
  text,
} from "../../../machinery/meta/received.js";
import { dns1123SubdomainErrors, qualifiedNameErrors } from "../../../machinery/validation/names.js";
import { mayRestartAll, restartAction } from "../../pods/restart-policy.js";
import type { ServerTraits } from "../../gates/feature-gates.js";
import type { Container, ContainerStatus, Pod, PodSpec, PodStatus } from "../../types/core/v1.js";
import type { TypeRules } from "../declarative/field-rules.js";
import { validateDeclared } from "../declarative/validate-declared.js";
import { podHealthRules } from "../volumes/volume-health.js";
import { check, checkRange, type Errors } from "../collect.js";
import { goJson } from "../go-shapes.js";
import { IMMUTABLE } from "../rules.js";
import { legacyIp } from "../service/ip-fields.js";
import { optionsOfChange } from "./pod-options.js";
import { checkAnnotations } from "./pod-update.js";

const SYSTEM_CONDITIONS: ReadonlySet<unknown> = new Set(["PodScheduled", "Ready", "Initialized"]);
const NOT_NEGATIVE = "must be a non-negative integer";

/** Validates an update of a pod's status. */
export function validatePodStatusUpdate(
  pod: ReceivedObject<Pod>,
  old: ReceivedObject<Pod>,
  server: ServerTraits,
): FieldError[] {
  const errors: Errors = [];
  const [status, before] = [object(pod.status), object(old.status)];
  checkAnnotations(pod, old, optionsOfChange(old, true, server), errors);
  for (const [index, condition] of objects(status.conditions).entries()) {
    const at = `status.conditions[${index}]`;
    if (number(condition.observedGeneration) < 0) {
      errors.push(invalidValue(`${at}.observedGeneration`, condition.observedGeneration, NOT_NEGATIVE));
    }
    if (!SYSTEM_CONDITIONS.has(condition.type)) check(text(condition.type), `${at}.Type`, qualifiedNameErrors, errors);
  }
  checkNomination(status, before, old, errors);
  if (number(status.observedGeneration) < 0) {
    errors.push(invalidValue("status.observedGeneration", status.observedGeneration, NOT_NEGATIVE));
  }
  if (text(status.qosClass) !== text(before.qosClass)) {
    errors.push(invalidValue("status.qosClass", text(status.qosClass), IMMUTABLE));
  }
  for (const field of ["containerStatuses", "initContainerStatuses", "ephemeralContainerStatuses"] as const) {
    checkTransitions(field, status, before, object(old.spec), errors);
    // K37-073: Kubernetes 1.36 refuses those beyond 2147483647 too.
    if (server.release.atLeast("1.37")) checkUsers(field, status, errors);
  }
  checkClaims(status, object(pod.spec), errors);
  checkAddresses("podIPs", "PodIP", status, before, errors);
  if (list(status.hostIPs).length > 0) {
    const [first] = objects(status.hostIPs);
    if (text(status.hostIP) !== text(first?.ip)) {
      errors.push(invalidValue("status.hostIPs[0].ip", text(first?.ip), "must be equal to `hostIP`"));
    }
    checkAddresses("hostIPs", "HostIP", status, before, errors);
  }
  // K37-032.
  for (const rules of [...(server.release.atLeast("1.37") ? [claimResourceRules] : []), podHealthRules]) {
    append(errors, validateDeclared(rules, status, before, "status", { isUpdate: true }));
  }
  return errors;
}

/** What of a node a pod's claims use (K37-032). */
const claimResourceRules: TypeRules<PodStatus> = {
  fields: {
    nodeAllocatableResourceClaimStatuses: {
      keys: ["resourceClaimName"],
      items: {
        fields: {
          resourceClaimName: { required: true },
          containers: { values: {} },
          mapping: {
            keys: ["name"],
            items: { fields: { name: { required: true }, quantity: { required: true, pointer: true } } },
          },
          overhead: { keys: ["name"], items: { fields: { name: { required: true } } } },
        },
      },
    },
  },
};

function checkNomination(
  status: Received<PodStatus>,
  before: Received<PodStatus>,
  old: ReceivedObject<Pod>,
  errors: Errors,
): void {
  const node = text(status.nominatedNodeName);
  if (node === "" || node === text(before.nominatedNodeName)) return;
  check(node, "status.nominatedNodeName", dns1123SubdomainErrors, errors);
  if (text(object(old.spec).nodeName) !== "") {
    const detail = "may not be set on pods that are already bound to a node";
    errors.push(forbiddenField("status.nominatedNodeName", detail));
  }
}

/** The user that a container runs as, as its runtime tells. */
function checkUsers(
  field: "containerStatuses" | "initContainerStatuses" | "ephemeralContainerStatuses",
  status: Received<PodStatus>,
  errors: Errors,
): void {
  for (const [index, { user }] of objects(status[field]).entries()) {
    const uid = object(object(user).linux).uid;
    if (!absent(uid)) checkRange(uid, `status.${field}[${index}].user.linux.uid`, 0, MOST_USER, errors);
  }
}

const MOST_USER = 2 ** 32 - 1;

/** A container that ended stays so, unless it is to be started again. */
function checkTransitions(
  field: "containerStatuses" | "initContainerStatuses" | "ephemeralContainerStatuses",
  status: Received<PodStatus>,
  before: Received<PodStatus>,
  spec: Received<PodSpec>,
  errors: Errors,
): void {
  const ephemeral = field === "ephemeralContainerStatuses";
  if (!ephemeral && mayRestartAll(spec)) return;
  const containers = objects(field === "containerStatuses" ? spec.containers : spec.initContainers);
  const [statusOf, containerOf] = [firstByName(objects(status[field])), firstByName(containers)];
  for (const [index, old] of objects(before[field]).entries()) {
    const ended = object(old.state).terminated;
    if (absent(ended)) continue;
    const now = statusOf.get(old.name);
    if (now === undefined || !absent(object(now.state).terminated)) continue;
    const container = containerOf.get(old.name);
    const code = number(object(ended).exitCode);
    const again = !ephemeral && container !== undefined && restartAction(container, text(spec.restartPolicy), code);
    if (again === "restart") continue;
    errors.push(forbiddenField(`status.${field}[${index}].state`, "may not be transitioned to non-terminated state"));
  }
}

/** The first item of each name. */
const firstByName = <Item extends Received<Container | ContainerStatus>>(
  items: readonly Item[],
): ReadonlyMap<unknown, Item> => new Map(items.toReversed().map((item) => [item.name, item]));

function checkClaims(status: Received<PodStatus>, spec: Received<PodSpec>, errors: Errors): void {
  const known = new Set(objects(spec.resourceClaims).map(({ name }) => name));
  const seen = new Set<unknown>();
  for (const [index, { name, resourceClaimName }] of objects(status.resourceClaimStatuses).entries()) {
    const at = `status.resourceClaimStatuses[${index}]`;
    if (!known.has(name)) {
      const detail = "must match the name of an entry in `spec.resourceClaims`";
      errors.push(invalidValue(`${at}.name`, text(name), detail));
    }
    if (seen.has(name)) errors.push({ type: "FieldValueDuplicate", field: `${at}.name`, detail: "", badValue: name });
    seen.add(name);
    if (!absent(resourceClaimName)) {
      check(text(resourceClaimName), `${at}.resourceClaimName`, dns1123SubdomainErrors, errors);
    }
  }
}

/** One address of each family. */
function checkAddresses(
  field: "podIPs" | "hostIPs",
  type: string,
  status: Received<PodStatus>,
  before: Received<PodStatus>,
  errors: Errors,
): void {
  const addresses = objects(status[field]).map(({ ip }) => text(ip));
  const kept = new Set(objects(before[field]).map(({ ip }) => text(ip)));
  for (const [index, address] of addresses.entries()) {
    append(errors, legacyIp(address, `status.${field}[${index}]`, kept));
  }
  if (addresses.length < 2) return;
  const v6 = addresses.filter((address) => address.includes(":")).length;
  if (addresses.length === 2 && v6 === 1) return;
  const shown = objects(status[field]).map((address) => goJson(type, address));
  errors.push(invalidValue(`status.${field}`, shown, "may specify no more than one IP for each IP family"));
}
