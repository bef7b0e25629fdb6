import type { Condition } from "../../api/types/meta/v1.js";
import type { ServiceCIDRStatus, ServiceCIDR } from "../../api/types/networking/v1.js";
import { isHostOf, parseIpv4, parseIpv4Prefix } from "../../base/numbers/ipv4-prefix.js";
import type { Clock } from "../../base/time/clock.js";
import type { KubernetesClient } from "../../client/dynamic/kubernetes-client.js";
import type { PartialObjectMetadata, ResourceClient } from "../../client/dynamic/resource-client.js";
import type { ReconcileResult } from "../../client/manager/index.js";
import { isConflict, isNotFound } from "../../machinery/errors/status-error.js";
import { type FieldsOf, list, object, objects, type ReceivedObject, text } from "../../machinery/meta/received.js";
import type { ApiObject, KubeObject } from "../../machinery/meta/object.js";
import type { ControllerContext, OwnWork } from "../context.js";

const GROUP_VERSION: string = "networking.k8s.io/v1";
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

/** Marks each ServiceCIDR as ready, and keeps a deleted one until no address needs it. */
export function serviceCidrs({ client, manager, clock, report }: ControllerContext): OwnWork {
  const controller = new ServiceCidrController(client, clock);
  manager
    .controllerFor<string, string>(GROUP_VERSION, "ServiceCIDR")
    .named("service-cidr-controller")
    .reconcile(async ({ object: cidr }) => {
      if (cidr === undefined) return;
      try {
        return await controller.reconcile(cidr);
      } catch (error) {
        // Deleted, or changed since the cache saw it: the change reconciles the ServiceCIDR again.
        if (!isNotFound(error) && !isConflict(error)) throw error;
      }
    });
  return {
    async prepare() {
      for await (const cidr of client.of<KubeObject>(GROUP_VERSION, "ServiceCIDR").listAll()) {
        try {
          await controller.reconcile(cidr);
        } catch (error) {
          // The cluster starts all the same, and the ServiceCIDR is reconciled then.
          report(error);
        }
      }
    },
  };
}

class ServiceCidrController {
  readonly #cidrs: ResourceClient;
  readonly #addresses: ResourceClient<PartialObjectMetadata>;

  constructor(
    client: KubernetesClient,
    private readonly clock: Clock,
  ) {
    this.#cidrs = client.of<KubeObject>(GROUP_VERSION, "ServiceCIDR");
    this.#addresses = client.of(GROUP_VERSION, "IPAddress").metadata();
  }

  async reconcile(cidr: ReceivedObject<ServiceCIDR>): Promise<ReconcileResult> {
    const { deletionTimestamp, finalizers = [] } = cidr.metadata ?? {};
    const isHeld = finalizers.includes(FINALIZER);
    if (deletionTimestamp !== undefined) return isHeld ? this.#end(cidr, Date.parse(deletionTimestamp)) : undefined;
    let current = cidr;
    if (!isHeld) {
      current = await this.#cidrs.update({
        ...cidr,
        metadata: { ...cidr.metadata, finalizers: [...finalizers, FINALIZER] },
      } satisfies FieldsOf<ApiObject>);
    }
    await this.#state(current, READY);
  }

  async #end(cidr: ReceivedObject<ServiceCIDR>, deletedAt: number): Promise<ReconcileResult> {
    const again = { requeueAfterMilliseconds: RETRY_MS };
    if (await this.#isInUse(cidr)) {
      await this.#state(cidr, IN_USE);
      return again;
    }
    if (this.clock.now() - deletedAt < GRACE_MS) return again;
    const finalizers = (cidr.metadata?.finalizers ?? []).filter((one) => one !== FINALIZER);
    await this.#cidrs.update({ ...cidr, metadata: { ...cidr.metadata, finalizers } } satisfies FieldsOf<ApiObject>);
  }

  /** Whether an address given from this block is in no other. */
  async #isInUse(cidr: ReceivedObject<ServiceCIDR>): Promise<boolean> {
    const others = (await this.#cidrs.list()).items.filter(({ metadata }) => metadata?.uid !== cidr.metadata?.uid);
    const remaining = others.flatMap(blocksOf);
    const leaving = blocksOf(cidr).filter(
      (block) => !remaining.some(({ network, broadcast }) => network <= block.network && broadcast >= block.broadcast),
    );
    if (leaving.length === 0) return false;
    const labelSelector = "ipaddress.kubernetes.io/managed-by=ipallocator.k8s.io";
    for await (const address of this.#addresses.listAll({ labelSelector })) {
      const number = parseIpv4(address.metadata?.name ?? "");
      if (number === undefined || !leaving.some((block) => isHostOf(block, number))) continue;
      if (!remaining.some((block) => isHostOf(block, number))) return true;
    }
    return false;
  }

  async #state(
    cidr: ReceivedObject<ServiceCIDR>,
    wanted: { status: string; reason: string; message: string },
  ): Promise<void> {
    const status = object(cidr.status);
    const conditions = objects(status.conditions);
    const current = conditions.find(({ type }) => type === "Ready");
    const same =
      current !== undefined &&
      current.status === wanted.status &&
      text(current.reason) === wanted.reason &&
      current.message === wanted.message;
    if (same) return;
    const now = `${new Date(this.clock.now()).toISOString().slice(0, 19)}Z`;
    const ready = { type: "Ready", ...wanted, lastTransitionTime: now } satisfies FieldsOf<Condition>;
    await this.#cidrs.updateStatus({
      ...cidr,
      status: {
        ...status,
        conditions: [...conditions.filter(({ type }) => type !== "Ready"), ready],
      } satisfies FieldsOf<ServiceCIDRStatus>,
    } satisfies FieldsOf<ServiceCIDR>);
  }
}

/** IPv4 blocks of a ServiceCIDR. */
export function blocksOf(cidr: ReceivedObject<ServiceCIDR>) {
  return list(object(cidr.spec).cidrs)
    .map((block) => parseIpv4Prefix(text(block)))
    .filter((block) => block !== undefined);
}
