import { absent, child, ensureChild, type Fields, setDefault } from "../../machinery/meta/access.js";

/** Sets the default of matchingPrecedence, in every version. */
export function defaultFlowSchema(schema: Fields): void {
  setDefault(ensureChild(schema, "spec"), "matchingPrecedence", 1000);
}

/** Sets the defaults of flowcontrol.apiserver.k8s.io/v1, where 0 shares do not count as absent. */
export function defaultPriorityLevel(level: Fields): void {
  const limited = child(ensureChild(level, "spec"), "limited");
  if (limited !== undefined) setDefault(limited, "nominalConcurrencyShares", DEFAULT_SHARES);
  defaultExemptAndQueues(level);
}

export const DEFAULT_SHARES = 30;

/** Sets the defaults that all versions of a priority level share. */
export function defaultExemptAndQueues(level: Fields): void {
  const spec = ensureChild(level, "spec");
  const exempt = child(spec, "exempt");
  if (exempt !== undefined) {
    setDefault(exempt, "nominalConcurrencyShares", 0);
    setDefault(exempt, "lendablePercent", 0);
  }
  const limited = child(spec, "limited");
  if (limited === undefined) return;
  setDefault(limited, "lendablePercent", 0);
  const queuing = child(child(limited, "limitResponse") ?? {}, "queuing");
  if (queuing === undefined) return;
  for (const [field, value] of QUEUING) {
    if (absent(queuing[field]) || queuing[field] === 0) queuing[field] = value;
  }
}

const QUEUING: readonly (readonly [string, number])[] = [
  ["queues", 64],
  ["handSize", 8],
  ["queueLengthLimit", 50],
];
