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

/** A Note, the kind of bench/servers, with a text of `size` bytes. */
export function noteOf(namespace, name, size) {
  const spec = { text: "x".repeat(size) };
  return { apiVersion: "bench.example.com/v1", kind: "Note", metadata: { name, namespace }, spec };
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

/** A Gadget of the definition below, as long as the {@link configMap} of that size. */
export function gadget(namespace, name, size, mark = "") {
  const spec = {
    mark,
    mode: "Fast",
    host: "www.example.com",
    timeout: "30s",
    minReplicas: 1,
    replicas: 2,
    maxReplicas: 4,
    ports: [
      { name: "http", port: 80 },
      { name: "metrics", port: 9090 },
    ],
    labels: { app: "shop", tier: "front" },
    text: "",
  };
  const metadata = { name, namespace, labels: { bench: "yes" } };
  const object = { apiVersion: "bench.example.com/v1", kind: "Gadget", metadata, spec };
  // Beside what a ConfigMap gets: kind and apiVersion, generation, the managed fields of its fields.
  const added = 312 + 290 + 54;
  spec.text = "x".repeat(Math.max(0, size - JSON.stringify(object).length - added));
  return object;
}

const text = (maxLength) => ({ type: "string", maxLength });
const whole = { type: "integer", minimum: 0, maximum: 1000 };

/** 20 rules such as definitions have. */
const RULES = [
  ["self.minReplicas <= self.replicas", "replicas must not be below minReplicas"],
  ["self.replicas <= self.maxReplicas", "replicas must not be above maxReplicas"],
  ["self.maxReplicas - self.minReplicas <= 100", "the range is too wide"],
  ["has(self.text)", "text is missing"],
  ["size(self.text) < 5000", "text is too long"],
  ["self.mark.size() <= 64", "mark is too long"],
  ["self.mark.matches('^[a-z0-9-]*$')", "mark has other characters"],
  ["self.host.startsWith('www.') || self.host.endsWith('.example.com')", "host is of another domain"],
  ["!self.host.contains('..')", "host has an empty label"],
  ["self.mode in ['Fast', 'Safe']", "mode is not known"],
  ["self.mode == 'Fast' ? self.replicas > 0 : true", "Fast needs replicas"],
  ["self.ports.all(p, p.port > 0 && p.port < 65536)", "ports must be ports"],
  ["self.ports.exists_one(p, p.name == 'http')", "there must be one port of the name http"],
  ["self.ports.map(p, p.name).size() == self.ports.size()", "ports must have names"],
  ["!has(self.paused) || !self.paused || self.replicas == 0", "a paused gadget has no replicas"],
  ["self.timeout.matches('^[0-9]+s$')", "timeout must be in seconds"],
  ["self.labels.all(k, k.size() <= 63)", "labels must have short keys"],
  ["'app' in self.labels", "the label app is missing"],
  ["self.mode == oldSelf.mode", "mode is immutable"],
  ["duration(self.timeout) > duration('0s')", "timeout must not be zero"],
].map(([rule, message]) => ({ rule, message }));

/** The definition of Gadgets, with 20 rules. */
export const gadgets = definition("bench.example.com", "gadgets", "Gadget", {
  type: "object",
  required: ["text", "mark", "mode", "host", "timeout", "minReplicas", "replicas", "maxReplicas"],
  "x-kubernetes-validations": RULES,
  properties: {
    mark: text(64),
    mode: { type: "string", maxLength: 16, default: "Fast" },
    host: text(253),
    timeout: text(16),
    minReplicas: whole,
    replicas: whole,
    maxReplicas: whole,
    paused: { type: "boolean" },
    ports: {
      type: "array",
      maxItems: 16,
      items: { type: "object", required: ["name", "port"], properties: { name: text(63), port: { type: "integer" } } },
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["name"],
    },
    labels: { type: "object", maxProperties: 16, additionalProperties: text(63) },
    text: text(8192),
  },
});

/** A definition of about `size` bytes, with as many fields as that takes. */
export function largeDefinition(index, size) {
  const properties = {};
  for (let field = 0; field * 110 < size - 500; field++) {
    const described = `What the field of number ${String(field).padStart(4, "0")} is for, in a few words.`;
    properties[`field${String(field).padStart(4, "0")}`] = { type: "string", description: described, maxLength: 100 };
  }
  return definition(`g${index}.bench.example.com`, "things", "Thing", { type: "object", properties });
}

function definition(group, plural, kind, spec) {
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: "Namespaced",
      names: { plural, singular: kind.toLowerCase(), kind, listKind: `${kind}List` },
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: "object", properties: { spec } } },
        },
      ],
    },
  };
}

/** How objects of a kind are made, and where they are. */
export const kinds = {
  configMap: { make: configMap, collection: (namespace) => `/api/v1/namespaces/${namespace}/configmaps` },
  pod: { make: pod, collection: (namespace) => `/api/v1/namespaces/${namespace}/pods` },
  gadget: { make: gadget, collection: (namespace) => `/apis/bench.example.com/v1/namespaces/${namespace}/gadgets` },
  note: { make: noteOf, collection: (namespace) => `/apis/bench.example.com/v1/namespaces/${namespace}/notes` },
};
