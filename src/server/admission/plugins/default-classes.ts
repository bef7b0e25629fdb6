import type { Ingress } from "../../../api/types/networking/v1.js";
import {
  absent,
  type DraftObject,
  ensureChild,
  object,
  type ReceivedObject,
} from "../../../machinery/meta/received.js";
import { newestDefault } from "../../../machinery/meta/newest-default.js";
import { handling, type AdmissionPlugin } from "../plugin.js";
import type { PersistentVolumeClaim } from "../../../api/types/core/v1.js";
import { defaultStorageClass as defaultOf, namesStorageClass } from "../../../api/volumes/claims.js";

/** On an Ingress: names its class, as was done before 1.18. */
const OLD_CLASS = "kubernetes.io/ingress.class";
const IS_DEFAULT = "ingressclass.kubernetes.io/is-default-class";

/** Sets the default class of new Ingresses without one; of several defaults it takes the newest. */
export const defaultIngressClass: AdmissionPlugin = {
  name: "DefaultIngressClass",
  handles: handling(["CREATE"], "ingresses.networking.k8s.io"),
  async admit(attributes, { objects }) {
    const ingress: DraftObject<Ingress> | undefined = attributes.object;
    if (ingress === undefined || namesClass(ingress)) return;
    const chosen = newestDefault(await objects.cached.list("networking.k8s.io", "ingressclasses"), [IS_DEFAULT]);
    if (chosen !== undefined) ensureChild(ingress, "spec").ingressClassName = chosen.metadata?.name;
  },
};

const namesClass = ({ metadata, spec }: ReceivedObject<Ingress>): boolean =>
  !absent(object(spec).ingressClassName) || metadata?.annotations?.[OLD_CLASS] !== undefined;

/** Sets the default StorageClass of new claims without one; of several defaults it takes the newest. A claim with the class "" keeps it. */
export const defaultStorageClass: AdmissionPlugin = {
  name: "DefaultStorageClass",
  handles: handling(["CREATE"], "persistentvolumeclaims"),
  async admit(attributes, { objects }) {
    const claim: DraftObject<PersistentVolumeClaim> | undefined = attributes.object;
    if (claim === undefined || namesStorageClass(claim as PersistentVolumeClaim)) return;
    const classes = await objects.cached.list("storage.k8s.io", "storageclasses");
    const chosen = defaultOf(classes);
    if (chosen !== undefined) ensureChild(claim, "spec").storageClassName = chosen.metadata?.name;
  },
};
