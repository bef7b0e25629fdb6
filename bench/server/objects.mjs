export function objectName(prefix, index) {
  return `${prefix}-${String(index).padStart(5, "0")}`;
}

/** A ConfigMap that is `size` bytes as an item of a list; `mark` tells one version of it from another. */
export function configMap(namespace, name, size, mark = "") {
  const data = { mark, text: "" };
  const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace, labels: { bench: "yes" } }, data };
  // What the server adds (uid, creationTimestamp, resourceVersion, managedFields) less what the item leaves out (kind, apiVersion).
  const added = 312;
  data.text = "x".repeat(Math.max(0, size - JSON.stringify(object).length - added));
  return object;
}

/** A pod of about `size` bytes as the server keeps it. */
export function pod(namespace, name, size) {
  const env = [];
  const object = {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, namespace, labels: { app: name.slice(-2), bench: "yes" } },
    spec: {
      containers: [
        {
          name: "main",
          image: "registry.example.com/shop/web:1.0",
          ports: [{ containerPort: 8080, protocol: "TCP" }],
          resources: { requests: { cpu: "100m", memory: "128Mi" }, limits: { memory: "256Mi" } },
          env,
        },
      ],
    },
  };
  // The defaults of a pod and its container take about this much, and so do its managedFields.
  const defaults = 2360;
  for (let index = 0; JSON.stringify(object).length + defaults < size; index++) {
    env.push({ name: `VARIABLE_${index}`, value: "a value of some length, as they are found in pods" });
  }
  return object;
}
