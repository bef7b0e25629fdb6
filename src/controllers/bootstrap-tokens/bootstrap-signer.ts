import { isConflict, isNotFound } from "../../machinery/errors/status-error.js";
import type { ControllerContext } from "../context.js";
import { ofBootstrapTokens, signingToken } from "./bootstrap-token.js";
import { signedConfigMap } from "./cluster-info.js";

const NAMESPACE = "kube-public";
const NAME = "cluster-info";

/** Signs the kubeconfig of the ConfigMap kube-public/cluster-info by every bootstrap token, so that new nodes may trust it. */
export function bootstrapSigner({ client, manager, clock }: ControllerContext): void {
  const secrets = manager.informers.of("v1", "Secret", ofBootstrapTokens);
  manager
    .controllerFor("v1", "ConfigMap", { namespace: NAMESPACE, fieldSelector: `metadata.name=${NAME}` })
    .named("bootstrap-signer-controller")
    .watches("v1", "Secret", () => [{ namespace: NAMESPACE, name: NAME }], ofBootstrapTokens)
    .reconcile(async ({ object: configMap }) => {
      if (configMap === undefined) return;
      const tokens = secrets.lister.list().flatMap((secret) => signingToken(secret, clock.now()) ?? []);
      const signed = signedConfigMap(configMap, tokens);
      if (signed === undefined) return;
      try {
        await client.of("v1", "ConfigMap").namespace(NAMESPACE).update(signed);
      } catch (error) {
        // Deleted, or changed since the cache saw it: the change reconciles the ConfigMap again.
        if (!isNotFound(error) && !isConflict(error)) throw error;
      }
    });
}
