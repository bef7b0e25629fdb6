import { absent, object, objects, type ReadonlyFields } from "../../../machinery/meta/access.js";

/** The fields of a volume's source that name a secret, by the source's name. */
const SECRET_FIELDS: Readonly<Record<string, string>> = {
  azureFile: "secretName",
  cephfs: "secretRef",
  cinder: "secretRef",
  csi: "nodePublishSecretRef",
  flexVolume: "secretRef",
  iscsi: "secretRef",
  rbd: "secretRef",
  scaleIO: "secretRef",
  secret: "secretName",
  storageos: "secretRef",
};

/** Whether a pod takes anything from a secret: for its images, its environment or its volumes. */
export function referencesSecrets(spec: ReadonlyFields): boolean {
  const containers = ["initContainers", "containers", "ephemeralContainers"].flatMap((kind) => objects(spec[kind]));
  return (
    objects(spec["imagePullSecrets"]).length > 0 ||
    containers.some(environmentReferencesSecret) ||
    objects(spec["volumes"]).some(volumeReferencesSecret)
  );
}

function environmentReferencesSecret(container: ReadonlyFields): boolean {
  return (
    objects(container["envFrom"]).some(({ secretRef }) => !absent(secretRef)) ||
    objects(container["env"]).some(({ valueFrom }) => !absent(object(valueFrom)["secretKeyRef"]))
  );
}

function volumeReferencesSecret(volume: ReadonlyFields): boolean {
  const projected = objects(object(volume["projected"])["sources"]);
  return (
    projected.some(({ secret }) => !absent(secret)) ||
    Object.entries(SECRET_FIELDS).some(([source, field]) => !absent(object(volume[source])[field]))
  );
}
