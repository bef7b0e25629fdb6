import { dayOf, startOfDay, TRACKING_CONFIG_MAP } from "../../api/service-accounts/token-secrets.js";
import type { ConfigMap } from "../../api/types/core/v1.js";
import { unlessChanged, ensure } from "../writes.js";
import type { ControllerContext, OwnWork } from "../context.js";

const NAMESPACE = "kube-system";

/** How long kube-apiserver waits before it makes a deleted ConfigMap again. */
const PAUSE_MS = 30 * 60_000;

/** Keeps the ConfigMap that has the day from which on the server writes down when tokens in secrets are used. */
export function legacyTokenTracking({ client, manager, clock }: ControllerContext): OwnWork {
  const configMaps = client.of("v1", "ConfigMap");
  let mayCreateAt = Number.NEGATIVE_INFINITY;
  const create = async (): Promise<void> => {
    const metadata = { name: TRACKING_CONFIG_MAP, namespace: NAMESPACE };
    await ensure(configMaps, { apiVersion: "v1", kind: "ConfigMap", metadata, data: { since: dayOf(clock.now()) } });
    mayCreateAt = clock.now() + PAUSE_MS;
  };
  manager
    .controllerFor("v1", "ConfigMap", { namespace: NAMESPACE, fieldSelector: `metadata.name=${TRACKING_CONFIG_MAP}` })
    .named("legacy_token_tracking_controller")
    .reconcile(async ({ object: configMap }) => {
      if (configMap === undefined) {
        const wait = mayCreateAt - clock.now();
        return wait > 0 ? { requeueAfterMilliseconds: wait } : create();
      }
      const changed = withDay(configMap, clock.now());
      if (changed !== undefined) await unlessChanged(configMaps.namespace(NAMESPACE).update(changed));
    });
  return { prepare: create };
}

/** The ConfigMap with today, where it has no day. Undefined when it has one. */
export function withDay(configMap: ConfigMap, now: number): ConfigMap | undefined {
  if (startOfDay(configMap.data?.["since"]) !== undefined) return undefined;
  return { ...configMap, data: { ...configMap.data, since: dayOf(now) } };
}
