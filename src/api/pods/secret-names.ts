import { absent, object, objects, type Received } from "../../machinery/meta/received.js";
import type { Container, EphemeralContainer, PodSpec, Volume } from "../types/core/v1.js";

/**
 * Yields the names of the secrets that a pod uses for its images, its environment and its volumes. Undefined, or "", where a
 * reference has no name.
 */
export function* secretNamesOf(spec: Received<PodSpec>): Generator<string | null | undefined> {
  for (const { name } of objects(spec.imagePullSecrets)) yield name;
  for (const kind of ["initContainers", "containers", "ephemeralContainers"] as const) {
    for (const container of objects<Received<Container | EphemeralContainer>>(spec[kind])) {
      yield* namesInEnvironment(container);
    }
  }
  for (const volume of objects(spec.volumes)) yield* namesInVolume(volume);
}

function* namesInEnvironment(
  container: Received<Container | EphemeralContainer>,
): Generator<string | null | undefined> {
  for (const { secretRef } of objects(container.envFrom)) yield* nameIn(secretRef);
  for (const { valueFrom } of objects(container.env)) yield* nameIn(object(valueFrom).secretKeyRef);
}

function* namesInVolume(volume: Received<Volume>): Generator<string | null | undefined> {
  if (!absent(volume.secret)) yield object(volume.secret).secretName;
  if (!absent(volume.azureFile)) yield object(volume.azureFile).secretName;
  for (const reference of [
    object(volume.cephfs).secretRef,
    object(volume.cinder).secretRef,
    object(volume.csi).nodePublishSecretRef,
    object(volume.flexVolume).secretRef,
    object(volume.iscsi).secretRef,
    object(volume.rbd).secretRef,
    object(volume.scaleIO).secretRef,
    object(volume.storageos).secretRef,
  ]) {
    yield* nameIn(reference);
  }
  for (const { secret } of objects(object(volume.projected).sources)) yield* nameIn(secret);
}

function* nameIn(reference: Received<{ name?: string }> | null | undefined): Generator<string | null | undefined> {
  if (!absent(reference)) yield object(reference).name;
}

/** Whether a pod takes anything from a secret. */
export const referencesSecrets = (spec: Received<PodSpec>): boolean => secretNamesOf(spec).next().done !== true;

/** The names of the secrets that a pod uses, without duplicates. */
export function secretsOfPod(spec: Received<PodSpec>): ReadonlySet<string> {
  return new Set([...secretNamesOf(spec)].filter((name) => typeof name === "string" && name !== "") as string[]);
}
