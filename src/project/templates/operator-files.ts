import type { ProjectFiles } from "../project-files.js";
import { type ProjectNames, spellings } from "../project-names.js";
import { configFiles } from "./config-files.js";
import { kindFiles } from "./kind-files.js";
import { packageFiles } from "./package-files.js";

export { kindFiles };

/** An operator with one kind: everything that `project new operator` writes. */
export const operatorFiles = (names: ProjectNames, version: string): ProjectFiles => ({
  ...packageFiles(names, version),
  ...indexFiles(names),
  ...kindFiles(names),
  "src/main.ts": main(names),
  "src/rights.ts": rights(names),
  "test/cluster.ts": testCluster(names),
  ...configFiles(names),
});

/** The files that list the kinds. `project add kind` adds a line to each: see ../add-to-lists.ts. */
function indexFiles({ kind }: ProjectNames): ProjectFiles {
  const { file } = spellings(kind);
  return {
    "src/api/index.ts": `export * from "./${file}.js";\n`,
    "src/controllers/index.ts": `import type { Manager } from "kubets";
import { add${kind}Controller } from "./${file}.js";

/** Adds the controllers of all kinds to a manager. */
export function addControllers(manager: Manager): void {
  add${kind}Controller(manager);
}
`,
    "src/webhooks/index.ts": `import type { Manager } from "kubets";
import { add${kind}Webhooks } from "./${file}.js";

/** Adds the webhooks of all kinds to a manager. */
export function addWebhooks(manager: Manager): void {
  add${kind}Webhooks(manager);
}
`,
  };
}

const main = ({
  name,
}: ProjectNames): string => `import { kubernetesClient, loadConfig, Manager, metricRegistry } from "kubets";
import { addControllers } from "./controllers/index.js";
import { addWebhooks } from "./webhooks/index.js";

const stop = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => stop.abort());

const { ENABLE_WEBHOOKS, WEBHOOK_HOST } = process.env;
// In a pod by its service account, else by the kubeconfig.
const config = await loadConfig();
const client = kubernetesClient(config);
const { namespace } = config;
const manager = new Manager(client, {
  leaderElection: { lease: { namespace, name: "${name}" } },
  health: { port: Number(process.env["HEALTH_PORT"] ?? 8081) },
  metrics: await metricRegistry(),
  metricsEndpoint: { port: Number(process.env["METRICS_PORT"] ?? 8443) },
  webhooks: {
    port: Number(process.env["WEBHOOK_PORT"] ?? 9443),
    // The manager makes the certificate, keeps it in a Secret, and its authority in the webhook configurations.
    certificate: {
      selfMade: {
        secret: { namespace, name: "${name}-webhook-certificate" },
        names: [WEBHOOK_HOST ?? \`${name}-webhook.\${namespace}.svc\`],
      },
    },
  },
});
addControllers(manager);
// For a run on this machine against a cluster that cannot reach it.
if (ENABLE_WEBHOOKS !== "false") addWebhooks(manager);
try {
  await manager.run(stop.signal);
} finally {
  await client.close();
}
`;

const rights = ({ name, group, plural }: ProjectNames): string => `import type { PolicyRule } from "kubets/api/rbac/v1";

/** What the operator may do everywhere. \`npm run manifests\` writes it to config/rbac/role.yaml. */
export const rights: PolicyRule[] = [
  { apiGroups: ["${group}"], resources: ["${plural}"], verbs: ["get", "list", "watch"] },
  { apiGroups: ["${group}"], resources: ["${plural}/status"], verbs: ["patch"] },
  { apiGroups: [""], resources: ["configmaps"], verbs: ["get", "list", "watch", "create", "patch"] },
  // Who asks for metrics, and whether they may.
  { apiGroups: ["authentication.k8s.io"], resources: ["tokenreviews"], verbs: ["create"] },
  { apiGroups: ["authorization.k8s.io"], resources: ["subjectaccessreviews"], verbs: ["create"] },
  // The authority of the webhooks' certificate. With conversions: customresourcedefinitions too, to list and patch them.
  {
    apiGroups: ["admissionregistration.k8s.io"],
    resources: ["mutatingwebhookconfigurations", "validatingwebhookconfigurations"],
    verbs: ["list", "update"],
  },
];

/** What it may do in its own namespace: lead, and keep the certificate. */
export const rightsAtHome: PolicyRule[] = [
  { apiGroups: ["coordination.k8s.io"], resources: ["leases"], verbs: ["get", "create", "update"] },
  { apiGroups: [""], resources: ["secrets"], verbs: ["create"] },
  { apiGroups: [""], resources: ["secrets"], resourceNames: ["${name}-webhook-certificate"], verbs: ["get", "update"] },
];
`;

const testCluster = ({ name }: ProjectNames): string => {
  const host = `${name}-webhook.${name}-system.svc`;
  return `import { kubernetesClient, Manager, waitFor } from "kubets";
import { startCluster } from "kubets/cluster";
import { crdOf } from "kubets/kind";
import { afterAll } from "vitest";
import * as kinds from "../src/api/index.js";
import { addControllers } from "../src/controllers/index.js";
import { addWebhooks } from "../src/webhooks/index.js";

// A Kubernetes API in this process with the operator at work: no cluster, no container, no port. A test imports \`client\`.
const host = "${host}";
const cluster = await startCluster({
  port: false,
  processWebhooks: { [host]: (connection) => manager.webhooks.accept(connection) },
});
export const client = kubernetesClient(cluster);
const manager = new Manager(client, {
  webhooks: {
    port: false,
    certificate: { selfMade: { secret: { namespace: "default", name: "certificate" }, names: [host] } },
  },
});
addControllers(manager);
addWebhooks(manager);

const definitions = client.of("apiextensions.k8s.io/v1", "CustomResourceDefinition");
for (const kind of Object.values(kinds)) {
  const { metadata } = await definitions.create(crdOf(kind));
  await waitFor(definitions, metadata.name, ({ status }) =>
    (status?.conditions ?? []).some(({ type, status: is }) => type === "Established" && is === "True"),
  );
}
await client.applyFiles(["config/webhook/configurations.yaml"], { fieldManager: "test" });
const stop = new AbortController();
const running = manager.run(stop.signal);
afterAll(async () => {
  stop.abort();
  await running;
  await client.close();
  await cluster.close();
});

// The manager has announced the authority of its certificate.
const configurations = client.of("admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration");
await waitFor(configurations, "${name}", ({ webhooks }) => webhooks?.[0]?.clientConfig.caBundle !== undefined);
`;
};
