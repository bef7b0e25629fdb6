import { isAlreadyExists } from "../../machinery/errors/status-error.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import type { ControllerContext } from "../context.js";
import { ensure } from "../writes.js";

const SYSTEM_NAMESPACES = ["default", "kube-node-lease", "kube-public", "kube-system"];

/** Creates the system's namespaces, its Service and its ServiceCIDR again when they are deleted. */
export function systemObjects({ client, manager, cluster }: ControllerContext): void {
  const namespaces = manager
    .controllerFor("v1", "Namespace")
    .named("system-namespaces")
    .reconcile(async ({ name, object }) => {
      if (object !== undefined || !SYSTEM_NAMESPACES.includes(name)) return;
      try {
        await client.of("v1", "Namespace").create({ apiVersion: "v1", kind: "Namespace", metadata: { name } });
      } catch (error) {
        if (!isAlreadyExists(error)) throw error;
      }
    });
  for (const name of SYSTEM_NAMESPACES) namespaces.enqueue(name);

  const { kubernetesService, serviceCidr } = cluster;
  if (kubernetesService === undefined) return;
  const { namespace = "", name = "" } = kubernetesService.metadata ?? {};
  manager
    .controllerFor("v1", "Service", { namespace, fieldSelector: `metadata.name=${name}` })
    .named("kubernetes-service")
    .reconcile(async ({ object }) => {
      if (object === undefined) await ensure(client.of<KubeObject>("v1", "Service"), kubernetesService);
    })
    .enqueue(`${namespace}/${name}`);

  if (serviceCidr === undefined) return;
  const { name: defaultCidr = "" } = serviceCidr.metadata ?? {};
  manager
    .controllerFor("networking.k8s.io/v1", "ServiceCIDR")
    .named("default-service-cidr")
    .reconcile(async ({ name: cidr, object }) => {
      if (object !== undefined || cidr !== defaultCidr) return;
      await ensure(client.of<KubeObject>("networking.k8s.io/v1", "ServiceCIDR"), serviceCidr);
    })
    .enqueue(defaultCidr);
}
