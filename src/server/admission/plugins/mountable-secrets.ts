import type { AnyContainer } from "../../../api/validation/pod/each-container.js";
import type { LocalObjectReference, PodSpec, ServiceAccount } from "../../../api/types/core/v1.js";
import { parseGoBool } from "../../../base/text/go-literals.js";
import {
  absent,
  object,
  objects,
  type OrAbsent,
  type Received,
  type ReceivedObject,
  text,
} from "../../../machinery/meta/received.js";

const ENFORCED = "kubernetes.io/enforce-mountable-secrets";

/** Whether pods of the account may use no secrets but those that the account names. */
export const enforcesMountableSecrets = ({ metadata }: ReceivedObject<ServiceAccount>): boolean =>
  parseGoBool(metadata?.annotations?.[ENFORCED] ?? "") === true;

/** What a pod takes from secrets that its account does not name, the first of it in kube-apiserver's words. */
export function unmountableSecret(
  spec: Received<PodSpec>,
  account: ReceivedObject<ServiceAccount>,
): string | undefined {
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
export const unmountableByEphemeralContainer = (
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
