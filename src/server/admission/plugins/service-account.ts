import type {
  Pod,
  ServiceAccount,
  PodSpec,
  ProjectedVolumeSource,
  LocalObjectReference,
} from "../../../api/types/core/v1.js";
import {
  absent,
  type DraftObject,
  ensureChild,
  list,
  object,
  objects as objectsOf,
  type ReceivedObject,
  text,
  children,
  type Draft,
  objects,
  type OrAbsent,
  type Received,
} from "../../../machinery/meta/received.js";
import { type AdmissionAttributes, refused } from "../attributes.js";
import { handling, type AdmissionPlugin } from "../plugin.js";
import { referencesSecrets } from "../../../api/pods/secret-names.js";
import type { Random } from "../../../base/numbers/random.js";
import type { AnyContainer } from "../../../api/validation/pod/each-container.js";
import { parseGoBool } from "../../../base/text/go-literals.js";

const isNewPod = handling(["CREATE"], "pods");
const isDebugged = handling(["UPDATE"], "pods/ephemeralcontainers");

/**
 * Sets the service account of new pods, with its image pull secrets and a mounted token. Rejects a missing account, secrets that
 * an account does not list if it enforces its list, and fields that a mirror pod must not have.
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

const MOUNT_PATH = "/var/run/secrets/kubernetes.io/serviceaccount";
/** The letters generated names are made of. */
const LETTERS = "bcdfghjklmnpqrstvwxz2456789";

/** Gives every container without a mount at the usual place the pod's token, the cluster's CA and the namespace. */
function mountServiceAccountToken(spec: Draft<PodSpec>, random: Random): void {
  const volumes = children(spec, "volumes");
  const existing = volumes.find((volume) => text(volume.name).startsWith("kube-api-access-"));
  const name = typeof existing?.name === "string" ? existing.name : `kube-api-access-${suffix(random)}`;
  let mounted = false;
  for (const container of [...children(spec, "initContainers"), ...children(spec, "containers")]) {
    const mounts = children(container, "volumeMounts");
    if (mounts.some((mount) => mount.mountPath === MOUNT_PATH)) continue;
    container.volumeMounts = [...mounts, { name, readOnly: true, mountPath: MOUNT_PATH }];
    mounted = true;
  }
  if (mounted && existing === undefined) spec.volumes = [...volumes, { name, projected: projection() }];
}

function projection(): Draft<ProjectedVolumeSource> {
  return {
    sources: [
      { serviceAccountToken: { expirationSeconds: 3607, path: "token" } },
      { configMap: { name: "kube-root-ca.crt", items: [{ key: "ca.crt", path: "ca.crt" }] } },
      {
        downwardAPI: {
          items: [{ path: "namespace", fieldRef: { apiVersion: "v1", fieldPath: "metadata.namespace" } }],
        },
      },
    ],
    defaultMode: 0o644,
  };
}

function suffix(random: Random): string {
  return Array.from(random.bytes(5), (byte) => LETTERS[byte % LETTERS.length]).join("");
}

const ENFORCED = "kubernetes.io/enforce-mountable-secrets";

/** Whether pods of the account may use no secrets but those that the account names. */
const enforcesMountableSecrets = ({ metadata }: ReceivedObject<ServiceAccount>): boolean =>
  parseGoBool(metadata?.annotations?.[ENFORCED] ?? "") === true;

/** What a pod takes from secrets that its account does not name, the first of it in kube-apiserver's words. */
function unmountableSecret(spec: Received<PodSpec>, account: ReceivedObject<ServiceAccount>): string | undefined {
  const mountable = namesOf(account.secrets);
  const pullable = namesOf(account.imagePullSecrets);
  const name = account.metadata?.name ?? "";
  const volume = objects(spec.volumes)
    .map(({ secret }) => object(secret))
    .find(({ secretName }) => !absent(secretName) && !mountable.has(text(secretName)));
  if (volume !== undefined) return notNamed(`volume with secret.secretName="${text(volume.secretName)}"`, name);
  const inContainers =
    unmountableOf("init container", spec.initContainers, account) ??
    unmountableOf("container", spec.containers, account);
  if (inContainers !== undefined) return inContainers;
  const pulled = objects(spec.imagePullSecrets).map((secret) => text(secret.name));
  const index = pulled.findIndex((secret) => !pullable.has(secret));
  if (index < 0) return undefined;
  return `imagePullSecrets[${index}].name="${pulled[index]}" is not allowed because service account ${name} does not reference that imagePullSecret`;
}

/** {@link unmountableSecret} of ephemeral containers, which come to a pod later. */
const unmountableByEphemeralContainer = (
  spec: Received<PodSpec>,
  account: ReceivedObject<ServiceAccount>,
): string | undefined => unmountableOf("ephemeral container", spec.ephemeralContainers, account);

function unmountableOf(
  kind: string,
  containers: OrAbsent<Received<AnyContainer[]>>,
  account: ReceivedObject<ServiceAccount>,
): string | undefined {
  const mountable = namesOf(account.secrets);
  const name = account.metadata?.name ?? "";
  for (const container of objects(containers)) {
    const of = `${kind} ${text(container.name)}`;
    for (const { name: variable, valueFrom } of objects(container.env)) {
      const { secretKeyRef } = object(valueFrom);
      const secret = text(object(secretKeyRef).name);
      if (absent(secretKeyRef) || mountable.has(secret)) continue;
      return notNamed(`${of} with envVar ${text(variable)} referencing secret.secretName="${secret}"`, name);
    }
    for (const { secretRef } of objects(container.envFrom)) {
      const secret = text(object(secretRef).name);
      if (absent(secretRef) || mountable.has(secret)) continue;
      return notNamed(`${of} with envFrom referencing secret.secretName="${secret}"`, name);
    }
  }
  return undefined;
}

const namesOf = (references: OrAbsent<Received<LocalObjectReference[]>>): ReadonlySet<string> =>
  new Set(objects(references).map((reference) => text(reference.name)));

const notNamed = (what: string, account: string): string =>
  `${what} is not allowed because service account ${account} does not reference that secret`;
