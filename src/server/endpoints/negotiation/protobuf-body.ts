/** What decoding a protobuf body needs, in a chunk of its own: most requests are JSON. */
export { decodeProtobufMessage } from "../../../machinery/codec/protobuf/decode-protobuf.js";
export { openEnvelope } from "../../../machinery/codec/protobuf/envelope.js";
export { ProtobufError } from "../../../machinery/codec/protobuf/wire-reader.js";
