import type { KubernetesClient } from "../client/dynamic/kubernetes-client.js";
import type { ServicePortsOf } from "../node/scripted/stand-in/stand-in-ports.js";

/** Asks the API which ports Services send to. */
export function servicePorts(client: () => KubernetesClient): ServicePortsOf {
  return async ({ metadata }) => {
    const { namespace = "", labels = {} } = metadata ?? {};
    const { items } = await client().of("v1", "Service").namespace(namespace).list();
    const selecting = items.filter(({ spec }) => {
      const selector = Object.entries(spec?.selector ?? {});
      return selector.length > 0 && selector.every(([key, value]) => labels[key] === value);
    });
    return selecting.flatMap(({ spec }) =>
      (spec?.ports ?? []).map(({ port, targetPort = port }) => Number(targetPort)),
    );
  };
}
