import { bytes, integer, message, nesteds, text } from "../../etcd/protobuf.js";
import type { GrpcMethod } from "../../etcd/grpc-channel.js";

/** An entry of a map from text to bytes. */
const entry = message({ key: text(1), value: bytes(2) });

/** The annotations that a KMS plugin stores with a key, by name. */
export type Annotations = ReadonlyMap<string, Uint8Array>;

export const annotationsOf = (entries: readonly { readonly key: string; readonly value: Uint8Array }[]): Annotations =>
  new Map(entries.map(({ key, value }) => [key, value]));

/** Encodes annotations; an empty list is omitted on the wire, as in Go. */
export const entriesOf = (annotations: Annotations): readonly { key: string; value: Uint8Array }[] =>
  [...annotations].map(([key, value]) => ({ key, value }));

/** The stored form of a value that KMS v2 encrypts; k8s.io/apiserver's EncryptedObject. */
export const encryptedObject = message({
  encryptedData: bytes(1),
  keyId: text(2),
  encryptedDekSource: bytes(3),
  annotations: nesteds(4, entry),
  encryptedDekSourceType: integer(5),
});

const method = <In, Out>(
  path: string,
  request: GrpcMethod<In, Out>["request"],
  response: GrpcMethod<In, Out>["response"],
): GrpcMethod<In, Out> => ({ path, request, response });

/** The service of a KMS v2 plugin. */
export const KMS_V2 = {
  status: method(
    "/v2.KeyManagementService/Status",
    message({}),
    message({ version: text(1), healthz: text(2), keyId: text(3) }),
  ),
  decrypt: method(
    "/v2.KeyManagementService/Decrypt",
    message({ ciphertext: bytes(1), uid: text(2), keyId: text(3), annotations: nesteds(4, entry) }),
    message({ plaintext: bytes(1) }),
  ),
  encrypt: method(
    "/v2.KeyManagementService/Encrypt",
    message({ plaintext: bytes(1), uid: text(2) }),
    message({ ciphertext: bytes(1), keyId: text(2), annotations: nesteds(3, entry) }),
  ),
} as const;

/** The service of a KMS v1 plugin. */
export const KMS_V1 = {
  version: method(
    "/v1beta1.KeyManagementService/Version",
    message({ version: text(1) }),
    message({ version: text(1), runtimeName: text(2), runtimeVersion: text(3) }),
  ),
  decrypt: method(
    "/v1beta1.KeyManagementService/Decrypt",
    message({ version: text(1), cipher: bytes(2) }),
    message({ plain: bytes(1) }),
  ),
  encrypt: method(
    "/v1beta1.KeyManagementService/Encrypt",
    message({ version: text(1), plain: bytes(2) }),
    message({ cipher: bytes(1) }),
  ),
} as const;
