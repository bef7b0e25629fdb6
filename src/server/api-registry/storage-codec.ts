import type { Clock } from "../../base/clock.js";
import { encodeObject } from "../../machinery/codec/encode.js";
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
  const encode = (object: KubeObject): Uint8Array => {
    schema ??= withoutField(hub.schema, ["metadata", "resourceVersion"]);
    const named = object.kind === kind && object.apiVersion === apiVersion;
    return encodeObject(named ? object : { ...object, kind, apiVersion }, schema);
  };
  return {
    decode: (bytes) => decodeJson(bytes).value as KubeObject,
    encode,
    upgrade(bytes) {
      const stored = decodeJson(bytes).value as KubeObject;
      const version = scheme.kindOf(stored);
      const { object } = decodeObject<KubeObject>(stored, version.schema, { mode: "Ignore" });
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
