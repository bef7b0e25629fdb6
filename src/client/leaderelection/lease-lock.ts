import type { ApiObject } from "../../machinery/meta/object.js";
import { isNotFound } from "../../machinery/errors/status-error.js";
import type { ResourceClient } from "../dynamic/resource-client.js";
import { type LeaderElectionRecord, leaseRecord } from "./election-record.js";

/** A Lease of coordination.k8s.io/v1, as far as leader election reads and writes it. Times are MicroTimes. */
export interface Lease extends ApiObject {
  spec?: {
    holderIdentity?: string;
    leaseDurationSeconds?: number;
    acquireTime?: string;
    renewTime?: string;
    leaseTransitions?: number;
  };
}

export const LEASES = { group: "coordination.k8s.io", version: "v1", resource: "leases" } as const;

/**
 * Reads and writes the record in one Lease. A write holds the resourceVersion of the Lease that was last read or written, so
 * that a record changed by another candidate is never overwritten. Throws StatusErrors, and TransportErrors when the server
 * does not answer; then a write may have been done all the same.
 */
export class LeaseLock {
  #lease: Lease | undefined;

  constructor(
    private readonly leases: ResourceClient<Lease>,
    private readonly namespace: string,
    private readonly name: string,
  ) {}

  /** The Lease for references to it, as in Events. */
  get reference(): ApiObject {
    const metadata = this.#lease?.metadata ?? { namespace: this.namespace, name: this.name };
    return { apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata };
  }

  /** "kube-system/my-operator" */
  get description(): string {
    return `${this.namespace}/${this.name}`;
  }

  /** Tells versions of the Lease apart: it differs after every write by anything. "" before the first read. */
  get version(): string {
    const { uid = "", resourceVersion = "" } = this.#lease?.metadata ?? {};
    return `${uid}/${resourceVersion}`;
  }

  /** The current record; undefined when there is no Lease. */
  async get(signal: AbortSignal): Promise<LeaderElectionRecord | undefined> {
    let lease: Lease;
    try {
      lease = await this.leases.get(this.name, { signal });
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
    this.#keep(lease, signal);
    return leaseRecord(lease);
  }

  /** Throws an AlreadyExists when another candidate created the Lease first. */
  async create(record: LeaderElectionRecord, signal: AbortSignal): Promise<void> {
    const lease: Lease = {
      apiVersion: "coordination.k8s.io/v1",
      kind: "Lease",
      metadata: { name: this.name, namespace: this.namespace },
      spec: specOf(record),
    };
    this.#keep(await this.leases.create(lease, { signal }), signal);
  }

  /** Throws a Conflict when the Lease was changed since it was last read or written here. */
  async update(record: LeaderElectionRecord, signal: AbortSignal): Promise<void> {
    if (this.#lease === undefined) throw new Error("lease not initialized, call get or create first");
    this.#keep(await this.leases.update({ ...this.#lease, spec: specOf(record) }, { signal }), signal);
  }

  /** An answer that comes after its request was given up is older than what was read since. */
  #keep(lease: Lease, signal: AbortSignal): void {
    signal.throwIfAborted();
    this.#lease = lease;
  }
}

function specOf({ leaderTransitions, ...record }: LeaderElectionRecord): NonNullable<Lease["spec"]> {
  return { ...record, leaseTransitions: leaderTransitions };
}
