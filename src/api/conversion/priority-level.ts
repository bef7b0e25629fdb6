import {
  isFields,
  number,
  object,
  type ReadonlyFields,
  child,
  ensureChild,
  type Fields,
} from "../../machinery/meta/access.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import type { Conversion } from "../../machinery/scheme/scheme.js";
import { withAnnotations, withoutAnnotations, renameFields, withChild, zeroWhereAbsent } from "./copies.js";
import type { VersionTable } from "./version-table.js";
import { DEFAULT_SHARES, defaultExemptAndQueues } from "../defaults/flow-control.js";

/** Says in v1beta3 that 0 shares are meant and are not to be defaulted; its value means nothing. */
const PRESERVE_ZERO_SHARES = "flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares";

/** v1beta1 and v1beta2. */
function defaultAssuredPriorityLevel(level: Fields): void {
  defaultShares(level, "assuredConcurrencyShares");
  defaultExemptAndQueues(level);
}

function defaultBeta3PriorityLevel(level: Fields): void {
  const { annotations } = object(level.metadata);
  if (!Object.hasOwn(object(annotations), PRESERVE_ZERO_SHARES)) defaultShares(level, "nominalConcurrencyShares");
  defaultExemptAndQueues(level);
}

function defaultShares(level: Fields, field: string): void {
  const limited = child(ensureChild(level, "spec"), "limited");
  if (limited !== undefined && number(limited[field]) === 0) limited[field] = DEFAULT_SHARES;
}

const GROUP = "flowcontrol.apiserver.k8s.io";
const ASSURED = "assuredConcurrencyShares";
const NOMINAL = "nominalConcurrencyShares";

/** In v1beta1 and v1beta2 shares have another name; in all betas 0 and none are the same. */
const assured: Conversion = {
  toHub: (level) => withLimited(level, (limited) => withShares(renameFields(limited, { [ASSURED]: NOMINAL }))),
  fromHub: (level) => withLimited(level, (limited) => renameFields(limited, { [NOMINAL]: ASSURED })),
};

/** v1beta3 defaults 0 shares to 30, unless an annotation says that 0 is meant. */
const beta3: Conversion = {
  toHub: (level) => withLimited(withoutAnnotations(level, [PRESERVE_ZERO_SHARES]), withShares),
  fromHub: (level) => (hasZeroShares(level) ? withZeroAnnotated(level) : level),
};

export const FLOW_CONTROL_BETAS: VersionTable = {
  [`${GROUP}/v1beta1/PriorityLevelConfiguration`]: { conversion: assured, applyDefaults: defaultAssuredPriorityLevel },
  [`${GROUP}/v1beta2/PriorityLevelConfiguration`]: { conversion: assured, applyDefaults: defaultAssuredPriorityLevel },
  [`${GROUP}/v1beta3/PriorityLevelConfiguration`]: { conversion: beta3, applyDefaults: defaultBeta3PriorityLevel },
};

function withLimited(level: KubeObject, change: (limited: ReadonlyFields) => ReadonlyFields): KubeObject {
  return withChild(level, "spec", (spec) => withChild(spec, "limited", change));
}

const withShares = (limited: ReadonlyFields): ReadonlyFields => zeroWhereAbsent(limited, [NOMINAL]);

function hasZeroShares(level: KubeObject): boolean {
  const { limited } = object(level.spec);
  return isFields(limited) && number(limited[NOMINAL]) === 0;
}

/** An annotation that is there keeps its value, which means nothing. */
function withZeroAnnotated(level: KubeObject): KubeObject {
  const isAnnotated = Object.hasOwn(level.metadata?.annotations ?? {}, PRESERVE_ZERO_SHARES);
  return isAnnotated ? level : withAnnotations(level, { [PRESERVE_ZERO_SHARES]: "" });
}
