import {
  isAlreadyExists,
  type KubernetesClient,
  type KubeObject,
  Manager,
  type ObjectOf,
} from "../../../src/client/index.js";

interface ProvisionRequest extends KubeObject {
  readonly spec: { readonly namespaceName: string };
  readonly status?: { readonly dbReady?: boolean };
}

/** The texts' operator: a customer gets a namespace with a database, once, and the request says that it has. Runs until the signal aborts. */
export function runOperator(client: KubernetesClient, signal: AbortSignal): Promise<void> {
  const requests = client.of<ProvisionRequest>("provision.mydomain.com/v1alpha1", "ProvisionRequest");
  const manager = new Manager(client);
  manager
    .controllerFor("provision.mydomain.com/v1alpha1", "ProvisionRequest")
    .reconcile(async ({ namespace, name }) => {
      const request = await requests.namespace(namespace).get(name);
      const { namespaceName } = request.spec;
      await unlessThere(client.of("v1", "Namespace").create({ ...NAMESPACE, metadata: { name: namespaceName } }));
      if (request.status?.dbReady === true) return;
      const company = request.metadata?.labels?.["company"] ?? "";
      await unlessThere(client.of("apps/v1", "Deployment").namespace(namespaceName).create(databaseOf(company)));
      const status = { ingressReady: true, dbReady: true };
      await requests.namespace(namespace).updateStatus({ ...request, status });
    });
  return manager.run(signal);
}

const NAMESPACE = { apiVersion: "v1", kind: "Namespace" } as const;

type Deployment = ObjectOf<"apps/v1", "Deployment">;

function databaseOf(company: string): Deployment {
  const labels = { type: "provisioinrequest", company };
  const env = [{ name: "MYSQL_ROOT_PASSWORD", value: "pleasechangetosecret" }];
  const ports = [{ name: "mysql", containerPort: 3306 }];
  const container = { name: "customer-db", image: "mysql:5.7", imagePullPolicy: "IfNotPresent" as const, env, ports };
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "cust-db" },
    spec: {
      replicas: 1,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [container] } },
    },
  };
}

async function unlessThere(creation: Promise<unknown>): Promise<void> {
  try {
    await creation;
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
  }
}
