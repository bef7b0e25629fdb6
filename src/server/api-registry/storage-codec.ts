import type { Clock } from "../../base/clock.js";
import { encodeObject } from "../../machinery/codec/encode.js";
import { encodeObjectSteps } from "../../machinery/codec/encode-steps.js";
import { decodeJson } from "../../machinery/codec/json-decoder.js";
import { decodeObject } from "../../machinery/codec/strict-decode.js";
import { formatGroupVersion } from "../../machinery/meta/gvk.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import type { StructSchema } from "../../machinery/schema/schema.js";
import { withoutField } from "../../machinery/schema/without-field.js";
import type { Scheme, VersionedKind } from "../../machinery/scheme/scheme.js";
import type { Strategy } from "../registry/strategy.js";
import type { ObjectCodec } from "../storage/store.js";

/** The codec of a kind's stored objects: JSON in the hub's version. */
export function storageCodec(
  scheme: Scheme,
  hub: VersionedKind,
  strategy: Pick<Strategy, "fields">,
  clock: Clock,
): ObjectCodec {
  const { kind } = hub.gvk;
  const apiVersion = formatGroupVersion(hub.gvk);
  let schema: StructSchema | undefined;
  const stored = () => (schema ??= withoutField(hub.schema, ["metadata", "resourceVersion"]));
  const named = (object: KubeObject) =>
    object.kind === kind && object.apiVersion === apiVersion ? object : { ...object, kind, apiVersion };
  const encode = (object: KubeObject): Uint8Array => encodeObject(named(object), stored());
  return {
    decode: (bytes) => decodeJson(bytes).value as KubeObject,
    encode,
    encodeSteps: (object) => encodeObjectSteps(named(object), stored()),
    upgrade(bytes) {
      const found = decodeJson(bytes).value as KubeObject;
      const version = scheme.kindOf(found);
      const { object } = decodeObject<KubeObject>(found, version.schema, { mode: "Ignore" });
      version.applyDefaults(object, clock.now());
      const upgraded = version.toHub(object);
      hub.applyDefaults(upgraded, clock.now());
      const encoded = encode(upgraded);
      return Buffer.compare(encoded, bytes) === 0 ? bytes : encoded;
    },
    attributes(object) {
      const { name = "", namespace = "", labels = {} } = object.metadata ?? {};
      return {
        labels,
        fields: { ...strategy.fields?.(object), "metadata.name": name, "metadata.namespace": namespace },
      };
    },
  };
}
