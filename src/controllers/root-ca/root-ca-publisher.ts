import type { ControllerContext } from "../context.js";

const DESCRIPTION =
  "Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the internal service IP or kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes clusters.";

/** Every namespace has a ConfigMap with the certificate that pods verify the API server by. */
export function rootCaPublisher({ namespaceObjects, cluster }: ControllerContext): void {
  const name = "kube-root-ca.crt";
  namespaceObjects.add({
    kind: "ConfigMap",
    name,
    object: {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name, annotations: { "kubernetes.io/description": DESCRIPTION } },
      data: { "ca.crt": cluster.caCertificate },
    },
  });
}
