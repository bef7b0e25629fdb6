import { addUsage, listOf, type Usage, usageOf } from "../../../../api/quota/index.js";
import type { ResourceQuota } from "../../../../api/types/core/v1.js";
import type { Quantity } from "../../../../machinery/text/quantity/quantity.js";

/** A quota while the requests of a batch are checked against it, one after the other. */
export class RunningQuota {
  readonly name: string;
  /** The limits that are in force: those of the status, not of the spec. */
  readonly hard: ReadonlyMap<string, Quantity>;
  readonly #used: Usage;
  #isCharged = false;

  constructor(readonly quota: ResourceQuota) {
    this.name = quota.metadata?.name ?? "";
    this.hard = usageOf(quota.status?.hard);
    this.#used = usageOf(quota.status?.used);
  }

  get used(): ReadonlyMap<string, Quantity> {
    return this.#used;
  }

  /** Whether the stored quota must be written for the requests that were charged. */
  get isCharged(): boolean {
    return this.#isCharged;
  }

  charge(amounts: ReadonlyMap<string, Quantity>): void {
    addUsage(this.#used, amounts);
    this.#isCharged = true;
  }

  /** The quota with what it is charged, at the version at which it was read. */
  charged(): ResourceQuota {
    const { quota } = this;
    return { ...quota, status: { ...quota.status, used: listOf(this.#used) } };
  }
}
