import type { FieldsOf } from "../../../machinery/meta/received.js";
import { encodedView } from "../../../machinery/apply/encoded-view.js";
import { FieldManager } from "../../../machinery/apply/field-manager.js";
import { fieldElement } from "../../../machinery/apply/path-element.js";
import { ScaleManagers } from "../../../machinery/apply/scale-managers.js";
import { describe } from "../../../machinery/apply/type-descriptor.js";
import { decodeObject, UnmarshalError } from "../../../machinery/wire/strict-decode.js";
import { badRequest } from "../../../machinery/errors/status-error.js";
import { parseGroupVersion } from "../../../machinery/meta/gvk.js";
import type { JsonObject } from "../../../machinery/meta/json.js";
import type { ApiObject, KubeObject } from "../../../machinery/meta/object.js";
import type { StructSchema } from "../../../machinery/schema/schema.js";
import { assign, metadataOf, timestamp } from "../../registry/metadata.js";
import { metaSchema, SCALE } from "../meta-kinds.js";
import type { ServedResource } from "../served-resource.js";

const SCALE_VERSION = "autoscaling/v1";
const REPLICAS = [fieldElement("spec"), fieldElement("replicas")];

const trackings = new WeakMap<ServedResource, ScaleTracking>();

/** Returns the tracking of a resource's /scale. */
export function scaleTracking(resource: ServedResource): ScaleTracking {
  let tracking = trackings.get(resource);
  if (tracking === undefined) {
    tracking = new ScaleTracking(resource);
    trackings.set(resource, tracking);
  }
  return tracking;
}

/** Returns the translation of owners between an object's replicas and its Scale. All kinds with a scale keep replicas in spec.replicas. */
export function scaleManagers({ facts, codec }: ServedResource, object: KubeObject): ScaleManagers {
  const knows = (apiVersion: string) => {
    if (apiVersion.split("/").length > 2) return false;
    const { group, version } = parseGroupVersion(apiVersion);
    return group === facts.group && codec.schemaOf({ group, version, kind: facts.kind }) !== undefined;
  };
  return new ScaleManagers(object.metadata?.managedFields, facts.groupVersion, (apiVersion) =>
    knows(apiVersion) ? REPLICAS : undefined,
  );
}

/** Keeps managedFields of Scales. */
class ScaleTracking {
  readonly #manager: FieldManager;
  readonly #schema: StructSchema;

  constructor(resource: ServedResource) {
    const schema = metaSchema(SCALE);
    this.#schema = schema;
    this.#manager = new FieldManager({
      kind: SCALE,
      subresource: "scale",
      versions: {
        typeOf: (apiVersion) => (apiVersion === SCALE_VERSION ? describe(schema) : undefined),
        convert: () => undefined,
        resetFields: () => undefined,
      },
      empty: { ...encodedView({}, schema), apiVersion: SCALE_VERSION, kind: SCALE.kind } satisfies FieldsOf<ApiObject>,
      now: () => timestamp(resource.now()),
    });
  }

  /** Makes `manager` the owner of the fields that `next` changes. `next` is changed in place. */
  track(next: KubeObject, live: KubeObject, manager: string): void {
    const managedFields = this.#manager.update(this.#view(live), this.#view(next), manager);
    assign(metadataOf(next), "managedFields", managedFields);
  }

  /** Applies the configuration `applied` to the Scale. Throws a StatusError. */
  apply(live: KubeObject, applied: JsonObject, manager: string, force: boolean): KubeObject {
    const result = this.#manager.apply(this.#view(live), applied, manager, force);
    try {
      return decodeObject<KubeObject>(result, this.#schema, { mode: "Ignore" }).object;
    } catch (error) {
      if (error instanceof UnmarshalError) throw badRequest(error.message);
      throw error;
    }
  }

  #view(scale: KubeObject): JsonObject {
    return encodedView(scale, this.#schema);
  }
}
