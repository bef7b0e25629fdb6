import type { FieldsOf } from "../../../machinery/meta/received.js";
import type { ServedApi } from "../../../api/facts/index.js";
import type { CancellationToken } from "../../../base/async/cancellation.js";
import { inSlices } from "../../../base/async/time-slice.js";
import { encodedView } from "../../../machinery/apply/encoded-view.js";
import { encodeObject } from "../../../machinery/wire/encode.js";
import { encodeObjectSteps } from "../../../machinery/wire/encode-steps.js";
import { encodeJson } from "../../../machinery/wire/json/json-encoder.js";
import { decodeObject, decodeObjectSteps, UnmarshalError } from "../../../machinery/wire/strict-decode.js";
import { formatGroupVersion, type GroupVersionKind } from "../../../machinery/meta/gvk.js";
import { holdsMany } from "../../../machinery/meta/holds-many.js";
import type { JsonObject, JsonValue } from "../../../machinery/meta/json.js";
import type { ApiObject, KubeObject } from "../../../machinery/meta/object.js";
import type { StructSchema } from "../../../machinery/schema/schema.js";
import type { VersionedKind } from "../../../machinery/scheme/scheme.js";
import type { EquivalentResource, ObjectVersions } from "../../admission/attributes.js";
import { patchedKind } from "../negotiation/patched-kind.js";
import { andThen, convertOne, type NowOrLater } from "../representation/convert.js";
import type { ServedResource } from "../served-resource.js";

/** The kind of a body that is not the resource's own, such as a Scale. It has one version only. */
export interface AdmittedBody {
  readonly kind: GroupVersionKind;
  readonly schema: StructSchema | undefined;
}

/** Converts a request's object to the versions that the server serves. */
export class AdmittedVersions implements ObjectVersions {
  constructor(
    private readonly api: ServedApi,
    private readonly resource: ServedResource,
    private readonly subresource: string,
    private readonly body: AdmittedBody | undefined,
    /** The request: conversions end with it. */
    private readonly caller?: CancellationToken,
  ) {}

  get equivalents(): readonly EquivalentResource[] {
    const known = equivalentsOf(this.api);
    const { groupVersion, name } = this.resource.facts;
    const key = `${groupVersion}/${name}/${this.subresource}`;
    let found = known.get(key);
    if (found === undefined) {
      found = this.#findEquivalents();
      known.set(key, found);
    }
    return found;
  }

  convert(object: KubeObject, gvk: GroupVersionKind): NowOrLater<KubeObject> {
    if (this.body !== undefined) return stamped(object, this.body.kind);
    const { codec } = this.resource;
    const kind = this.#kindAt(gvk);
    return kind === codec.hub ? stamped(object, gvk) : convertOne(kind, object, "fromHub", this.caller);
  }

  view(object: KubeObject, gvk: GroupVersionKind): JsonObject {
    const schema = this.schemaOf(gvk);
    if (schema === undefined) return object as JsonObject;
    return {
      ...encodedView(object, schema),
      apiVersion: formatGroupVersion(gvk),
      kind: gvk.kind,
    } satisfies FieldsOf<ApiObject>;
  }

  encode(object: KubeObject, gvk: GroupVersionKind): NowOrLater<Uint8Array> {
    const schema = this.schemaOf(gvk);
    if (schema === undefined) return Buffer.from(encodeJson(object));
    return holdsMany(object) ? inSlices(encodeObjectSteps(object, schema), this.caller) : encodeObject(object, schema);
  }

  decode(value: JsonValue, gvk: GroupVersionKind): NowOrLater<KubeObject> {
    const stated = patchedKind(value, gvk, this.resource.codec.schemaOf);
    if (stated !== undefined && stated !== gvk) {
      throw new UnmarshalError(
        `converting (${stated.version}.${stated.kind}) to (${gvk.version}.${gvk.kind}): unknown conversion`,
      );
    }
    const schema = this.schemaOf(gvk);
    if (schema === undefined) return stamped(value as KubeObject, gvk);
    if (!holdsMany(value)) return stamped(decodeObject<KubeObject>(value, schema, { mode: "Ignore" }).object, gvk);
    const steps = decodeObjectSteps<KubeObject>(value, schema, { mode: "Ignore" });
    return inSlices(steps, this.caller).then(({ object }) => stamped(object, gvk));
  }

  restore(object: KubeObject, gvk: GroupVersionKind): NowOrLater<KubeObject> {
    if (this.body !== undefined) return object;
    const { codec, now } = this.resource;
    const kind = this.#kindAt(gvk);
    kind.applyDefaults(object, now());
    if (kind === codec.hub && !kind.converts) return object;
    return andThen(convertOne(kind, object, "toHub", this.caller), (hub) => {
      codec.hub.applyDefaults(hub, now());
      return hub;
    });
  }

  schemaOf(gvk: GroupVersionKind): StructSchema | undefined {
    return this.body === undefined ? this.#kindAt(gvk).schema : this.body.schema;
  }

  #kindAt(gvk: GroupVersionKind): VersionedKind {
    const kind = this.resource.codec.versionAt(gvk);
    if (kind === undefined) throw new Error(`${formatGroupVersion(gvk)} ${gvk.kind} is not a version of this object`);
    return kind;
  }

  #findEquivalents(): readonly EquivalentResource[] {
    const { codec, facts } = this.resource;
    const found: EquivalentResource[] = [];
    for (const other of this.api.resources) {
      const { group, version, name, kind } = other;
      if (other.groupVersion === facts.groupVersion || codec.versionAt({ group, version, kind }) === undefined)
        continue;
      const subresource = other.subresources.find((one) => one.name === this.subresource);
      if (this.subresource !== "" && subresource === undefined) continue;
      found.push({
        resource: { group, version, resource: name },
        kind: subresource?.kind ?? { group, version, kind },
      });
    }
    return found;
  }
}

/** What was found in an API, by the path of the resource. */
const found = new WeakMap<ServedApi, Map<string, readonly EquivalentResource[]>>();

function equivalentsOf(api: ServedApi): Map<string, readonly EquivalentResource[]> {
  const known = found.get(api) ?? new Map<string, readonly EquivalentResource[]>();
  found.set(api, known);
  return known;
}

/** The object with its kind and version first. */
function stamped(object: KubeObject, gvk: GroupVersionKind): KubeObject {
  const apiVersion = formatGroupVersion(gvk);
  if (object.kind === gvk.kind && object.apiVersion === apiVersion) return object;
  const { kind: _, apiVersion: __, ...rest } = object;
  return { kind: gvk.kind, apiVersion, ...rest } satisfies FieldsOf<ApiObject>;
}
