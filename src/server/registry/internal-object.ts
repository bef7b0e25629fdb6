import { encodeJson } from "../../machinery/codec/json-encoder.js";
import { decodeJson } from "../../machinery/codec/json-decoder.js";
import { type GroupResource, isNotFound } from "../../machinery/errors/status-error.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import type { ObjectCodec, ObjectStore, StoredObject } from "../storage/store.js";

/** What servers keep for themselves: an object of a kind that no resource serves, at a key of its own. */
export interface InternalKind {
  readonly apiVersion: string;
  readonly kind: string;
  /** Named in errors. */
  readonly resource: GroupResource;
  /** Where it is kept: "/registry/ranges/" and "servicenodeports". No resource's keys begin with the prefix. */
  readonly prefix: string;
  readonly key: string;
}

/**
 * Makes of an object what is to be stored. Gets it as it is then, which it must not change, or undefined when there is
 * none; answers that same object to leave it. May run several times. metadata.resourceVersion is set only where nobody
 * else's change comes before it in the same write. What it throws is its caller's error and changes nothing.
 */
export type InternalChange<T> = (current: KubeObject | undefined) => {
  readonly object: KubeObject;
  readonly result: T;
};

interface Waiting {
  /** Runs the change; answers the object after it. */
  apply(current: KubeObject | undefined): KubeObject | undefined;
  /** Tells the caller what came of it. */
  done(): void;
  fail(error: unknown): void;
}

/** One object that servers share: every change is made to what is stored, whoever stored it. */
export class InternalObject {
  #waiting: Waiting[] = [];
  #writing = false;

  constructor(
    private readonly store: ObjectStore,
    private readonly key: string,
  ) {}

  /** As this server's cache holds it; undefined when there is none. */
  async get(): Promise<KubeObject | undefined> {
    try {
      return (await this.store.get(this.key, { resourceVersion: "0" })).object();
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  /** Changes that are asked for while one is being written are written together, in the order they came. */
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

/** Objects of an internal kind as they are kept: JSON with its fields in the order they are given. */
export function internalCodec({ apiVersion, kind }: InternalKind): ObjectCodec {
  return {
    decode: (bytes) => decodeJson(bytes).value as KubeObject,
    encode(object) {
      const { resourceVersion: _, ...metadata } = object.metadata ?? {};
      return Buffer.from(encodeJson({ ...object, kind, apiVersion, metadata }));
    },
    attributes: () => ({ labels: {}, fields: {} }),
  };
}

const NOTHING_TO_STORE = new Error("every change to an object that does not exist was refused");

function withoutVersion(object: KubeObject): KubeObject {
  const { resourceVersion: _, ...metadata } = object.metadata ?? {};
  return { ...object, metadata };
}
