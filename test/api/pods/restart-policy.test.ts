import { expect, test } from "vitest";
import { type RestartAction, restartAction } from "../../../src/api/pods/restart-policy.js";
import type { Received } from "../../../src/machinery/meta/received.js";
import type {
  Container,
  ContainerRestartRuleAction,
  ContainerRestartRuleOnExitCodesOperator,
} from "../../../src/api/types/core/v1.js";

const rule = (
  action: ContainerRestartRuleAction,
  operator: ContainerRestartRuleOnExitCodesOperator,
  ...values: number[]
) => ({ action, exitCodes: { operator, values } });

test.each<[string, Received<Container>, string, number, RestartAction]>([
  ["the pod's policy Always", {}, "Always", 0, "restart"],
  ["no policy at all", {}, "", 0, "restart"],
  ["the pod's policy OnFailure after a failure", {}, "OnFailure", 1, "restart"],
  ["the pod's policy OnFailure after a success", {}, "OnFailure", 0, "none"],
  ["the pod's policy Never", {}, "Never", 1, "none"],
  ["the container's policy before the pod's", { restartPolicy: "Never" }, "Always", 1, "none"],
  ["the container's OnFailure before the pod's Never", { restartPolicy: "OnFailure" }, "Never", 1, "restart"],
  [
    "a rule before the container's policy",
    { restartPolicy: "Never", restartPolicyRules: [rule("Restart", "In", 42)] },
    "Never",
    42,
    "restart",
  ],
  [
    "a rule of other codes leaves the policy",
    { restartPolicy: "Never", restartPolicyRules: [rule("Restart", "In", 42)] },
    "Always",
    43,
    "none",
  ],
  [
    "a rule of all codes but some",
    { restartPolicy: "Never", restartPolicyRules: [rule("Restart", "NotIn", 0, 1)] },
    "Never",
    2,
    "restart",
  ],
  [
    "the first rule that matches",
    {
      restartPolicy: "Never",
      restartPolicyRules: [rule("RestartAllContainers", "In", 5), rule("Restart", "In", 5, 6)],
    },
    "Never",
    5,
    "restart-all",
  ],
  ["rules without a policy are not read", { restartPolicyRules: [rule("Restart", "In", 1)] }, "Never", 1, "none"],
  ["a sidecar that succeeds", { restartPolicy: "Always" }, "OnFailure", 0, "restart"],
])("whether a container that has ended is restarted: %s", (_, container, policy, code, action) => {
  expect(restartAction(container, policy, code)).toBe(action);
});
