import type { FieldsOf } from "../../../machinery/meta/received.js";
import type { AdmissionRequest } from "../../../api/types/admission/v1.js";
import type { UserInfo } from "../../../api/types/authentication/v1.js";
import type { Namespace } from "../../../api/types/core/v1.js";
import { errorMessage } from "../../../base/text/error-message.js";
import { object } from "../../../machinery/meta/access.js";
import type { GroupVersionKind } from "../../../machinery/meta/gvk.js";
import type { JsonObject } from "../../../machinery/meta/json.js";
import type { KubeObject } from "../../../machinery/meta/object.js";
import type { AdmissionAttributes, EquivalentResource } from "../attributes.js";
import { findNamespace } from "../matching/match-selectors.js";
import type { AdmissionObjects } from "../plugin.js";

/** The objects of a request in one version, as their JSON reads; null for one that there is not. */
export interface EvaluatedObjects {
  readonly object: JsonObject | null;
  readonly oldObject: JsonObject | null;
}

/** Thrown when a conversion webhook could not convert an object of the request. */
export class ConversionError extends Error {
  constructor(cause: unknown) {
    super(errorMessage(cause), { cause });
  }
}

/** Converts the objects of a request to the version of a kind. Rejects with a {@link ConversionError}. */
export async function evaluatedObjects(
  attributes: AdmissionAttributes,
  { kind }: Pick<EquivalentResource, "kind">,
): Promise<EvaluatedObjects> {
  const { object, oldObject } = attributes;
  return {
    object: object === undefined ? null : await shownAs(kind, object, attributes),
    oldObject: oldObject === undefined ? null : await shownAs(kind, oldObject, attributes),
  };
}

/** Converts an object of the request to the version of a kind, as decoded JSON. Rejects with a {@link ConversionError}. */
export async function shownAs(
  kind: GroupVersionKind,
  object: KubeObject,
  { versions }: AdmissionAttributes,
): Promise<JsonObject> {
  try {
    return versions.view(await versions.convert(object, kind), kind);
  } catch (error) {
    throw new ConversionError(error);
  }
}

/** Makes the variable `request`: Go's AdmissionRequest, without the objects. */
type Request = FieldsOf<AdmissionRequest>;
type RequestUser = FieldsOf<UserInfo>;

export function requestVariable(attributes: AdmissionAttributes, matched: EquivalentResource): JsonObject {
  const { subresource, name, namespace, operation, user, dryRun, options, kind, resource } = attributes;
  const { uid = "", extra = {} } = user;
  return {
    uid: "",
    kind: { ...matched.kind },
    resource: { ...matched.resource },
    ...(subresource !== "" && ({ subResource: subresource } satisfies Request)),
    requestKind: { ...kind },
    requestResource: { ...resource },
    ...(subresource !== "" && ({ requestSubResource: subresource } satisfies Request)),
    ...(name !== "" && ({ name } satisfies Request)),
    ...(namespace !== "" && ({ namespace } satisfies Request)),
    operation,
    userInfo: {
      ...(user.name !== "" && ({ username: user.name } satisfies RequestUser)),
      ...(uid !== "" && ({ uid } satisfies RequestUser)),
      ...(user.groups.length > 0 && ({ groups: [...user.groups] } satisfies RequestUser)),
      ...(Object.keys(extra).length > 0 && ({ extra: extra as JsonObject } satisfies RequestUser)),
    },
    dryRun,
    options: options ?? null,
  } satisfies Request;
}

/** The fields of a Namespace's metadata that `namespaceObject` has. */
const METADATA = [
  "name",
  "generateName",
  "namespace",
  "uid",
  "resourceVersion",
  "generation",
  "creationTimestamp",
  "deletionTimestamp",
  "deletionGracePeriodSeconds",
  "labels",
  "annotations",
  "finalizers",
];

/** Makes the variable `namespaceObject`; null for a cluster-scoped object. Rejects with 404 when the namespace does not exist. */
export async function namespaceVariable(
  { namespace, kind }: AdmissionAttributes,
  objects: AdmissionObjects,
): Promise<JsonObject | null> {
  const isNamespace = kind.group === "" && kind.version === "v1" && kind.kind === "Namespace";
  if (namespace === "" || isNamespace) return null;
  const found: FieldsOf<Namespace> = await findNamespace(namespace, objects);
  const metadata = Object.entries(found.metadata ?? {}).filter(([name]) => METADATA.includes(name));
  return {
    metadata: Object.fromEntries(metadata),
    spec: object(found.spec) as JsonObject,
    status: object(found.status) as JsonObject,
  } satisfies FieldsOf<Namespace>;
}
