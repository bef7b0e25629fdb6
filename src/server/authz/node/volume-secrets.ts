import { absent, object, type ReadonlyFields, text } from "../../../machinery/meta/access.js";
import type { KubeObject } from "../../../machinery/meta/object.js";
import { keyOf } from "./keys.js";

/** Sources whose secrets lie beside the claim where they name no namespace. */
const BESIDE_THE_CLAIM = ["cephfs", "flexVolume", "rbd", "scaleIO", "iscsi"];
const IN_THEIR_NAMESPACE = ["cinder", "storageos"];
/** What a CSI driver uses on the node. Its other secrets are the controller's. */
const CSI_ON_NODES = ["nodePublishSecretRef", "nodeStageSecretRef", "nodeExpandSecretRef"];

/** A bound volume: the claim that it is bound to, and the secrets that a kubelet needs to mount it, as keys. */
export interface BoundVolume {
  readonly volume: string;
  readonly claim: string;
  readonly secrets: readonly string[];
}

/** Undefined for a volume that no claim is bound to. */
export function boundVolume(volume: KubeObject): BoundVolume | undefined {
  const spec = object(volume["spec"]);
  if (absent(spec["claimRef"])) return undefined;
  const { namespace, name } = object(spec["claimRef"]);
  return {
    volume: keyOf("persistentvolumes", "", volume.metadata?.name ?? ""),
    claim: keyOf("persistentvolumeclaims", text(namespace), text(name)),
    secrets: [...secretsOf(spec, text(namespace))].map((secret) => keyOf("secrets", secret.namespace, secret.name)),
  };
}

interface Secret {
  readonly namespace: string;
  readonly name: string;
}

function* secretsOf(spec: ReadonlyFields, claimNamespace: string): Generator<Secret> {
  const azure = object(spec["azureFile"]);
  if (text(azure["secretName"]) !== "") {
    yield { namespace: text(azure["secretNamespace"]) || claimNamespace, name: text(azure["secretName"]) };
  }
  for (const source of BESIDE_THE_CLAIM) yield* referenced(object(spec[source])["secretRef"], claimNamespace);
  for (const source of IN_THEIR_NAMESPACE) yield* referenced(object(spec[source])["secretRef"], "");
  for (const field of CSI_ON_NODES) yield* referenced(object(spec["csi"])[field], "");
}

function* referenced(reference: unknown, otherwise: string): Generator<Secret> {
  const { namespace, name } = object(reference);
  if (text(name) !== "") yield { namespace: text(namespace) || otherwise, name: text(name) };
}
