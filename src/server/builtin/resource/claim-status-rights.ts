import { sameValue } from "../../../api/validation/rules.js";
import { compareKeys } from "../../../base/collections/key-order.js";
import { nextSlice, sliceIsSpent } from "../../../base/async/time-slice.js";
import { type FieldError, forbiddenField } from "../../../machinery/errors/field-error.js";
import { isFields } from "../../../machinery/meta/access.js";
import {
  list,
  object,
  objects,
  type OrAbsent,
  type Received,
  type ReceivedObject,
  text,
} from "../../../machinery/meta/received.js";
import type {
  AllocatedDeviceStatus,
  AllocationResult,
  ResourceClaim,
  ResourceClaimStatus,
} from "../../../api/types/resource/v1.js";
import { parseGroupVersion } from "../../../machinery/meta/gvk.js";
import { deepEqual } from "../../../machinery/patch/json-values.js";
import { dns1123SubdomainErrors } from "../../../machinery/validation/names.js";
import type { AuthorizerAttributes } from "../../authz/authorizer.js";
import { serviceAccountOf } from "../../authz/impersonation/wanted-user.js";
import { refusal } from "../../authz/refusal.js";
import type { User } from "../../request/user.js";
import type { StrategyContext } from "../../registry/strategy.js";

/**
 * Returns a problem for each part of a claim's status that the caller changes and may not: the right to update resourceclaims/status is
 * not enough. Devices are given and reserved by those who may write "resourceclaims/binding" in the whole cluster; what is said of a
 * driver's devices needs "resourceclaims/driver" with the driver's name. The server serves neither of the two: they only name rights.
 * Source: AuthorizedForBinding and AuthorizedForDeviceStatus of kube-apiserver.
 */
export async function claimStatusRights(
  draft: ReceivedObject<ResourceClaim>,
  old: ReceivedObject<ResourceClaim>,
  context: StrategyContext,
): Promise<FieldError[]> {
  const [status, before] = [object(draft.status), object(old.status)];
  return [
    ...(await bindingProblems(status, before, context)),
    ...(await driverProblems(draft.metadata?.namespace ?? "", status, before, context)),
  ];
}

async function bindingProblems(
  status: Received<ResourceClaimStatus>,
  before: Received<ResourceClaimStatus>,
  context: StrategyContext,
): Promise<FieldError[]> {
  if (sameAllocation(status.allocation, before.allocation) && sameValue(status.reservedFor, before.reservedFor)) {
    return [];
  }
  const { verb } = context;
  const refused = await refusalOf({ verb, subresource: "binding", namespace: "", name: "" }, context);
  if (refused === undefined) return [];
  const permission = `resource="resourceclaims/binding", verb="${verb}" permission`;
  const detail = `changing status.allocation or status.reservedFor requires ${permission}: ${refused}`;
  return [forbiddenField("status.allocation", detail)];
}

async function driverProblems(
  namespace: string,
  status: Received<ResourceClaimStatus>,
  before: Received<ResourceClaimStatus>,
  context: StrategyContext,
): Promise<FieldError[]> {
  const errors: FieldError[] = [];
  const isAssociated = runsOn(context.user, nodeOf(status.allocation));
  const prefixes = isAssociated ? ["associated-node", "arbitrary-node"] : ["arbitrary-node"];
  const verbs = prefixes.map((prefix) => `${prefix}:${context.verb}`);
  for (const name of changedDrivers(objects(status.devices), objects(before.devices))) {
    if (sliceIsSpent()) await nextSlice();
    const refused = await firstRefusal(
      verbs.map((verb) => ({ verb, subresource: "driver", namespace, name })),
      context,
    );
    if (refused === undefined) continue;
    const permission = `resource="resourceclaims/driver", verb="[${verbs.join(" ")}]" permission`;
    errors.push(forbiddenField("status.devices", `changing status.devices requires ${permission}: ${refused}`));
  }
  return errors;
}

/** An allocation and a selector with nothing in them are more than none. */
const sameAllocation = (
  one: OrAbsent<Received<AllocationResult>>,
  other: OrAbsent<Received<AllocationResult>>,
): boolean =>
  isFields(one) === isFields(other) &&
  isFields(object(one).nodeSelector) === isFields(object(other).nodeSelector) &&
  sameValue(one, other);

/** The drivers of whose devices something is added, removed or changed, sorted. */
function changedDrivers(
  devices: readonly Received<AllocatedDeviceStatus>[],
  before: readonly Received<AllocatedDeviceStatus>[],
): readonly string[] {
  const left = new Map(before.map((device) => [keyOf(device), device]));
  const drivers = new Set<string>();
  for (const device of devices) {
    const known = left.get(keyOf(device));
    left.delete(keyOf(device));
    if (known === undefined || !sameDevice(device, known)) drivers.add(text(device.driver));
  }
  for (const { driver } of left.values()) drivers.add(text(driver));
  return [...drivers].sort(compareKeys);
}

const keyOf = ({ driver, pool, device, shareID }: Received<AllocatedDeviceStatus>): string =>
  JSON.stringify([driver, pool, device, shareID].map((part) => text(part)));

const sameDevice = (one: Received<AllocatedDeviceStatus>, other: Received<AllocatedDeviceStatus>): boolean =>
  deepEqual(one.data, other.data) && isFields(one.networkData) === isFields(other.networkData) && sameValue(one, other);

/** The one node that an allocation can be used on, where its selector names it; "" elsewhere. */
function nodeOf(allocation: OrAbsent<Received<AllocationResult>>): string {
  const [term, ...terms] = objects(object(object(allocation).nodeSelector).nodeSelectorTerms);
  const [field, ...fields] = objects(term?.matchFields);
  if (terms.length > 0 || fields.length > 0 || list(term?.matchExpressions).length > 0) return "";
  if (field?.key !== "metadata.name" || field.operator !== "In") return "";
  const [node, ...nodes] = list(field.values);
  return nodes.length > 0 ? "" : text(node);
}

/** Whether the caller is a service account whose token is bound to a pod on this node. */
function runsOn({ name, extra }: User, node: string): boolean {
  if (node === "" || serviceAccountOf(name) === undefined) return false;
  const [own, ...more] = extra?.["authentication.kubernetes.io/node-name"] ?? [];
  return own === node && more.length === 0 && dns1123SubdomainErrors(node).length === 0;
}

type Asked = Pick<AuthorizerAttributes, "verb" | "subresource" | "namespace" | "name">;

/** One right of several is enough. The answer shows what was said of the first. */
async function firstRefusal(asked: readonly Asked[], context: StrategyContext): Promise<string | undefined> {
  let first: string | undefined;
  for (const one of asked) {
    const refused = await refusalOf(one, context);
    if (refused === undefined) return undefined;
    first ??= refused;
  }
  return first;
}

/** The text of the Forbidden that the caller would get; undefined for what the server's authorizers allow. */
async function refusalOf(
  asked: Asked,
  { user, apiVersion, authorization }: StrategyContext,
): Promise<string | undefined> {
  const { version } = parseGroupVersion(apiVersion);
  const kind = { apiGroup: "resource.k8s.io", apiVersion: version, resource: "resourceclaims" };
  const attributes = { ...kind, ...asked, user, isResourceRequest: true, path: "" };
  const { decision, reason = "", error } = await authorization.authorize(attributes);
  if (decision === "allow") return undefined;
  const said = [error ?? "", reason].filter((part) => part !== "").join(": ");
  return refusal(attributes, said).message;
}
