import type { KubeObject } from "../../../machinery/meta/object.js";
import type { ObjectCodec, StoredObject } from "../store.js";
import { messageIsTooLarge, REQUEST_IS_TOO_LARGE, TooLargeError } from "../kv.js";

/** etcd's default of --max-request-bytes. */
export const DEFAULT_MAX_OBJECT_BYTES = 1.5 * 2 ** 20;

/** What Go's etcd client sends at most, whatever etcd would take. */
const LARGEST_MESSAGE = 2 * 2 ** 20;
/** How much larger than its requests etcd lets a message be. */
const MESSAGE_OVERHEAD = 512 * 1024;

/**
 * The largest object that the storage takes. It counts the bytes of the request to etcd in which kube-apiserver would write the
 * object: 1.5 MiB of etcd's default hold the object in protobuf (a custom resource: in JSON), its key twice, and some 60 bytes.
 */
export class ObjectLimit {
  /** Shorter encodings are not measured: an object is less than twice as long in protobuf as in JSON. */
  readonly #measuredFrom: number;

  /** `maxBytes` 0: there is no limit. */
  constructor(private readonly maxBytes: number) {
    this.#measuredFrom = maxBytes === 0 ? Number.POSITIVE_INFINITY : maxBytes / 2;
  }

  /**
   * Throws {@link TooLargeError} for an object that is over the limit and about to be written at `key`. One that replaces an object over the
   * limit may be written as long as it is not the larger one.
   */
  check(codec: ObjectCodec, key: string, { object, bytes }: Written, replaced: Replaced | undefined): void {
    if (bytes.length < this.#measuredFrom) return;
    const length = lengthInEtcd(codec, object, bytes);
    const { request, message } = requestLengths(key, length);
    if (request <= this.maxBytes) return;
    if (replaced !== undefined && length <= lengthInEtcd(codec, replaced.object(), replaced.bytes)) return;
    const most = Math.max(LARGEST_MESSAGE, this.maxBytes + MESSAGE_OVERHEAD);
    throw new TooLargeError(message > most ? messageIsTooLarge(message, most) : REQUEST_IS_TOO_LARGE);
  }
}

/** An object, and what the codec has encoded of it. */
interface Written {
  readonly object: KubeObject;
  readonly bytes: Uint8Array;
}

type Replaced = Pick<StoredObject, "object" | "bytes">;

const lengthInEtcd = (codec: ObjectCodec, object: KubeObject, bytes: Uint8Array): number =>
  codec.lengthInEtcd?.(object, bytes) ?? bytes.length;

/** etcd's header of a request in its log: the tag, the length, and the id of ten bytes behind its own tag. */
const HEADER = 2 + 1 + 11;
/** The target and the revision of a comparison, as far as they do not depend on the revision. */
const COMPARISON = 2 + 2;

/**
 * The lengths of a transaction that puts a value of `length` bytes if the key is at a revision: of the message that a client sends, and of
 * the request that etcd makes of it and compares with its limit. What a client reads when the comparison fails is not counted.
 */
function requestLengths(key: string, length: number): { readonly message: number; readonly request: number } {
  const keyField = field(Buffer.byteLength(key));
  const put = keyField + field(length);
  const message = field(COMPARISON + keyField) + field(field(put));
  return { message, request: HEADER + field(message) };
}

/** The length of a protobuf field with a value of so many bytes: its tag, the length as a varint, the value. */
function field(length: number): number {
  let prefix = 2;
  for (let rest = length; rest >= 0x80; rest >>>= 7) prefix++;
  return prefix + length;
}
