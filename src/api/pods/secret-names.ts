import { absent, object, objects, type ReadonlyFields } from "../../machinery/meta/access.js";

/** The fields of a volume's source that hold a reference to a secret, by the source's name. */
const SECRET_REFERENCES: Readonly<Record<string, string>> = {
  cephfs: "secretRef",
  cinder: "secretRef",
  csi: "nodePublishSecretRef",
  flexVolume: "secretRef",
  iscsi: "secretRef",
  rbd: "secretRef",
  scaleIO: "secretRef",
  storageos: "secretRef",
};

/**
 * The names of the secrets that a pod takes something from: for its images, its environment and its volumes. Undefined, or "", where a
 * reference has no name.
 */
export function* secretNamesOf(spec: ReadonlyFields): Generator<unknown> {
  for (const { name } of objects(spec["imagePullSecrets"])) yield name;
  for (const kind of ["initContainers", "containers", "ephemeralContainers"]) {
    for (const container of objects(spec[kind])) yield* namesInEnvironment(container);
  }
  for (const volume of objects(spec["volumes"])) yield* namesInVolume(volume);
}

function* namesInEnvironment(container: ReadonlyFields): Generator<unknown> {
  for (const { secretRef } of objects(container["envFrom"])) yield* nameIn(secretRef);
  for (const { valueFrom } of objects(container["env"])) yield* nameIn(object(valueFrom)["secretKeyRef"]);
}

function* namesInVolume(volume: ReadonlyFields): Generator<unknown> {
  yield* nameIn(volume["secret"], "secretName");
  yield* nameIn(volume["azureFile"], "secretName");
  for (const [source, field] of Object.entries(SECRET_REFERENCES)) yield* nameIn(object(volume[source])[field]);
  for (const { secret } of objects(object(volume["projected"])["sources"])) yield* nameIn(secret);
}

function* nameIn(reference: unknown, field = "name"): Generator<unknown> {
  if (!absent(reference)) yield object(reference)[field];
}

/** Whether a pod takes anything from a secret. */
export const referencesSecrets = (spec: ReadonlyFields): boolean => secretNamesOf(spec).next().done !== true;
