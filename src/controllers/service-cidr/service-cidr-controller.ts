import { isHostOf, parseIpv4, parseIpv4Prefix } from "../../base/ipv4-prefix.js";
import type { Clock } from "../../base/clock.js";
import { isConflict, isNotFound } from "../../machinery/errors/status-error.js";
import { list, object, objects, text } from "../../machinery/meta/access.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import type { Api } from "../api.js";
import { listAll } from "../list-all.js";
import { pause } from "../pause.js";

export const SERVICE_CIDRS = "/apis/networking.k8s.io/v1/servicecidrs";
const IP_ADDRESSES = "/apis/networking.k8s.io/v1/ipaddresses";

const FINALIZER = "networking.k8s.io/service-cidr-finalizer";
/** How long after its deletion a block still counts as one that addresses may come from. */
const GRACE_MS = 10_000;
const RETRY_MS = 1000;

const READY = { status: "True", reason: "", message: "Kubernetes Service CIDR is ready" };
const IN_USE = {
  status: "False",
  reason: "Terminating",
  message: "There are still IPAddresses referencing the ServiceCIDR, please remove them or create a new ServiceCIDR",
};

/** Says of a ServiceCIDR that it is ready, and keeps one that is being deleted for as long as addresses need it. */
export class ServiceCidrController {
  /** By uid. */
  readonly #ending = new Map<string, Promise<void>>();

  constructor(
    private readonly api: Api,
    private readonly clock: Clock,
    private readonly signal: AbortSignal,
    private readonly report: (error: unknown) => void,
  ) {}

  async changed(cidr: KubeObject): Promise<void> {
    const { uid = "", deletionTimestamp, finalizers = [] } = cidr.metadata ?? {};
    if (deletionTimestamp !== undefined) {
      if (this.#ending.has(uid) || !finalizers.includes(FINALIZER)) return;
      this.#ending.set(
        uid,
        this.#end(cidr).finally(() => this.#ending.delete(uid)),
      );
      return;
    }
    try {
      let current = cidr;
      if (!finalizers.includes(FINALIZER)) {
        const metadata = { ...cidr.metadata, finalizers: [...finalizers, FINALIZER] };
        current = await this.api.update(pathOf(cidr), { ...cidr, metadata });
      }
      await this.#state(current, READY);
    } catch (error) {
      ignoreOvertaken(error);
    }
  }

  async settled(): Promise<void> {
    await Promise.all(this.#ending.values());
  }

  async #end(deleted: KubeObject): Promise<void> {
    while (!this.signal.aborted) {
      try {
        const cidr = await this.api.get(pathOf(deleted));
        if (cidr.metadata?.uid !== deleted.metadata?.uid) return;
        const since = this.clock.now() - Date.parse(cidr.metadata?.deletionTimestamp ?? "");
        if (await this.#isInUse(cidr)) await this.#state(cidr, IN_USE);
        else if (since >= GRACE_MS) {
          const finalizers = (cidr.metadata?.finalizers ?? []).filter((one) => one !== FINALIZER);
          await this.api.update(pathOf(cidr), { ...cidr, metadata: { ...cidr.metadata, finalizers } });
          return;
        }
      } catch (error) {
        if (isNotFound(error) || this.signal.aborted) return;
        if (!isConflict(error)) this.report(error);
      }
      await pause(RETRY_MS, this.signal);
    }
  }

  /** Whether an address given from this block is in no other. */
  async #isInUse(cidr: KubeObject): Promise<boolean> {
    const others = (await this.api.list(SERVICE_CIDRS)).items.filter(
      ({ metadata }) => metadata?.uid !== cidr.metadata?.uid,
    );
    const remaining = others.flatMap(blocksOf);
    const leaving = blocksOf(cidr).filter(
      (block) => !remaining.some(({ network, broadcast }) => network <= block.network && broadcast >= block.broadcast),
    );
    if (leaving.length === 0) return false;
    const managed = "labelSelector=ipaddress.kubernetes.io%2Fmanaged-by%3Dipallocator.k8s.io";
    for await (const address of listAll(this.api, `${IP_ADDRESSES}?${managed}`)) {
      const number = parseIpv4(address.metadata?.name ?? "");
      if (number === undefined || !leaving.some((block) => isHostOf(block, number))) continue;
      if (!remaining.some((block) => isHostOf(block, number))) return true;
    }
    return false;
  }

  async #state(cidr: KubeObject, wanted: { status: string; reason: string; message: string }): Promise<void> {
    const status = object(cidr["status"]);
    const conditions = objects(status.conditions);
    const current = conditions.find(({ type }) => type === "Ready");
    const same =
      current !== undefined &&
      current.status === wanted.status &&
      text(current.reason) === wanted.reason &&
      current.message === wanted.message;
    if (same) return;
    const now = `${new Date(this.clock.now()).toISOString().slice(0, 19)}Z`;
    const ready = { type: "Ready", ...wanted, lastTransitionTime: now };
    await this.api.update(`${pathOf(cidr)}/status`, {
      ...cidr,
      status: { ...status, conditions: [...conditions.filter(({ type }) => type !== "Ready"), ready] },
    });
  }
}

/** IPv4 blocks of a ServiceCIDR. */
export function blocksOf(cidr: KubeObject) {
  return list(object(cidr["spec"]).cidrs)
    .map((block) => parseIpv4Prefix(text(block)))
    .filter((block) => block !== undefined);
}

const pathOf = ({ metadata }: KubeObject): string => `${SERVICE_CIDRS}/${metadata?.name ?? ""}`;

/** Gone, or changed by somebody: the change brings us back. */
function ignoreOvertaken(error: unknown): void {
  if (!isNotFound(error) && !isConflict(error)) throw error;
}
