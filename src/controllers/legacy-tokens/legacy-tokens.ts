import type { FieldsOf } from "../../machinery/meta/received.js";
import type { ObjectMeta } from "../../machinery/meta/object.js";
import { secretsOfPod } from "../../api/pods/secret-names.js";
import {
  INVALID_SINCE,
  TRACKING_CONFIG_MAP,
  dayOf,
  LAST_USED,
  startOfDay,
} from "../../api/service-accounts/token-secrets.js";
import type { Secret, ServiceAccount, ConfigMap } from "../../api/types/core/v1.js";
import { unlessChanged, unlessAbsent, ensure } from "../writes.js";
import type { ControllerContext, OwnWork } from "../context.js";
import { accountOf, ofTokenSecrets, refersTo } from "../service-account-token/token-secret.js";

const DAY_MS = 86_400_000;

/** Marks generated token secrets that were not used for a year, and deletes them when they are marked for another. */
export function legacyTokenCleaner({ client, manager, clock }: ControllerContext): void {
  manager
    .controllerFor("v1", "Secret", ofTokenSecrets)
    .named("legacy-serviceaccount-token-cleaner-controller")
    .reconcile(async ({ object: secret }) => {
      if (secret === undefined) return;
      if (isUnused(secret, clock.now())) await cleanUp(secret);
      return { requeueAfterMilliseconds: DAY_MS };
    });

  async function cleanUp(secret: Secret): Promise<void> {
    const { namespace = "", name = "", uid = "", resourceVersion = "" } = secret.metadata ?? {};
    const now = clock.now();
    const tracking = await unlessAbsent(client.of("v1", "ConfigMap").namespace("kube-system").get(TRACKING_CONFIG_MAP));
    if (!isTrackedLongEnough(tracking?.data?.["since"], now)) return;
    if (!(await belongsToAccount(secret)) || (await isUsedByPod(namespace, name))) return;
    const fate = fateOf(secret, now);
    if (fate === "keep") return;
    const secrets = client.of("v1", "Secret").namespace(namespace);
    const mark = (since: string) => ({
      metadata: { uid, labels: { [INVALID_SINCE]: since } } satisfies FieldsOf<ObjectMeta>,
    });
    await unlessChanged(
      fate === "delete"
        ? secrets.delete(name, { preconditions: { resourceVersion } })
        : secrets.patch(name, mark(fate.mark), { type: "merge" }),
    );
  }

  async function belongsToAccount(secret: Secret): Promise<boolean> {
    const reference = accountOf(secret);
    if (reference === undefined) return false;
    const accounts = client.of("v1", "ServiceAccount").namespace(secret.metadata?.namespace ?? "");
    const account = await unlessAbsent(accounts.get(reference.name));
    return account !== undefined && refersTo(reference, account) && isGenerated(secret, account);
  }

  async function isUsedByPod(namespace: string, secret: string): Promise<boolean> {
    for await (const { spec } of client.of("v1", "Pod").namespace(namespace).listAll()) {
      if (spec !== undefined && secretsOfPod(spec).has(secret)) return true;
    }
    return false;
  }
}

/** The time for which a token must be unused before it is marked invalid, and then again before it is deleted: 8760 hours. */
export const CLEAN_UP_PERIOD_MS = 365 * DAY_MS;

/** Whether the use of tokens has been recorded for long enough to call a token unused. `since` is the day in the ConfigMap. */
export function isTrackedLongEnough(since: string | undefined, now: number): boolean {
  const start = startOfDay(since);
  // Of the first day only a part is known.
  return start !== undefined && now >= start + DAY_MS + CLEAN_UP_PERIOD_MS;
}

/** Whether a token secret is old, and has no recent use on record. */
export function isUnused({ metadata }: Secret, now: number): boolean {
  const { creationTimestamp, deletionTimestamp, labels } = metadata ?? {};
  if (deletionTimestamp || !creationTimestamp) return false;
  if (Date.parse(creationTimestamp) >= now - CLEAN_UP_PERIOD_MS) return false;
  const lastUsed = labels?.[LAST_USED];
  return lastUsed === undefined || (startOfDay(lastUsed) !== undefined && lastUsed < oldest(now));
}

/** Whether a controller made the secret, as Kubernetes did up to 1.23: the service account lists such secrets. */
export function isGenerated({ metadata }: Secret, account: ServiceAccount): boolean {
  return (account.secrets ?? []).some(({ name }) => name === metadata?.name);
}

/** Decides what to do with an unused token that no pod uses: mark it with today's date, or delete it when its mark is old enough. */
export function fateOf({ metadata }: Secret, now: number): { readonly mark: string } | "keep" | "delete" {
  const invalidSince = metadata?.labels?.[INVALID_SINCE];
  if (invalidSince === undefined || startOfDay(invalidSince) === undefined) return { mark: dayOf(now) };
  return invalidSince >= oldest(now) ? "keep" : "delete";
}

/** The day on or after which a use or a mark keeps a secret. */
const oldest = (now: number): string => dayOf(now - CLEAN_UP_PERIOD_MS);

const NAMESPACE = "kube-system";

/** How long kube-apiserver waits before it makes a deleted ConfigMap again. */
const PAUSE_MS = 30 * 60_000;

/** Maintains the ConfigMap with the day since which the server records when tokens in secrets are used. */
export function legacyTokenTracking({ client, manager, clock }: ControllerContext): OwnWork {
  const configMaps = client.of("v1", "ConfigMap");
  let mayCreateAt = Number.NEGATIVE_INFINITY;
  const create = async (): Promise<void> => {
    const metadata = { name: TRACKING_CONFIG_MAP, namespace: NAMESPACE } satisfies FieldsOf<ObjectMeta>;
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

/** Returns the ConfigMap with today's date, if it has none; undefined when it has one. */
export function withDay(configMap: ConfigMap, now: number): ConfigMap | undefined {
  if (startOfDay(configMap.data?.["since"]) !== undefined) return undefined;
  return { ...configMap, data: { ...configMap.data, since: dayOf(now) } };
}
