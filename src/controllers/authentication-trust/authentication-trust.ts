import { isDeepStrictEqual } from "node:util";
import type { ConfigMap } from "../../api/types/core/v1.js";
import type { ControllerContext, OwnWork } from "../context.js";
import { ensure } from "../ensure.js";
import { unlessChanged } from "../unless-changed.js";
import { combinedData } from "./authentication-info.js";

const NAMESPACE = "kube-system";
const NAME = "extension-apiserver-authentication";

/** Publishes how the server authenticates clients, so that servers of aggregated APIs may do the same. */
export function authenticationTrust({ client, manager, clock, cluster }: ControllerContext): OwnWork {
  const { authentication } = cluster;
  if (authentication === undefined) return {};
  const configMaps = client.of("v1", "ConfigMap");
  const create = async (): Promise<void> => {
    const data = combinedData({}, authentication.info(), clock.now());
    const metadata = { name: NAME, namespace: NAMESPACE };
    if (Object.keys(data).length > 0) await ensure(configMaps, { apiVersion: "v1", kind: "ConfigMap", metadata, data });
  };
  const controller = manager
    .controllerFor("v1", "ConfigMap", { namespace: NAMESPACE, fieldSelector: `metadata.name=${NAME}` })
    .named("cluster_authentication_trust_controller")
    .reconcile(async ({ object: configMap }) => {
      if (configMap === undefined) return create();
      const changed: ConfigMap = {
        ...configMap,
        data: combinedData(configMap.data ?? {}, authentication.info(), clock.now()),
      };
      if (isDeepStrictEqual(changed.data, configMap.data)) return;
      await unlessChanged(configMaps.namespace(NAMESPACE).update(changed));
    });
  authentication.onChange(() => controller.enqueue(`${NAMESPACE}/${NAME}`));
  return { prepare: create };
}
