import { absent, ensureChild, list, object, objects as objectsOf, text } from "../../../machinery/meta/access.js";
import type { KubeObject } from "../../../machinery/meta/object.js";
import type { AdmissionAttributes } from "../attributes.js";
import type { AdmissionPlugin } from "../plugin.js";
import { refused } from "../refusal.js";
import { referencesSecrets } from "./pod-secrets.js";
import { mountServiceAccountToken } from "./service-account-token.js";

/**
 * Gives new pods a service account: names it, takes its image pull secrets and mounts a token. Refuses an account that does
 * not exist, and what the kubelet's mirror of a static pod may not have.
 */
export const serviceAccount: AdmissionPlugin = {
  name: "ServiceAccount",
  handles: (operation, { group, resource, subresource }) =>
    operation === "CREATE" && group === "" && resource === "pods" && subresource === "",
  async admit(attributes, { objects, random }) {
    const { object: pod, namespace } = attributes;
    if (pod === undefined) return;
    if (isMirror(pod)) return checkMirror(attributes, pod);
    const spec = ensureChild(pod, "spec");
    const name = text(spec["serviceAccountName"]) || "default";
    spec["serviceAccountName"] = name;
    spec["serviceAccount"] = name;
    const wanted = ["", "serviceaccounts", namespace, name] as const;
    // As kube-apiserver: another look where the cache does not know the account yet.
    const account = (await objects.cached.get(...wanted)) ?? (await objects.get(...wanted));
    if (account === undefined) throw missing(attributes, name);
    if (absent(spec["imagePullSecrets"]) && list(account["imagePullSecrets"]).length > 0) {
      spec["imagePullSecrets"] = structuredClone(account["imagePullSecrets"]);
    }
    const automount = spec["automountServiceAccountToken"] ?? account["automountServiceAccountToken"] ?? true;
    if (automount === true) mountServiceAccountToken(spec, random);
  },
  async validate(attributes, { objects }) {
    const { object: pod, namespace } = attributes;
    if (pod === undefined) return;
    if (isMirror(pod)) return checkMirror(attributes, pod);
    const name = text(object(pod["spec"])["serviceAccountName"]);
    // A plugin behind the mutating phase of this one may have named another account.
    const wanted = ["", "serviceaccounts", namespace, name] as const;
    if (await objects.cached.has(...wanted)) return;
    if ((await objects.get(...wanted)) === undefined) throw missing(attributes, name);
  },
};

const isMirror = ({ metadata }: KubeObject): boolean =>
  metadata?.annotations?.["kubernetes.io/config.mirror"] !== undefined;

const missing = (attributes: AdmissionAttributes, name: string) =>
  refused(
    attributes,
    `error looking up service account ${attributes.namespace}/${name}: serviceaccount "${name}" not found`,
  );

function checkMirror(attributes: AdmissionAttributes, pod: KubeObject): void {
  const spec = object(pod["spec"]);
  if (text(spec["serviceAccountName"]) !== "") {
    throw refused(attributes, "a mirror pod may not reference service accounts");
  }
  if (referencesSecrets(spec)) throw refused(attributes, "a mirror pod may not reference secrets");
  const projected = objectsOf(spec["volumes"]).flatMap((volume) => objectsOf(object(volume["projected"])["sources"]));
  if (projected.some((source) => !absent(source["serviceAccountToken"]))) {
    throw refused(attributes, "a mirror pod may not use ServiceAccountToken volume projections");
  }
}
