import type { PodSpec, VolumeProjection } from "../../../../api/types/core/v1.js";
import type { AnyContainer } from "../../../../api/validation/pod/each-container.js";
import {
  absent,
  child,
  children,
  type Draft,
  object,
  objects,
  type Received,
} from "../../../../machinery/meta/received.js";

/**
 * Takes out of a pod's spec what 1.36 has behind gates that are off: stop signals, two kinds of projected sources, scheduling
 * groups. A field that the old spec uses is kept.
 */
export function dropDisabledFields(spec: Draft<PodSpec> | undefined, old: Received<PodSpec> = {}): void {
  if (spec === undefined) return;
  if (absent(old.schedulingGroup)) delete spec.schedulingGroup;
  for (const field of ["clusterTrustBundle", "podCertificate"] as const) {
    if (usesSource(old, field)) continue;
    for (const volume of children(spec, "volumes")) {
      for (const source of children(child(volume, "projected"), "sources")) delete source[field];
    }
  }
  if (usesStopSignal(old)) return;
  for (const container of CONTAINERS.flatMap((field): Draft<AnyContainer>[] => children(spec, field))) {
    const lifecycle = child(container, "lifecycle");
    if (lifecycle === undefined || absent(lifecycle.stopSignal)) continue;
    delete lifecycle.stopSignal;
    if (absent(lifecycle.preStop) && absent(lifecycle.postStart)) delete container.lifecycle;
  }
}

const CONTAINERS = ["containers", "initContainers", "ephemeralContainers"] as const;

function usesSource(spec: Received<PodSpec>, field: keyof VolumeProjection): boolean {
  return objects(spec.volumes).some((volume) =>
    objects(object(volume.projected).sources).some((source) => !absent(source[field])),
  );
}

function usesStopSignal(spec: Received<PodSpec>): boolean {
  return CONTAINERS.some((field) =>
    objects<Received<AnyContainer>>(spec[field]).some(({ lifecycle }) => !absent(object(lifecycle).stopSignal)),
  );
}
