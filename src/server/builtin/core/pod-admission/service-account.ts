import { forbidden } from "../../../../machinery/errors/status-error.js";
import { absent, ensureChild, list, text } from "../../../../machinery/meta/access.js";
import type { KubeObject } from "../../../../machinery/meta/object.js";
import type { StrategyContext } from "../../../registry/strategy.js";
import { mountServiceAccountToken } from "./service-account-token.js";

/**
 * The plugin ServiceAccount, for new pods only: names the account, takes its image pull secrets and mounts a token. Throws 403
 * for an account that is not there.
 */
export async function admitServiceAccount(draft: KubeObject, context: StrategyContext): Promise<void> {
  const spec = ensureChild(draft, "spec");
  if (draft.metadata?.annotations?.["kubernetes.io/config.mirror"] !== undefined) return;
  const name = text(spec.serviceAccountName) || "default";
  spec.serviceAccountName = name;
  spec.serviceAccount = name;
  const namespace = draft.metadata?.namespace ?? "";
  const account = await context.objects.get("", "serviceaccounts", namespace, name);
  if (account === undefined) {
    const message = `error looking up service account ${namespace}/${name}: serviceaccount "${name}" not found`;
    throw forbidden({ group: "", resource: "pods" }, draft.metadata?.name ?? "", message);
  }
  if (absent(spec.imagePullSecrets) && list(account.imagePullSecrets).length > 0) {
    spec.imagePullSecrets = structuredClone(account.imagePullSecrets);
  }
  const automount = spec.automountServiceAccountToken ?? account.automountServiceAccountToken ?? true;
  if (automount === true) mountServiceAccountToken(spec, context.random);
}
