import { kubernetesClient } from "../client/dynamic/kubernetes-client.js";
import type { Transport } from "../client/transport/transport.js";
import { once } from "../base/once.js";
import type { ServicePortsOf } from "../node/scripted/stand-in/stand-in-ports.js";

/** Asks the API which ports Services send to. */
export function servicePorts(transport: Transport): ServicePortsOf {
  const services = once(() => kubernetesClient({ transport: () => transport }).of("v1", "Service"));
  return async ({ metadata }) => {
    const { namespace = "", labels = {} } = metadata ?? {};
    const { items } = await services().namespace(namespace).list();
    const selecting = items.filter(({ spec }) => {
      const selector = Object.entries(spec?.selector ?? {});
      return selector.length > 0 && selector.every(([key, value]) => labels[key] === value);
    });
    return selecting.flatMap(({ spec }) =>
      (spec?.ports ?? []).map(({ port, targetPort = port }) => Number(targetPort)),
    );
  };
}
