import { goQuote } from "../../../base/text/go-quote.js";
import { parseGroupVersion } from "../../../machinery/meta/gvk.js";
import type { OwnerReference } from "../../../machinery/meta/object.js";
import { deepEqual } from "../../../machinery/patch/json-values.js";
import type { Decision } from "../../authz/authorizer.js";
import { type AdmissionAttributes, refused } from "../attributes.js";
import { targetName, WRITES, type AdmissionContext, type AdmissionPlugin, type ServedKind } from "../plugin.js";
import { checkOf } from "../resource-check.js";

/**
 * Changes owners only for users who may delete the object, and blocks the deletion of an owner only for users who may set its
 * finalizers. An object's creator may name any owner.
 */
export const ownerReferencesPermissionEnforcement: AdmissionPlugin = {
  name: "OwnerReferencesPermissionEnforcement",
  // The strategy of a pod's status keeps its owners.
  handles: (operation, target) => WRITES.includes(operation) && targetName(target) !== "pods/status",
  async validate(attributes, context) {
    const { object, oldObject, operation } = attributes;
    const owners = object?.metadata?.ownerReferences ?? [];
    const before = oldObject?.metadata?.ownerReferences ?? [];
    if (areEqual(owners, before)) return;
    if (operation !== "CREATE") await checkDeletion(attributes, context);
    for (const owner of newlyBlocked(owners, before)) await checkFinalizers(owner, attributes, context);
  },
};

const areEqual = (owners: readonly OwnerReference[], before: readonly OwnerReference[]): boolean =>
  owners.length === before.length && owners.every((owner, index) => deepEqual({ ...owner }, { ...before[index] }));

/** The references that keep their owner from being deleted, and that did not before. */
function newlyBlocked(owners: readonly OwnerReference[], before: readonly OwnerReference[]): readonly OwnerReference[] {
  const blockedBefore = new Map(before.map(({ uid, blockOwnerDeletion }) => [uid, blockOwnerDeletion === true]));
  return owners.filter(({ uid, blockOwnerDeletion }) => blockOwnerDeletion === true && blockedBefore.get(uid) !== true);
}

async function checkDeletion(attributes: AdmissionAttributes, { authorize }: AdmissionContext): Promise<void> {
  const { user, resource, subresource, namespace, name } = attributes;
  const decision = await authorize(checkOf(user, { verb: "delete", ...resource, subresource, namespace, name }));
  if (decision.decision === "allow") return;
  throw refused(attributes, `cannot set an ownerRef on a resource you can't delete: ${reasonOf(decision)}`);
}

async function checkFinalizers(
  owner: OwnerReference,
  attributes: AdmissionAttributes,
  { authorize, kinds }: AdmissionContext,
): Promise<void> {
  const { apiVersion, kind, name } = owner;
  const { group, version } = parseGroupVersion(apiVersion);
  const served = kinds.find({ group, version, kind });
  if (served === undefined) throw unmapped(owner, attributes);
  const check = { verb: "update", ...resourceOf(served), subresource: "finalizers", name };
  // An owner in a namespace is in that of the object.
  const namespace = served.namespaced ? attributes.namespace : "";
  const decision = await authorize(checkOf(attributes.user, { ...check, namespace }));
  if (decision.decision === "allow") return;
  const text = "cannot set blockOwnerDeletion if an ownerReference refers to a resource you can't set finalizers on";
  throw refused(attributes, `${text}: ${reasonOf(decision)}`);
}

const resourceOf = ({ kind, resource }: ServedKind) => ({ ...resource, version: kind.version });

function unmapped({ apiVersion, kind }: OwnerReference, attributes: AdmissionAttributes) {
  const text = "cannot set blockOwnerDeletion in this case because cannot find RESTMapping";
  const reason = `no matches for kind ${goQuote(kind)} in version ${goQuote(apiVersion)}`;
  return refused(attributes, `${text} for APIVersion ${apiVersion} Kind ${kind}: ${reason}`);
}

/** As Go prints a reason and an error. */
const reasonOf = ({ reason = "", error = "<nil>" }: Decision): string => `${reason}, ${error}`;
