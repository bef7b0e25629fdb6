/** The messages of etcd's v3 API (kv.proto, rpc.proto) that the store uses. */
import {
  bigInteger,
  bytes,
  flag,
  integer,
  message,
  type MessageType,
  nested,
  nesteds,
  text,
  texts,
} from "./protobuf.js";

/** A method of etcd's gRPC services. */
export interface EtcdMethod<In, Out> {
  readonly path: string;
  readonly request: Pick<MessageType<In, unknown>, "encode">;
  readonly response: Pick<MessageType<never, Out>, "decode">;
}

export type EtcdKeyValue = ReturnType<typeof KeyValueMessage.decode>;
export type EtcdEvent = ReturnType<typeof EventMessage.decode>;
export type RangeResponse = ReturnType<typeof RangeResponseMessage.decode>;
export type RangeRequest = Parameters<typeof RangeRequestMessage.encode>[0];
export type RequestOp = Parameters<typeof RequestOpMessage.encode>[0];
export type WatchRequest = Parameters<typeof WatchRequestMessage.encode>[0];
export type WatchResponse = ReturnType<typeof WatchResponseMessage.decode>;

/** The type of a delete event. Every other event is a put. */
export const DELETED = 1;
/** Compares the key's mod_revision, which is 0 for a missing key. */
export const MOD_REVISION = 2;

const HeaderMessage = message({ revision: integer(3) });

const KeyValueMessage = message({
  key: bytes(1),
  createRevision: integer(2),
  modRevision: integer(3),
  value: bytes(5),
  /** 0 for a key that does not expire. */
  lease: bigInteger(6),
});

const EventMessage = message({
  type: integer(1),
  kv: nested(2, KeyValueMessage),
  prevKv: nested(3, KeyValueMessage),
});

const RangeRequestMessage = message({
  key: bytes(1),
  rangeEnd: bytes(2),
  limit: integer(3),
  revision: integer(4),
  keysOnly: flag(8),
  countOnly: flag(9),
});
const RangeResponseMessage = message({
  header: nested(1, HeaderMessage),
  kvs: nesteds(2, KeyValueMessage),
  more: flag(3),
  count: integer(4),
});

const PutRequestMessage = message({ key: bytes(1), value: bytes(2), lease: bigInteger(3) });
const DeleteRangeRequestMessage = message({ key: bytes(1), prevKv: flag(3) });
const DeleteRangeResponseMessage = message({ prevKvs: nesteds(3, KeyValueMessage) });

const CompareMessage = message({ target: integer(2), key: bytes(3), modRevision: integer(6) });
const RequestOpMessage = message({
  range: nested(1, RangeRequestMessage),
  put: nested(2, PutRequestMessage),
  deleteRange: nested(3, DeleteRangeRequestMessage),
});
const ResponseOpMessage = message({
  range: nested(1, RangeResponseMessage),
  deleteRange: nested(3, DeleteRangeResponseMessage),
});
const TxnRequestMessage = message({
  compare: nesteds(1, CompareMessage),
  success: nesteds(2, RequestOpMessage),
  failure: nesteds(3, RequestOpMessage),
});
const TxnResponseMessage = message({
  header: nested(1, HeaderMessage),
  succeeded: flag(2),
  responses: nesteds(3, ResponseOpMessage),
});

const WatchRequestMessage = message({
  create: nested(
    1,
    message({
      key: bytes(1),
      rangeEnd: bytes(2),
      startRevision: integer(3),
      progressNotify: flag(4),
      prevKv: flag(6),
      fragment: flag(8),
    }),
  ),
  progress: nested(3, message({})),
});
const WatchResponseMessage = message({
  header: nested(1, HeaderMessage),
  watchId: integer(2),
  created: flag(3),
  canceled: flag(4),
  compactRevision: integer(5),
  cancelReason: text(6),
  /** More of the same response follows. */
  fragment: flag(7),
  events: nesteds(11, EventMessage),
});

function method<In, Out>(
  path: string,
  request: MessageType<In, unknown>,
  response: MessageType<never, Out>,
): EtcdMethod<In, Out> {
  return { path: `/etcdserverpb.${path}`, request, response };
}

export const range = method("KV/Range", RangeRequestMessage, RangeResponseMessage);
export const txn = method("KV/Txn", TxnRequestMessage, TxnResponseMessage);
export const compact = method("KV/Compact", message({ revision: integer(1) }), message({}));
export const watch = method("Watch/Watch", WatchRequestMessage, WatchResponseMessage);
export const leaseGrant = method(
  "Lease/LeaseGrant",
  message({ seconds: integer(1) }),
  message({ id: bigInteger(2), seconds: integer(3) }),
);
export const leaseTimeToLive = method(
  "Lease/LeaseTimeToLive",
  message({ id: bigInteger(1) }),
  /** -1 second for a lease that has ended. */
  message({ id: bigInteger(2), seconds: bigInteger(3) }),
);
export const status = method(
  "Maintenance/Status",
  message({}),
  message({ version: text(2), size: integer(3), errors: texts(8) }),
);
