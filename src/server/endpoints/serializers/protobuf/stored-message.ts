import type { FieldsOf } from "../../../../machinery/meta/received.js";
import type { ApiObject } from "../../../../machinery/meta/object.js";
import { encodeProtobufMessage } from "../../../../machinery/wire/protobuf/encode-protobuf.js";
import type { GroupVersionKind } from "../../../../machinery/meta/gvk.js";
import type { StoredObject } from "../../../storage/store.js";
import { metaSchema, PARTIAL_OBJECT_METADATA, protobufTypes } from "../../meta-kinds.js";
import type { View } from "../serializer.js";

/** Encodes objects of one kind as messages without an envelope, the form of list items. */
export interface Messages {
  readonly kind: GroupVersionKind;
  readonly listKind: GroupVersionKind;
  /** Encodes a stored object, once for each revision. */
  of(stored: StoredObject): Uint8Array;
  /** Encodes an object with metadata alone: a bookmark. */
  empty(metadata: object): Uint8Array;
}

/** Returns the encoder of a view: for its resource's version, or for metadata alone. */
export function messagesOf({ resource, format }: View): Messages {
  const { codec } = resource;
  const isObject = format.shape === "object";
  const kind = isObject ? codec.gvk : { ...PARTIAL_OBJECT_METADATA, version: format.metaVersion };
  const schema = isObject ? codec.schema : metaSchema(PARTIAL_OBJECT_METADATA);
  // The message of bare metadata is the same in every version of meta.k8s.io.
  const key = `${isObject ? `${codec.apiVersion}/${kind.kind}` : kind.kind} application/vnd.kubernetes.protobuf`;
  const content = (stored: StoredObject): object => {
    const object = stored.peek();
    return isObject
      ? codec.isStored
        ? object
        : codec.kind.fromHub(object)
      : ({ metadata: object.metadata } satisfies FieldsOf<ApiObject>);
  };
  return {
    kind,
    listKind: { ...kind, kind: `${kind.kind}List` },
    of(stored) {
      const prepared = codec.preparedObject(stored);
      if (prepared !== undefined) {
        return encodeProtobufMessage(
          { metadata: prepared.metadata } satisfies FieldsOf<ApiObject>,
          schema,
          protobufTypes,
        );
      }
      const { encodings } = stored;
      let message = encodings.get(key);
      if (message === undefined) {
        message = encodeProtobufMessage(content(stored), schema, protobufTypes);
        encodings.set(key, message);
      }
      return message;
    },
    empty: (metadata) => encodeProtobufMessage({ metadata } satisfies FieldsOf<ApiObject>, schema, protobufTypes),
  };
}
