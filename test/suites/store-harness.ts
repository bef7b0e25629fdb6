import { afterEach } from "vitest";
import { isStatusError } from "../../src/machinery/errors/status-error.js";
import type { KubeObject } from "../../src/machinery/meta/object.js";
import { createStorage, type Storage, type KvStorageOptions } from "../../src/server/storage/create-storage.js";
import type {
  ObjectCodec,
  ObjectStore,
  StoredEvent,
  StoredObject,
  WatchObjectsOptions,
} from "../../src/server/storage/store.js";
import { ManualTime } from "../helpers/manual-time.js";
import { MOD_REVISION, txn } from "../../src/server/storage/etcd/messages.js";
import type { Kv } from "../../src/server/storage/kv.js";
import type { KvUnderTest } from "./kv.js";

/** JSON as it comes, with one field selector beside the usual two. */
export const plainCodec: ObjectCodec = {
  decode: (bytes) => JSON.parse(new TextDecoder().decode(bytes)) as KubeObject,
  encode: (object) => {
    const { resourceVersion: _, ...metadata } = object.metadata ?? {};
    return new TextEncoder().encode(JSON.stringify({ ...object, metadata }));
  },
  attributes: ({ metadata = {}, ...rest }) => ({
    labels: metadata.labels ?? {},
    fields: {
      "metadata.name": metadata.name ?? "",
      "metadata.namespace": metadata.namespace ?? "",
      "spec.nodeName": typeof rest["node"] === "string" ? rest["node"] : "",
    },
  }),
};

export const PODS = { group: "", resource: "pods" };

export function pod(namespace: string, name: string, rest: Record<string, unknown> = {}): KubeObject {
  return { kind: "Pod", apiVersion: "v1", metadata: { name, namespace, uid: `uid-${name}` }, ...rest };
}

export const onNode =
  (node: string) =>
  (object: StoredObject): boolean =>
    object.fields["spec.nodeName"] === node;

export interface OpenStore {
  readonly pods: ObjectStore;
  readonly storage: Storage;
  /** What the storage keeps its objects in. */
  readonly kv: Kv;
  /** The time that the store lives in. */
  readonly time: ManualTime;
}

/** Opens stores of pods, and closes them after each test of the surrounding suite. */
export function storeOpener(
  makeSubject: () => KvUnderTest,
  always: Partial<KvStorageOptions> = {},
): (options?: Partial<KvStorageOptions>) => Promise<OpenStore> {
  const opened: { storage: Storage; subject: KvUnderTest }[] = [];
  afterEach(async () => {
    for (const { storage, subject } of opened.splice(0)) {
      await storage.close();
      await subject.dispose?.();
    }
  });
  return async (options = {}) => {
    const time = new ManualTime();
    const subject = makeSubject();
    const kv = await subject.open({ clock: time, timers: time });
    const storage = createStorage({ kv, clock: time, timers: time, ...always, ...options });
    opened.push({ storage, subject });
    return {
      storage,
      kv,
      time,
      pods: storage.storeFor({ prefix: "/registry/pods/", resource: PODS, codec: plainCodec }),
    };
  };
}

/** Starts a watch now; `done` holds its first `count` events, or all of them once stopped. */
export async function collect(
  store: ObjectStore,
  prefix: string,
  count: number,
  options: Omit<WatchObjectsOptions, "signal">,
): Promise<{ done: Promise<StoredEvent[]>; stop(): void }> {
  const controller = new AbortController();
  const watch = await store.watch(prefix, { ...options, signal: controller.signal });
  const read = async (): Promise<StoredEvent[]> => {
    const events: StoredEvent[] = [];
    for await (const batch of watch) {
      events.push(...batch);
      if (events.length >= count) break;
    }
    return events.slice(0, count);
  };
  return { done: read(), stop: () => controller.abort() };
}

export function show({ type, object, revision, initialEventsEnd }: StoredEvent): string {
  const name = object === undefined ? "" : ` ${object.fields["metadata.name"]}`;
  return `${type}${name}@${revision}${initialEventsEnd === true ? " end" : ""}`;
}

export function names(objects: readonly StoredObject[]): (string | undefined)[] {
  return objects.map(({ fields }) => fields["metadata.name"]);
}

export function token(revision: number, start: string): string {
  return Buffer.from(JSON.stringify({ v: "meta.k8s.io/v1", rv: revision, start })).toString("base64url");
}

/** The Status of a promise that must fail with one. */
export async function failure(promise: Promise<unknown>): Promise<unknown> {
  const error: unknown = await promise.then(
    () => new Error("it succeeded"),
    (reason: unknown) => reason,
  );
  if (!isStatusError(error)) throw error;
  return error.status;
}

/** Lets everything that is under way come to rest. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setTimeout(resolve, 1));
}

/** The message in which kube-apiserver asks etcd to create an object, and how long the request is that etcd makes of it. */
export function etcdRequest(key: string, value: Uint8Array): { readonly message: Uint8Array; readonly length: number } {
  const at = Buffer.from(key);
  const message = txn.request.encode({
    compare: [{ target: MOD_REVISION, key: at, modRevision: 0 }],
    success: [{ put: { key: at, value } }],
  });
  // A header of 14 bytes, the tag, and the message's length in three bytes.
  return { message, length: 14 + 1 + 3 + message.length };
}
