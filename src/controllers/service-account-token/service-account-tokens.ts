import type { Secret } from "../../api/types/core/v1.js";
import { objectKey } from "../../client/informers/indexer.js";
import { retryOnConflict } from "../../client/retry/retry-on-conflict.js";
import { unlessChanged, unlessAbsent } from "../writes.js";
import type { ControllerContext } from "../context.js";
import {
  type AccountReference,
  accountOf,
  filledSecret,
  ofTokenSecrets,
  refersTo,
  withoutSecret,
} from "./token-secret.js";

const NAME = "serviceaccount-token-controller";

/**
 * Fills secrets of the type kubernetes.io/service-account-token with a token of their account, and deletes them with it. A
 * secret that is deleted leaves the account's list of secrets.
 */
export function serviceAccountTokens({ client, manager, cluster, signal, timers, random }: ControllerContext): void {
  const secrets = manager.informers.of("v1", "Secret", ofTokenSecrets);
  /** The accounts of deleted secrets, by the secrets' keys. */
  const deleted = new Map<string, AccountReference>();

  const controller = manager
    .controllerFor("v1", "Secret", ofTokenSecrets)
    .named(NAME)
    .workers(5)
    .reconcile(async ({ namespace, name, object: secret }) => {
      const key = `${namespace}/${name}`;
      const account = deleted.get(key);
      if (account !== undefined) await removeReference(namespace, account, name);
      if (deleted.get(key) === account) deleted.delete(key);
      if (secret !== undefined) await fill(secret);
    });

  async function fill(secret: Secret): Promise<void> {
    const { namespace = "", name = "", uid = "" } = secret.metadata ?? {};
    const reference = accountOf(secret);
    if (reference === undefined) return;
    const own = client.of("v1", "Secret").namespace(namespace);
    const account = await unlessAbsent(client.of("v1", "ServiceAccount").namespace(namespace).get(reference.name));
    if (account === undefined || !refersTo(reference, account)) {
      await unlessChanged(own.delete(name, { preconditions: { uid } }));
      return;
    }
    const filled = filledSecret(secret, account, cluster);
    if (filled !== undefined) await unlessChanged(own.update(filled));
  }

  async function removeReference(namespace: string, reference: AccountReference, secret: string): Promise<void> {
    const accounts = client.of("v1", "ServiceAccount").namespace(namespace);
    await retryOnConflict(
      async () => {
        const account = await unlessAbsent(accounts.get(reference.name));
        const changed = account && refersTo(reference, account) ? withoutSecret(account, secret) : undefined;
        if (changed !== undefined) await unlessAbsent(accounts.update(changed));
      },
      { timers, random },
    );
  }

  let following = false;
  /** Accounts are followed from the first token secret on: most clusters have none. */
  function followAccounts(): void {
    if (following) return;
    following = true;
    const accounts = manager.informers.of("v1", "ServiceAccount");
    accounts.addHandler({
      deleted(account) {
        for (const secret of secrets.lister.namespace(account.metadata?.namespace ?? "").list()) {
          const reference = accountOf(secret);
          if (reference !== undefined && refersTo(reference, account)) controller.enqueue(objectKey(secret));
        }
      },
    });
    manager.informers.start(signal);
  }
  secrets.addHandler({
    added: followAccounts,
    deleted(secret) {
      const account = accountOf(secret);
      if (account !== undefined) deleted.set(objectKey(secret), account);
    },
  });
}
