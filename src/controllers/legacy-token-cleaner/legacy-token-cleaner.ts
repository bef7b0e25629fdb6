import { secretsOfPod } from "../../api/service-accounts/secrets-of-pod.js";
import { INVALID_SINCE, TRACKING_CONFIG_MAP } from "../../api/service-accounts/token-secrets.js";
import type { Secret } from "../../api/types/core/v1.js";
import { unlessChanged } from "../unless-changed.js";
import type { ControllerContext } from "../context.js";
import { accountOf, ofTokenSecrets, refersTo } from "../service-account-token/token-secret.js";
import { unlessAbsent } from "../unless-absent.js";
import { fateOf, isGenerated, isTrackedLongEnough, isUnused } from "./unused-token.js";

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
    const mark = (since: string) => ({ metadata: { uid, labels: { [INVALID_SINCE]: since } } });
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
