import { inOrder } from "../../../base/async/turns.js";
import { isExemptFromPolicies } from "../matching/exempt-resources.js";
import type { AdmissionPlugin } from "../plugin.js";
import { ConfiguredPolicies } from "../policy/configured-policies.js";
import { ReinvokedCalls } from "../reinvoked-calls.js";

/** Lets MutatingAdmissionPolicies change the objects of writes. A deletion has no object to change. */
export function mutatingAdmissionPolicy(): AdmissionPlugin {
  const configured = new ConfiguredPolicies({
    policies: "mutatingadmissionpolicies",
    bindings: "mutatingadmissionpolicybindings",
  });
  const reinvoked = new ReinvokedCalls();
  return {
    name: "MutatingAdmissionPolicy",
    handles: (operation, target) => operation !== "DELETE" && !isExemptFromPolicies(target),
    idle: ({ objects }) => configured.areNone(objects),
    async admit(attributes, context) {
      const policies = await configured.now(context.objects);
      if (policies.length === 0) return;
      const { mutateByPolicies } = await inOrder(import("../policy/mutate-by-policies.js"));
      await mutateByPolicies(policies, attributes, context, reinvoked);
    },
  };
}

/** Lets ValidatingAdmissionPolicies refuse writes and connections. */
export function validatingAdmissionPolicy(): AdmissionPlugin {
  const configured = new ConfiguredPolicies({
    policies: "validatingadmissionpolicies",
    bindings: "validatingadmissionpolicybindings",
  });
  return {
    name: "ValidatingAdmissionPolicy",
    handles: (_, target) => !isExemptFromPolicies(target),
    idle: ({ objects }) => configured.areNone(objects),
    async validate(attributes, context) {
      const policies = await configured.now(context.objects);
      if (policies.length === 0) return;
      const { validateByPolicies } = await inOrder(import("../policy/validate-by-policies.js"));
      await validateByPolicies(policies, attributes, context);
    },
  };
}
