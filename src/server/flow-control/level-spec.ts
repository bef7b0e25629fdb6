import type {
  ExemptPriorityLevelConfiguration,
  LimitedPriorityLevelConfiguration,
  PriorityLevelConfiguration,
} from "../../api/types/flowcontrol/v1.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import { number, object, type Received, text } from "../../machinery/meta/received.js";
import { NO_QUEUES, type Queuing } from "./queue-set.js";
import { canDeal } from "./shuffle-sharding.js";

/** The names of the objects that a server has even where its store lacks them. */
export const EXEMPT = "exempt";
export const CATCH_ALL = "catch-all";

/** The settings of a PriorityLevelConfiguration. */
export interface LevelSpec {
  readonly name: string;
  readonly uid: string;
  readonly isExempt: boolean;
  readonly shares: number;
  readonly lendablePercent: number;
  /** Undefined: there is no limit. */
  readonly borrowingLimitPercent: number | undefined;
  /** Without queues, what finds no seats is rejected. */
  readonly queuing: Queuing;
}

/** Reads a priority level. Throws for an object that validation would have rejected. */
export function readLevel(stored: KubeObject): LevelSpec {
  const { metadata, spec: given } = stored as Pick<PriorityLevelConfiguration, "metadata" | "spec">;
  const name = metadata?.name ?? "";
  const spec = object<Received<NonNullable<PriorityLevelConfiguration["spec"]>>>(given);
  const isExempt = spec.type === "Exempt";
  const limits = isExempt ? spec.exempt : spec.type === "Limited" ? spec.limited : undefined;
  if (limits === undefined || limits === null) throw broken(name, `its type ${text(spec.type)} has no fields`);
  if (isExempt !== (name === EXEMPT)) throw broken(name, `only the level "${EXEMPT}" is exempt`);
  const common: Received<ExemptPriorityLevelConfiguration> = limits;
  const { borrowingLimitPercent } = limits as Received<LimitedPriorityLevelConfiguration>;
  return {
    name,
    uid: metadata?.uid ?? "",
    isExempt,
    shares: number(common.nominalConcurrencyShares),
    lendablePercent: number(common.lendablePercent),
    borrowingLimitPercent: typeof borrowingLimitPercent === "number" ? borrowingLimitPercent : undefined,
    queuing: isExempt ? NO_QUEUES : readQueuing(name, limits),
  };
}

function readQueuing(name: string, limited: Received<LimitedPriorityLevelConfiguration>): Queuing {
  const response = object(limited.limitResponse);
  if (response.type === "Reject") return NO_QUEUES;
  const queuing = object(response.queuing);
  const queues = number(queuing.queues);
  const handSize = number(queuing.handSize);
  if (!canDeal(queues, handSize)) throw broken(name, `hands of ${handSize} cannot be dealt of ${queues} queues`);
  return { queues, handSize, queueLengthLimit: number(queuing.queueLengthLimit) };
}

const broken = (name: string, why: string): Error =>
  new Error(`the PriorityLevelConfiguration "${name}" is ignored: ${why}`);
