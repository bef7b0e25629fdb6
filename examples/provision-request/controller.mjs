// The controller of ProvisionRequests. It gives each customer a namespace and a database, once, and says in the request that they are there.
import { isAlreadyExists, Manager } from "kubets";

/** Makes a manager that reads requests by one client, and works in the main server's cluster by the other. */
export function provisioning(requests, cluster) {
  const manager = new Manager(requests);
  manager
    .controllerFor("provision.mydomain.com/v1alpha1", "ProvisionRequest")
    .reconcile(async ({ namespace, object: request, signal }) => {
      if (request === undefined) return;
      const { namespaceName } = request.spec;
      await done("create customer namespace", () =>
        cluster.of("v1", "Namespace").create(namespaceOf(namespaceName), { signal }),
      );
      if (request.status?.dbReady === true) return;
      await done("create customer database", () =>
        cluster.of("apps/v1", "Deployment").namespace(namespaceName).create(databaseOf(request), { signal }),
      );
      await done("update provision request status", () =>
        manager.client
          .of("provision.mydomain.com/v1alpha1", "ProvisionRequest")
          .namespace(namespace)
          .updateStatus({ ...request, status: { ingressReady: true, dbReady: true } }, { signal }),
      );
    });
  return manager;
}

const namespaceOf = (name) => ({ apiVersion: "v1", kind: "Namespace", metadata: { name } });

function databaseOf({ metadata, spec }) {
  const labels = { type: "provisioinrequest", company: metadata.labels?.company ?? "" };
  const limits = { cpu: spec.businessDbCpuLimit };
  const container = {
    name: "customer-db",
    image: "mysql:5.7",
    imagePullPolicy: "IfNotPresent",
    env: [{ name: "MYSQL_ROOT_PASSWORD", value: "pleasechangetosecret" }],
    ports: [{ name: "mysql", containerPort: 3306 }],
    ...(spec.businessDbCpuLimit && { resources: { limits } }),
  };
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

/** Does a step. What is there already was made before; a failure is tried again by the manager. */
async function done(step, run) {
  try {
    await run();
  } catch (error) {
    if (!isAlreadyExists(error)) throw new Error(`fail to ${step}: ${error.message}`, { cause: error });
  }
}
