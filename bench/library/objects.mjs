export const NAMESPACES = 20;

export const namespaceName = (index) => `shop-${String(index % NAMESPACES).padStart(2, "0")}`;
export const objectName = (index) => `checkout-settings-${String(index).padStart(6, "0")}`;

/**
 * A ConfigMap as a deployment tool writes it: with what the server adds (uid, times, managedFields) about 1 KB as an item of a
 * list. `mark` tells one version of it from another.
 */
export function configMap(index, mark = "0") {
  return {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: {
      name: objectName(index),
      namespace: namespaceName(index),
      labels: {
        "app.kubernetes.io/name": "checkout",
        "app.kubernetes.io/instance": `checkout-${index % 100}`,
        "app.kubernetes.io/managed-by": "bench",
      },
      annotations: { "example.com/revision": mark, "example.com/owner": "team-payments" },
    },
    data: {
      LOG_LEVEL: "info",
      DATABASE_URL: `postgres://checkout-${index}.db.svc:5432/checkout?sslmode=require`,
      FEATURES: "fast-checkout,gift-cards,loyalty-points",
    },
  };
}
