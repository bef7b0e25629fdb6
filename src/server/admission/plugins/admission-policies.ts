import { inOrder } from "../../../base/async/turns.js";
import { isExemptFromPolicies, isReview } from "../matching/exempt-resources.js";
import type { AdmissionPlugin, AdmissionTarget, ManifestFolder } from "../plugin.js";
import { ConfiguredPolicies } from "../policy/configured-policies.js";
import { ReinvokedCalls } from "../reinvocation.js";

/** Runs MutatingAdmissionPolicies, which change the objects of writes. They do not apply to deletions, which have no object to change. */
export function mutatingAdmissionPolicy(folder: ManifestFolder = {}): AdmissionPlugin {
  const name = "MutatingAdmissionPolicy";
  const configured = new ConfiguredPolicies(
    { policies: "mutatingadmissionpolicies", bindings: "mutatingadmissionpolicybindings" },
    name,
  );
  const reinvoked = new ReinvokedCalls();
  return {
    name,
    handles: (operation, target) => operation !== "DELETE" && sees(target, folder),
    idle: (context, target) => configured.areNone(context, isExemptFromPolicies(target)),
    async admit(attributes, context) {
      const policies = await configured.now(context, isExemptFromPolicies(attributes.resource));
      if (policies.length === 0) return;
      const { mutateByPolicies } = await inOrder(import("../policy/mutate-by-policies.js"));
      await mutateByPolicies(policies, attributes, context, reinvoked);
    },
  };
}

/** Runs ValidatingAdmissionPolicies, which may reject writes and connections. */
export function validatingAdmissionPolicy(folder: ManifestFolder = {}): AdmissionPlugin {
  const name = "ValidatingAdmissionPolicy";
  const configured = new ConfiguredPolicies(
    { policies: "validatingadmissionpolicies", bindings: "validatingadmissionpolicybindings" },
    name,
  );
  return {
    name,
    handles: (_, target) => sees(target, folder),
    idle: (context, target) => configured.areNone(context, isExemptFromPolicies(target)),
    async validate(attributes, context) {
      const policies = await configured.now(context, isExemptFromPolicies(attributes.resource));
      if (policies.length === 0) return;
      const { validateByPolicies } = await inOrder(import("../policy/validate-by-policies.js"));
      await validateByPolicies(policies, attributes, context);
    },
  };
}

/** Policies of files see what those of the API do not. */
const sees = (target: AdmissionTarget, { staticManifestsDir }: ManifestFolder): boolean =>
  !isReview(target) && (staticManifestsDir !== undefined || !isExemptFromPolicies(target));
