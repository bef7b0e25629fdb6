import { addUsage, listOf, type Usage, usageOf } from "../../api/quota/index.js";
import type { Clock } from "../../base/time/clock.js";
import type { ResourceList } from "../../api/types/core/v1.js";
import type { Quantity } from "../../machinery/text/quantity/quantity.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import type { InternalKind, InternalObject } from "./internal-object.js";

/** The amounts that a request is about to be charged, by the uids of the quotas. */
export interface OpenCharge {
  readonly id: string;
  /** The time in milliseconds by which the request has stored its object, or never will. */
  readonly expires: number;
  readonly amounts: ReadonlyMap<string, ReadonlyMap<string, Quantity>>;
}

/** A charge as it is stored. */
interface Entry {
  readonly id: string;
  readonly expires: number;
  readonly amounts: Readonly<Record<string, Readonly<ResourceList>>>;
}

const OPEN_CHARGES: InternalKind = {
  apiVersion: "kubets.dev/v1",
  kind: "OpenQuotaCharges",
  resource: { group: "kubets.dev", resource: "openquotacharges" },
  prefix: "/registry/quotacharges/",
  key: "open",
};

/**
 * The charges of requests whose objects may not be stored yet, of all servers on the store. A charge is opened before its quota's status
 * says it, and closed once its object is stored or never will be: a controller that reads a quota's status,
 * then the open charges, then the objects finds each charge of that status among the charges or the objects.
 */
export class OpenCharges {
  constructor(
    private readonly resources: { internal(kind: InternalKind): InternalObject },
    private readonly clock: Clock,
  ) {}

  get #stored(): InternalObject {
    return this.resources.internal(OPEN_CHARGES);
  }

  /** Resolves once the charges are stored. */
  async open(charges: readonly OpenCharge[]): Promise<void> {
    const more = charges.map(({ id, expires, amounts }) => ({
      id,
      expires,
      amounts: Object.fromEntries([...amounts].map(([uid, usage]) => [uid, listOf(usage)])),
    }));
    await this.#change((entries) => [...entries.filter(({ expires }) => expires > this.clock.now()), ...more]);
  }

  /** Charges that are closed together are written together. */
  async close(ids: readonly string[]): Promise<void> {
    const closed = new Set(ids);
    await this.#change((entries) => entries.filter(({ id }) => !closed.has(id)));
  }

  /**
   * Returns the amounts that the quota of this uid may have been charged for objects that are not stored, by the latest state of the store.
   */
  async of(uid: string): Promise<Usage> {
    const sum: Usage = new Map();
    const now = this.clock.now();
    for (const { expires, amounts } of entriesOf(await this.#stored.latest())) {
      if (expires > now) addUsage(sum, usageOf(amounts[uid]));
    }
    return sum;
  }

  async #change(change: (entries: readonly Entry[]) => readonly Entry[]): Promise<void> {
    await this.#stored.update((current) => {
      const { apiVersion, kind } = OPEN_CHARGES;
      const entries = change(entriesOf(current));
      const object: KubeObject = { apiVersion, kind, metadata: current?.metadata ?? {}, entries };
      return { object, result: undefined };
    });
  }
}

const entriesOf = (object: KubeObject | undefined): readonly Entry[] => (object?.["entries"] ?? []) as readonly Entry[];
