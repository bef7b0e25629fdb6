import type { FieldsOf } from "../../machinery/meta/received.js";
import { encodeJson } from "../../machinery/wire/json/json-encoder.js";
import { decodeJson } from "../../machinery/wire/json/json-decoder.js";
import { type GroupResource, isNotFound } from "../../machinery/errors/status-error.js";
import type { ApiObject, KubeObject } from "../../machinery/meta/object.js";
import type { ObjectCodec, ObjectStore, StoredObject } from "../storage/store.js";

/**
 * A kind of object that API servers share in the store and no resource serves, such as the RangeAllocation of node ports.
 */
export interface InternalKind {
  readonly apiVersion: string;
  readonly kind: string;
  /** The resource that errors name. */
  readonly resource: GroupResource;
  /**
   * The key in the store is `prefix` and `key` together: "/registry/ranges/" and "servicenodeports". No resource's keys
   * begin with this prefix.
   */
  readonly prefix: string;
  readonly key: string;
}

/**
 * Computes the object to store from the current one, which is undefined when there is none and must not be changed.
 * Returning the current object stores nothing. The function may run several times. The current object has a
 * metadata.resourceVersion only if no other change precedes this one in the same write. A thrown error rejects the caller's
 * promise and stores nothing.
 */
export type InternalChange<T> = (current: KubeObject | undefined) => {
  readonly object: KubeObject;
  readonly result: T;
};

interface Waiting {
  /** Runs the change and returns the object after it. */
  apply(current: KubeObject | undefined): KubeObject | undefined;
  /** Settles the caller's promise with the result of the change. */
  done(): void;
  fail(error: unknown): void;
}

/** One object that several API servers share. Every change is applied to the currently stored object, whichever server wrote it. */
export class InternalObject {
  #waiting: Waiting[] = [];
  #writing = false;

  constructor(
    private readonly store: ObjectStore,
    private readonly key: string,
  ) {}

  /** Reads the object from this server's watch cache; undefined when there is none. */
  get(): Promise<KubeObject | undefined> {
    return this.#read("0");
  }

  /** Reads the object as the store has it now, whichever server stored it; undefined when there is none. */
  latest(): Promise<KubeObject | undefined> {
    return this.#read("");
  }

  async #read(resourceVersion: string): Promise<KubeObject | undefined> {
    try {
      return (await this.store.get(this.key, { resourceVersion })).object();
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  /** Applies `change`. Changes that arrive during a write are applied in order and written together. */
  update<T>(change: InternalChange<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      let settle = () => {};
      this.#waiting.push({
        apply(current) {
          try {
            const { object, result } = change(current);
            settle = () => resolve(result);
            return object;
          } catch (error) {
            settle = () => reject(error);
            return current;
          }
        },
        done: () => settle(),
        fail: reject,
      });
      void this.#write();
    });
  }

  async #write(): Promise<void> {
    if (this.#writing) return;
    this.#writing = true;
    while (this.#waiting.length > 0) {
      const changes = this.#waiting;
      this.#waiting = [];
      try {
        await this.#store(changes);
        for (const change of changes) change.done();
      } catch (error) {
        for (const change of changes) change.fail(error);
      }
    }
    this.#writing = false;
  }

  async #store(changes: readonly Waiting[]): Promise<void> {
    const write = async (stored: StoredObject | undefined): Promise<KubeObject> => {
      let object = stored?.object();
      for (const change of changes) {
        const next = change.apply(object);
        if (next !== undefined && next !== object) object = withoutVersion(next);
      }
      if (object === undefined) throw NOTHING_TO_STORE;
      return object;
    };
    try {
      await this.store.guaranteedUpdate(this.key, write, { ignoreNotFound: true });
    } catch (error) {
      if (error !== NOTHING_TO_STORE) throw error;
    }
  }
}

/** Makes the codec of an internal kind: JSON with the fields in the order of the object. */
export function internalCodec({ apiVersion, kind }: Pick<InternalKind, "apiVersion" | "kind">): ObjectCodec {
  return {
    decode: (bytes) => decodeJson(bytes).value as KubeObject,
    encode(object) {
      const { resourceVersion: _, ...metadata } = object.metadata ?? {};
      return Buffer.from(encodeJson({ ...object, kind, apiVersion, metadata } satisfies FieldsOf<ApiObject>));
    },
    attributes: () => ({ labels: {}, fields: {} }),
  };
}

const NOTHING_TO_STORE = new Error("every change to an object that does not exist was refused");

function withoutVersion(object: KubeObject): KubeObject {
  const { resourceVersion: _, ...metadata } = object.metadata ?? {};
  return { ...object, metadata } satisfies FieldsOf<ApiObject>;
}
