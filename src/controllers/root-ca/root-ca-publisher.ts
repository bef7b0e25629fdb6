import type { Api } from "../api.js";
import { ensure } from "../ensure.js";

export const ROOT_CA = "kube-root-ca.crt";

const DESCRIPTION =
  "Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the internal service IP or kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes clusters.";

/** Every namespace has a ConfigMap with the certificate that pods verify the API server by. */
export function ensureRootCa(api: Api, namespace: string, certificate: string): Promise<void> {
  return ensure(api, `/api/v1/namespaces/${namespace}/configmaps`, {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: ROOT_CA, namespace, annotations: { "kubernetes.io/description": DESCRIPTION } },
    data: { "ca.crt": certificate },
  });
}
