import { isProtobufDocument } from "../../../machinery/wire/protobuf/envelope.js";
import type { MediaTypeName } from "../negotiation/response-format.js";
import { jsonSerializer } from "./json/serializer.js";
import { protobufSerializer } from "./protobuf/serializer.js";
import type { Serializer, StorageFormat, StorageMediaType } from "./serializer.js";
import { yamlSerializer } from "./yaml.js";

const serializers: Readonly<Record<MediaTypeName, Serializer>> = {
  "application/json": jsonSerializer,
  "application/yaml": yamlSerializer,
  "application/vnd.kubernetes.protobuf": protobufSerializer,
};

/** The form that objects are written to a store in. */
export function storageFormat(mediaType: StorageMediaType): StorageFormat {
  const { storage } = serializers[mediaType];
  if (storage === undefined) throw new Error(`no objects are stored as ${mediaType}`);
  return storage;
}

/** The media type of stored bytes, whatever the server writes. */
export const storageMediaTypeOf = (bytes: Uint8Array): StorageMediaType =>
  isProtobufDocument(bytes) ? "application/vnd.kubernetes.protobuf" : "application/json";

/** The form of stored bytes: the one they are in, whatever the server writes. */
export const storageFormatOf = (bytes: Uint8Array): StorageFormat => storageFormat(storageMediaTypeOf(bytes));

export const serializerOf = (mediaType: MediaTypeName): Serializer => serializers[mediaType];

/** The content types that a watch can be answered in, as a 406 lists them. */
export const STREAM_TYPES: string = Object.values(serializers)
  .filter(({ stream }) => stream !== undefined)
  .map(({ mediaType }) => `${mediaType};stream=watch`)
  .join(", ");
