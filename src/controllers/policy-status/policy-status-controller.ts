import type {
  ValidatingAdmissionPolicyStatus,
  ValidatingAdmissionPolicy,
  TypeChecking,
} from "../../api/types/admissionregistration/v1.js";
import { inOrder } from "../../base/async/turns.js";
import { type FieldsOf, number, object } from "../../machinery/meta/received.js";
import type { ObjectMeta, KubeObject } from "../../machinery/meta/object.js";
import type { ControllerContext } from "../context.js";
import { unlessChanged } from "../writes.js";
import { checkedKinds } from "./checked-kinds.js";

const GROUP_VERSION = "admissionregistration.k8s.io/v1";
const KIND = "ValidatingAdmissionPolicy";
const NAME = "validatingadmissionpolicy-status-controller";

/** Writes the type errors of a policy's expressions, for the kinds that its rules name, into the policy's status. It changes nothing else. */
export function policyStatusController({ release, client, manager, served }: ControllerContext): void {
  const policies = client.of<KubeObject>(GROUP_VERSION, KIND);
  manager
    .controllerFor(GROUP_VERSION, KIND)
    .named(NAME)
    .reconcile(async ({ object: policy }) => {
      if (policy === undefined) return;
      const { name, uid, generation = 0 } = policy.metadata ?? {};
      if (generation <= number(object(policy.status).observedGeneration)) return;
      const { checkTypes } = await inOrder(import("./check-types.js"));
      const expressionWarnings = await checkTypes(policy, await checkedKinds(policy, { release, client, served }));
      const typeChecking =
        expressionWarnings.length === 0 ? {} : ({ expressionWarnings } satisfies FieldsOf<TypeChecking>);
      const status = {
        observedGeneration: generation,
        typeChecking,
      } satisfies FieldsOf<ValidatingAdmissionPolicyStatus>;
      // With the uid: a new policy of that name has the same generation, and expressions of its own.
      const applied = {
        apiVersion: GROUP_VERSION,
        kind: KIND,
        metadata: { name, uid } satisfies FieldsOf<ObjectMeta>,
        status,
      } satisfies FieldsOf<ValidatingAdmissionPolicy> as KubeObject;
      await unlessChanged(policies.apply(applied, { fieldManager: NAME, force: true, subresource: "status" }));
    });
}
