import {
  countedResources,
  type DeviceFacts,
  isInScopes,
  matchedScopes,
  moreUsage,
  objectUsage,
  requiredAmounts,
  scopesOf,
  type Usage,
  addUsage,
  listOf,
  usageOf,
} from "../../../../api/quota/index.js";
import type { Pod, ScopedResourceSelectorRequirement, ResourceQuota } from "../../../../api/types/core/v1.js";
import { unclassified } from "../../../../machinery/errors/status-error.js";
import type { KubeObject } from "../../../../machinery/meta/object.js";
import {
  addQuantities,
  compareQuantities,
  formatQuantity,
  type Quantity,
  zeroQuantity,
} from "../../../../machinery/text/quantity/quantity.js";
import { type AdmissionAttributes, refused } from "../../attributes.js";
import type { LimitedResource } from "../resource-quota.js";

/** The amounts that a request is to be charged, by quota. Only amounts above 0 that the quota limits are included. */
export type Charges = ReadonlyMap<RunningQuota, ReadonlyMap<string, Quantity>>;

/**
 * Computes the amounts that a request adds to the quotas of its namespace. Throws 403 for a quota that it would exceed, that has not
 * been counted yet, or that demands amounts which a container lacks; and for an amount of `limited` that no quota covers. `now` in
 * milliseconds; `devices` is needed for a claim of devices.
 */
export function chargesOf(
  attributes: AdmissionAttributes,
  quotas: readonly RunningQuota[],
  limited: readonly LimitedResource[],
  now: number,
  devices: DeviceFacts,
): Charges {
  const { object, oldObject } = attributes;
  if (object === undefined) return new Map();
  const resource = resourceOf(attributes);
  const concerned = quotas.filter((quota) => counts(quota, resource, object, devices));
  for (const quota of concerned) checkCountable(attributes, quota, resource, devices);
  const usage = objectUsage(resource, object, now, devices);
  const negative = [...usage].filter(([, { unscaled }]) => unscaled < 0n).map(([name]) => name);
  if (negative.length > 0) {
    throw refused(attributes, `quota usage is negative for resource(s): ${negative.sort().join(",")}`);
  }
  const growth = oldObject === undefined ? usage : moreUsage(usage, objectUsage(resource, oldObject, now, devices));
  const added = new Map<RunningQuota, Usage>();
  for (const quota of concerned) {
    const isCounted = oldObject !== undefined && counts(quota, resource, oldObject, devices);
    const amounts = withoutZeros(isCounted ? growth : usage);
    if (amounts.size > 0) added.set(quota, amounts);
  }
  if (added.size === 0 && (concerned.length > 0 || withoutZeros(growth).size === 0)) return new Map();
  checkCovered(attributes, { quotas, concerned, limited, usage });
  const charges = new Map<RunningQuota, Usage>();
  for (const [quota, amounts] of added) {
    const charge: Usage = new Map([...amounts].filter(([name]) => quota.hard.has(name)));
    if (attributes.subresource !== "status") checkFits(attributes, quota, charge);
    if (charge.size > 0) charges.set(quota, charge);
  }
  return charges;
}

/** "pods", "deployments.apps": a resource as quotas name it. */
const resourceOf = ({ resource: { group, resource } }: AdmissionAttributes): string =>
  group === "" ? resource : `${resource}.${group}`;

function counts(
  { quota, hard }: RunningQuota,
  resource: string,
  object: KubeObject,
  { classes }: DeviceFacts,
): boolean {
  return (
    [...hard.keys()].some((name) => countedResources(name, classes).includes(resource)) &&
    isInScopes(resource, object, scopesOf(quota.spec ?? {}))
  );
}

function checkCountable(
  attributes: AdmissionAttributes,
  { name, hard, used }: RunningQuota,
  resource: string,
  { classes }: DeviceFacts,
): void {
  const names = [...hard.keys()].filter((amount) => countedResources(amount, classes).includes(resource));
  const missing = resource === "pods" ? requiredAmounts(attributes.object as Pod, new Set(names)) : undefined;
  if (missing !== undefined) throw refused(attributes, `failed quota: ${name}: ${missing}`);
  if (names.some((amount) => !used.has(amount))) {
    throw refused(attributes, `status unknown for quota: ${name}, resources: ${names.sort().join(",")}`);
  }
}

const withoutZeros = (usage: Usage): Usage => new Map([...usage].filter(([, { unscaled }]) => unscaled !== 0n));

interface Coverage {
  readonly quotas: readonly RunningQuota[];
  /** Those of them that count the object. */
  readonly concerned: readonly RunningQuota[];
  readonly limited: readonly LimitedResource[];
  readonly usage: Usage;
}

/** Throws where the object uses something that the configuration allows only under a quota, and no quota has it. */
function checkCovered(attributes: AdmissionAttributes, { quotas, concerned, limited, usage }: Coverage): void {
  if (limited.length === 0 || attributes.object === undefined) return;
  const { object, resource: asked } = attributes;
  const resource = resourceOf(attributes);
  const parts = limited
    .filter((one) => (one.apiGroup ?? "") === asked.group && one.resource === asked.resource)
    .flatMap(({ matchContains = [] }) => matchContains);
  const uncovered = [...usage]
    .filter(([name, { unscaled }]) => unscaled > 0n && parts.some((part) => name.includes(part)))
    .map(([name]) => name)
    .filter((name) => !concerned.some(({ hard }) => hard.has(name)));
  if (uncovered.length > 0) throw refused(attributes, `insufficient quota to consume: ${uncovered.sort().join(",")}`);
  const wanted = limited.flatMap(({ matchScopes = [] }) => matchedScopes(resource, object, matchScopes));
  const covered = quotas.flatMap(({ quota }) => matchedScopes(resource, object, scopesOf(quota.spec ?? {})));
  const missing = wanted.filter(({ scopeName }) => !covered.some((scope) => scope.scopeName === scopeName));
  // kube-apiserver has no status for this one.
  if (missing.length > 0) throw unclassified(`insufficient quota to match these scopes: ${goText(missing)}`);
}

const goText = (scopes: readonly ScopedResourceSelectorRequirement[]): string =>
  `[${scopes.map(({ scopeName, operator, values = [] }) => `{${scopeName} ${operator} [${values.join(" ")}]}`).join(" ")}]`;

function checkFits(attributes: AdmissionAttributes, { name, hard, used }: RunningQuota, charge: Usage): void {
  const exceeded = [...charge.keys()].filter((amount) => {
    const sum = addQuantities(used.get(amount) ?? zeroQuantity, charge.get(amount) ?? zeroQuantity);
    return compareQuantities(sum, hard.get(amount) ?? zeroQuantity) > 0;
  });
  if (exceeded.length === 0) return;
  const shown = (amounts: ReadonlyMap<string, Quantity>): string =>
    exceeded
      .toSorted()
      .flatMap((amount) => {
        const quantity = amounts.get(amount);
        return quantity === undefined ? [] : [`${amount}=${formatQuantity(quantity)}`];
      })
      .join(",");
  throw refused(
    attributes,
    `exceeded quota: ${name}, requested: ${shown(charge)}, used: ${shown(used)}, limited: ${shown(hard)}`,
  );
}

/** A quota while a batch of requests is checked against it, one after the other. */
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
