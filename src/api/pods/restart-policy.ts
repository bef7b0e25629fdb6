import { list, object, objects, type Received, text } from "../../machinery/meta/received.js";
import type { Container, ContainerRestartRuleOnExitCodes, PodSpec } from "../types/core/v1.js";

/** What follows the end of a container. "restart-all": all containers of the pod run again, its init containers first. */
export type RestartAction = "none" | "restart" | "restart-all";

/**
 * Returns what a container's exit with this code leads to, by its own policy and rules, or else by the pod's policy. A container
 * without a policy has no rules.
 */
export function restartAction(container: Received<Container>, podPolicy: string, exitCode: number): RestartAction {
  const own = text(container.restartPolicy);
  if (own !== "") {
    const rule = objects(container.restartPolicyRules).find((one) => matches(object(one.exitCodes), exitCode));
    if (rule?.action === "RestartAllContainers") return "restart-all";
    if (rule?.action === "Restart") return "restart";
  }
  const policy = own || podPolicy || "Always";
  return policy === "Always" || (policy === "OnFailure" && exitCode !== 0) ? "restart" : "none";
}

function matches({ operator, values }: Received<ContainerRestartRuleOnExitCodes>, exitCode: number): boolean {
  const isListed = list(values).includes(exitCode);
  return operator === "In" ? isListed : operator === "NotIn" && !isListed;
}

/** Whether a rule of one of the pod's containers may restart all of them. */
export const mayRestartAll = ({ initContainers, containers }: Received<PodSpec>): boolean =>
  [...objects(initContainers), ...objects(containers)].some(({ restartPolicyRules }) =>
    objects(restartPolicyRules).some(({ action }) => action === "RestartAllContainers"),
  );
