import { schemaFor, structOf } from "../../../../api/facts/index.js";
import { encodeProtobufMessage } from "../../../../machinery/codec/protobuf/encode-protobuf.js";
import type { GroupVersionKind } from "../../../../machinery/meta/gvk.js";
import type { StructSchema } from "../../../../machinery/schema/schema.js";
import type { StoredObject } from "../../../storage/store.js";
import type { View } from "../serializer.js";

/** Objects of one kind as messages without an envelope, as they lie in a list. */
export interface Messages {
  readonly kind: GroupVersionKind;
  readonly listKind: GroupVersionKind;
  /** Made once per revision. */
  of(stored: StoredObject): Uint8Array;
  /** An object with nothing but metadata: a bookmark. */
  empty(metadata: object): Uint8Array;
}

/** The messages of a view: of its resource's version, or of bare metadata. */
export function messagesOf({ resource, format }: View): Messages {
  const { codec } = resource;
  const isObject = format.shape === "object";
  const kind = isObject
    ? codec.gvk
    : { group: "meta.k8s.io", version: format.metaVersion, kind: "PartialObjectMetadata" };
  const schema = isObject ? codec.schema : bareMetadata();
  // The message of bare metadata is the same in every version of meta.k8s.io.
  const key = `${isObject ? `${codec.apiVersion}/${kind.kind}` : kind.kind} application/vnd.kubernetes.protobuf`;
  const content = (stored: StoredObject): object => {
    const object = stored.peek();
    return isObject ? codec.fromHub(object) : { metadata: object.metadata };
  };
  return {
    kind,
    listKind: { ...kind, kind: `${kind.kind}List` },
    of(stored) {
      const { encodings } = stored;
      let message = encodings.get(key);
      if (message === undefined) {
        message = encodeProtobufMessage(content(stored), schema, structOf);
        encodings.set(key, message);
      }
      return message;
    },
    empty: (metadata) => encodeProtobufMessage({ metadata }, schema, structOf),
  };
}

function bareMetadata(): StructSchema {
  const schema = schemaFor({ group: "meta.k8s.io", version: "v1", kind: "PartialObjectMetadata" });
  if (schema === undefined) throw new Error("no schema for PartialObjectMetadata");
  return schema;
}
