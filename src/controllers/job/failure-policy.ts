import type { PodFailurePolicy, PodFailurePolicyAction, PodFailurePolicyRule } from "../../api/types/batch/v1.js";
import type { ContainerStatus, Pod, PodCondition } from "../../api/types/core/v1.js";

export interface FailureMatch {
  /** Of the first rule that matches; undefined when none does. */
  readonly action?: PodFailurePolicyAction;
  /** Whether the failure counts towards the limits. */
  readonly counts: boolean;
  /** Why the whole job fails, for the action FailJob. */
  readonly message?: string;
}

/** Finds the rule of a policy that matches a failed pod, and its action. */
export function matchFailurePolicy(policy: PodFailurePolicy | undefined, pod: Pod): FailureMatch {
  for (const [index, rule] of (policy?.rules ?? []).entries()) {
    const cause = matchedCause(rule, pod);
    if (cause === undefined) continue;
    const { action } = rule;
    if (action === "FailJob") {
      return { action, counts: true, message: `${cause} matching ${action} rule at index ${index}` };
    }
    return { action, counts: action !== "Ignore" };
  }
  return { counts: true };
}

/** What of the pod a rule matches, in words; undefined when it does not match. */
function matchedCause({ onExitCodes, onPodConditions }: PodFailurePolicyRule, pod: Pod): string | undefined {
  const { namespace = "", name = "" } = pod.metadata ?? {};
  if (onExitCodes !== undefined) {
    const container = containerByExitCode(pod, onExitCodes);
    if (container === undefined) return undefined;
    const code = container.state?.terminated?.exitCode;
    return `Container ${container.name} for pod ${namespace}/${name} failed with exit code ${code}`;
  }
  const condition = conditionByPattern(pod, onPodConditions ?? []);
  return condition && `Pod ${namespace}/${name} has condition ${condition.type}`;
}

type ExitCodes = NonNullable<PodFailurePolicyRule["onExitCodes"]>;

function containerByExitCode({ status }: Pod, { containerName, operator, values }: ExitCodes) {
  const matches = ({ name, state }: ContainerStatus): boolean => {
    const code = state?.terminated?.exitCode ?? 0;
    if (code === 0 || (containerName !== undefined && containerName !== name)) return false;
    return values.includes(code) === (operator === "In");
  };
  return status?.containerStatuses?.find(matches) ?? status?.initContainerStatuses?.find(matches);
}

type Patterns = NonNullable<PodFailurePolicyRule["onPodConditions"]>;

function conditionByPattern({ status }: Pod, patterns: Patterns): PodCondition | undefined {
  return status?.conditions?.find((condition) =>
    patterns.some((pattern) => pattern.type === condition.type && (pattern.status ?? "True") === condition.status),
  );
}
