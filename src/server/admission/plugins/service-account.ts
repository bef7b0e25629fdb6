import type { Pod, ServiceAccount } from "../../../api/types/core/v1.js";
import {
  absent,
  type DraftObject,
  ensureChild,
  list,
  object,
  objects as objectsOf,
  type ReceivedObject,
  text,
} from "../../../machinery/meta/received.js";
import type { AdmissionAttributes } from "../attributes.js";
import { handling } from "../handling.js";
import type { AdmissionPlugin } from "../plugin.js";
import { refused } from "../refusal.js";
import { enforcesMountableSecrets, unmountableByEphemeralContainer, unmountableSecret } from "./mountable-secrets.js";
import { referencesSecrets } from "../../../api/pods/secret-names.js";
import { mountServiceAccountToken } from "./service-account-token.js";

const isNewPod = handling(["CREATE"], "pods");
const isDebugged = handling(["UPDATE"], "pods/ephemeralcontainers");

/**
 * Gives new pods a service account: names it, takes its image pull secrets and mounts a token. Refuses an account that does
 * not exist, secrets that an account does not name where it enforces that, and what the kubelet's mirror of a static pod may
 * not have.
 */
export const serviceAccount: AdmissionPlugin = {
  name: "ServiceAccount",
  handles: (operation, target) => isNewPod(operation, target) || isDebugged(operation, target),
  async admit(attributes, { objects, random }) {
    const { namespace, operation } = attributes;
    const pod: DraftObject<Pod> | undefined = attributes.object;
    if (pod === undefined || operation !== "CREATE") return;
    if (isMirror(pod)) return checkMirror(attributes, pod);
    const spec = ensureChild(pod, "spec");
    const name = text(spec.serviceAccountName) || "default";
    spec.serviceAccountName = name;
    spec.serviceAccount = name;
    const wanted = ["", "serviceaccounts", namespace, name] as const;
    // As kube-apiserver: another look where the cache does not know the account yet.
    const account: ReceivedObject<ServiceAccount> | undefined =
      (await objects.cached.get(...wanted)) ?? (await objects.get(...wanted));
    if (account === undefined) throw missing(attributes, name);
    if (absent(spec.imagePullSecrets) && list(account.imagePullSecrets).length > 0) {
      spec.imagePullSecrets = structuredClone([...list(account.imagePullSecrets)]);
    }
    const automount = spec.automountServiceAccountToken ?? account.automountServiceAccountToken ?? true;
    if (automount === true) mountServiceAccountToken(spec, random);
  },
  async validate(attributes, { objects }) {
    const { namespace, operation } = attributes;
    const pod: ReceivedObject<Pod> | undefined = attributes.object;
    if (pod === undefined) return;
    const isNew = operation === "CREATE";
    if (isNew && isMirror(pod)) return checkMirror(attributes, pod);
    const spec = object(pod.spec);
    const name = text(spec.serviceAccountName);
    if (name === "" && !isNew) {
      throw refused(attributes, `no service account specified for pod ${namespace}/${pod.metadata?.name ?? ""}`);
    }
    // A plugin behind the mutating phase of this one may have named another account.
    const wanted = ["", "serviceaccounts", namespace, name] as const;
    const account: ReceivedObject<ServiceAccount> | undefined =
      (await objects.cached.get(...wanted)) ?? (await objects.get(...wanted));
    if (account === undefined) throw missing(attributes, name);
    if (!enforcesMountableSecrets(account)) return;
    const problem = isNew ? unmountableSecret(spec, account) : unmountableByEphemeralContainer(spec, account);
    if (problem !== undefined) throw refused(attributes, problem);
  },
};

const isMirror = ({ metadata }: ReceivedObject<Pod>): boolean =>
  metadata?.annotations?.["kubernetes.io/config.mirror"] !== undefined;

const missing = (attributes: AdmissionAttributes, name: string) =>
  refused(
    attributes,
    `error looking up service account ${attributes.namespace}/${name}: serviceaccount "${name}" not found`,
  );

function checkMirror(attributes: AdmissionAttributes, pod: ReceivedObject<Pod>): void {
  const spec = object(pod.spec);
  if (text(spec.serviceAccountName) !== "") {
    throw refused(attributes, "a mirror pod may not reference service accounts");
  }
  if (referencesSecrets(spec)) throw refused(attributes, "a mirror pod may not reference secrets");
  const projected = objectsOf(spec.volumes).flatMap((volume) => objectsOf(object(volume.projected).sources));
  if (projected.some((source) => !absent(source.serviceAccountToken))) {
    throw refused(attributes, "a mirror pod may not use ServiceAccountToken volume projections");
  }
}
