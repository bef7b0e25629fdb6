import type { MediaTypeName } from "../negotiation/response-format.js";
import { jsonSerializer } from "./json/serializer.js";
import { protobufSerializer } from "./protobuf/serializer.js";
import type { Serializer } from "./serializer.js";
import { yamlSerializer } from "./yaml.js";

const serializers: Readonly<Record<MediaTypeName, Serializer>> = {
  "application/json": jsonSerializer,
  "application/yaml": yamlSerializer,
  "application/vnd.kubernetes.protobuf": protobufSerializer,
};

export const serializerOf = (mediaType: MediaTypeName): Serializer => serializers[mediaType];

/** The content types that a watch can be answered in, as a 406 lists them. */
export const STREAM_TYPES: string = Object.values(serializers)
  .filter(({ stream }) => stream !== undefined)
  .map(({ mediaType }) => `${mediaType};stream=watch`)
  .join(", ");
