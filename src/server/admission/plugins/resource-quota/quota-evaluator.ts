import { uuid } from "../../../../base/numbers/uuid.js";
import { deferred, type Deferred } from "../../../../base/async/deferred.js";
import { type DeviceFacts, NO_DEVICES, payingPodName } from "../../../../api/quota/index.js";
import { resizeSumsOf } from "../../../../api/pods/pod-total.js";
import type { ResourceQuota, Pod } from "../../../../api/types/core/v1.js";
import { kubernetesClient, type KubernetesClient } from "../../../../client/dynamic/kubernetes-client.js";
import { internalError, isConflict, isNotFound, timeout } from "../../../../machinery/errors/status-error.js";
import type { Quantity } from "../../../../machinery/text/quantity/quantity.js";
import type { KubeObject } from "../../../../machinery/meta/object.js";
import type { AdmissionAttributes } from "../../attributes.js";
import type { AdmissionContext } from "../../plugin.js";
import { chargesOf, RunningQuota } from "./charges.js";
import type { LimitedResource } from "../resource-quota.js";

/** How long a request may lose against other writers of the quota, in milliseconds. */
const PATIENCE = 10_000;

/** How long a request may live that has no deadline, and how long after its deadline its last write may take, in milliseconds. */
const LIFETIME = 60_000;
const LAST_WRITE = 10_000;

interface Waiter extends Deferred<void> {
  readonly attributes: AdmissionAttributes;
  /** What it was charged in this round, by the quotas' uids. */
  charges: ReadonlyMap<string, ReadonlyMap<string, Quantity>>;
  readonly since: number;
}

/**
 * Charges requests to the quotas of their namespaces. The charge is stored, at the version at which the quota was read, before a request
 * goes on: however many requests of however many servers come at once, their charges never exceed a quota. Until its object is
 * stored, the charge is among the open ones, which the quota controller leaves alone. The requests of a namespace
 * that come while a charge is written are checked and charged together. A request that fails after its charge leaves the quota too full
 * until the quota controller counts again.
 */
export class QuotaEvaluator {
  /** The requests that wait for the batch of their namespace that is under way. */
  readonly #waiting = new Map<string, Waiter[]>();
  #client: KubernetesClient | undefined;

  constructor(private readonly limited: readonly LimitedResource[]) {}

  /** Resolves once the request is charged, and rejects with the StatusError that refuses it. */
  evaluate(attributes: AdmissionAttributes, context: AdmissionContext): Promise<void> {
    const { namespace } = attributes;
    const waiter: Waiter = { attributes, charges: new Map(), since: context.clock.now(), ...deferred<void>() };
    const others = this.#waiting.get(namespace);
    if (others !== undefined) others.push(waiter);
    else {
      this.#waiting.set(namespace, [waiter]);
      void this.#workOff(namespace, context);
    }
    return waiter.promise;
  }

  async #workOff(namespace: string, context: AdmissionContext): Promise<void> {
    for (let batch = this.#waiting.get(namespace) ?? []; batch.length > 0; ) {
      this.#waiting.set(namespace, []);
      try {
        await this.#decide(batch, namespace, context);
      } catch (error) {
        for (const waiter of batch) waiter.reject(asError(error));
      }
      batch = this.#waiting.get(namespace) ?? [];
    }
    this.#waiting.delete(namespace);
  }

  /** Settles each of the requests, or throws what settles the rest. */
  async #decide(batch: readonly Waiter[], namespace: string, context: AdmissionContext): Promise<void> {
    const { objects, clock } = context;
    let quotas = runningQuotas(await objects.cached.list("", "resourcequotas", namespace));
    const attributes = batch.map((waiter) => waiter.attributes);
    const devices = { ...(await deviceFacts(attributes, namespace, context)), resizes: resizeSumsOf(context.release) };
    let undecided = batch;
    // What the configuration limits is covered once the first round is over: later ones see some of the quotas only.
    for (let limited = this.limited; ; limited = []) {
      undecided = undecided.filter((waiter) => isCharged(waiter, quotas, limited, clock.now(), devices));
      if (undecided.length > 0) await open(undecided, context);
      const results = await Promise.all(
        quotas.filter(({ isCharged }) => isCharged).map((quota) => this.#write(quota, context)),
      );
      const failed = results.filter((result) => result !== undefined);
      if (failed.length === 0) break;
      const fault = failed.find(({ error }) => !isConflict(error) && !isNotFound(error));
      if (fault !== undefined) throw asError(fault.error);
      undecided = undecided.filter((waiter) => isPatient(waiter, clock.now()));
      const lost = new Set(failed.map(({ quota }) => quota.name));
      // Another server may have written: this one's cache may not have that yet. A quota that is gone limits nothing.
      quotas = runningQuotas(await objects.list("", "resourcequotas", namespace)).filter(({ name }) => lost.has(name));
    }
    for (const waiter of undecided) waiter.resolve();
  }

  async #write(
    quota: RunningQuota,
    context: AdmissionContext,
  ): Promise<{ readonly quota: RunningQuota; readonly error: unknown } | undefined> {
    try {
      await this.#clientOf(context).of("v1", "ResourceQuota").updateStatus(quota.charged());
      return undefined;
    } catch (error) {
      return { quota, error };
    }
  }

  #clientOf({ client, clock, random }: AdmissionContext): KubernetesClient {
    this.#client ??= kubernetesClient({ transport: client }, { clock, random, headers: USER_AGENT });
    return this.#client;
  }
}

const USER_AGENT = { "user-agent": "kube-apiserver" };

const runningQuotas = (quotas: readonly KubeObject[]): RunningQuota[] =>
  quotas.map((quota) => new RunningQuota(quota as ResourceQuota));

/** Checks a request against the quotas and charges it to them. False when it is settled: it is refused, or costs nothing. */
function isCharged(
  waiter: Waiter,
  quotas: readonly RunningQuota[],
  limited: readonly LimitedResource[],
  now: number,
  devices: DeviceFacts,
): boolean {
  const { attributes, resolve, reject } = waiter;
  try {
    // A client that is gone must not be charged.
    if (attributes.signal.aborted) throw timeout("request did not complete within the allotted timeout", 0);
    const charges = chargesOf(attributes, quotas, limited, now, devices);
    if (charges.size > 0 && !attributes.dryRun) {
      for (const [quota, amounts] of charges) quota.charge(amounts);
      waiter.charges = new Map([...charges].map(([{ quota }, amounts]) => [quota.metadata?.uid ?? "", amounts]));
      return true;
    }
    resolve();
  } catch (error) {
    reject(asError(error));
  }
  return false;
}

/** Makes the charges of a round known to all servers before the quotas are charged. */
async function open(waiters: readonly Waiter[], { openCharges, clock, random }: AdmissionContext): Promise<void> {
  const now = clock.now();
  const opened = waiters.map(({ attributes, charges }) => {
    const id = uuid(random);
    // A charge that cannot be closed now expires.
    attributes.whenSettled(() => void openCharges.close([id]).catch(() => {}));
    return { id, expires: now + (attributes.timeLeft ?? LIFETIME) + LAST_WRITE, amounts: charges };
  });
  await openCharges.open(opened);
}

function isPatient({ since, reject }: Waiter, now: number): boolean {
  if (now - since < PATIENCE) return true;
  reject(internalError("resource quota evaluation timed out"));
  return false;
}

const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));

const DEVICE_GROUP = "resource.k8s.io";

/** Reads what decides how much the claims of devices among some requests of a namespace take. Without claims it reads nothing. */
async function deviceFacts(
  requests: readonly AdmissionAttributes[],
  namespace: string,
  { objects: { cached } }: Pick<AdmissionContext, "objects">,
): Promise<DeviceFacts> {
  const claims = requests.filter(
    ({ resource }) => resource.group === DEVICE_GROUP && resource.resource === "resourceclaims",
  );
  if (claims.length === 0) return NO_DEVICES;
  const classes = await cached.list(DEVICE_GROUP, "deviceclasses");
  const asked = claims.flatMap(({ object }) => (object === undefined ? [] : [object]));
  const names = new Set(asked.flatMap((claim) => payingPodName(claim) ?? []));
  if (names.size === 0) return { ...NO_DEVICES, classes };
  const pods = await Promise.all([...names].map((name) => cached.get("", "pods", namespace, name)));
  const others = await cached.list(DEVICE_GROUP, "resourceclaims", namespace);
  return {
    classes,
    pods: pods.filter((pod) => pod !== undefined) as readonly Pod[],
    claims: others,
  };
}
