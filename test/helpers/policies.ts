import type { Transport } from "../../src/client/transport/transport.js";
import type { Answer } from "./api-caller.js";
import { call } from "./api-caller.js";

const GROUP = "/apis/admissionregistration.k8s.io/v1";

export type PolicyKind = "mutating" | "validating";

/** A rule for creates and updates of config maps. */
export const MAPS_RULE = {
  apiGroups: [""],
  apiVersions: ["v1"],
  operations: ["CREATE", "UPDATE"],
  resources: ["configmaps"],
};

/** A validating policy "policy" for config maps, with what differs. */
export const validatingPolicy = (spec: object, name = "policy"): object => ({
  metadata: { name },
  spec: { matchConstraints: { resourceRules: [MAPS_RULE] }, ...spec },
});

/** A mutating policy "policy" for config maps, with what differs. */
export const mutatingPolicy = (spec: object, name = "policy"): object => ({
  metadata: { name },
  spec: {
    matchConstraints: { resourceRules: [MAPS_RULE] },
    failurePolicy: "Fail",
    reinvocationPolicy: "Never",
    ...spec,
  },
});

/** A binding "binding" of the policy "policy", with what differs; one of a validating policy denies. */
export const bindingWith = (kind: PolicyKind, spec: object = {}, name = "binding"): object => ({
  metadata: { name },
  spec: { policyName: "policy", ...(kind === "validating" && { validationActions: ["Deny"] }), ...spec },
});

/** Creates a policy; the answer may be a refusal. */
export const createPolicy = (api: Transport, kind: PolicyKind, policy: object): Promise<Answer> =>
  call(api, "POST", `${GROUP}/${kind}admissionpolicies`, policy);

export const createBinding = (api: Transport, kind: PolicyKind, binding: object): Promise<Answer> =>
  call(api, "POST", `${GROUP}/${kind}admissionpolicybindings`, binding);

/** Puts policies and bindings into force until the answer is disposed of. */
export async function enforce(
  api: Transport,
  kind: PolicyKind,
  policies: readonly object[],
  bindings: readonly object[],
): Promise<AsyncDisposable> {
  const remove = async (): Promise<void> => {
    await call(api, "DELETE", `${GROUP}/${kind}admissionpolicybindings`);
    await call(api, "DELETE", `${GROUP}/${kind}admissionpolicies`);
  };
  const made = [
    ...(await Promise.all(policies.map((one) => createPolicy(api, kind, one)))),
    ...(await Promise.all(bindings.map((one) => createBinding(api, kind, one)))),
  ];
  const refused = made.find(({ status }) => status >= 300);
  if (refused === undefined) return { [Symbol.asyncDispose]: remove };
  await remove();
  throw new Error(refused.text);
}
