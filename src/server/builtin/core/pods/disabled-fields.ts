import {
  absent,
  child,
  children,
  type Fields,
  object,
  objects,
  type ReadonlyFields,
} from "../../../../machinery/meta/access.js";

/**
 * Takes out of a pod's spec what 1.36 has behind gates that are off: stop signals, two kinds of projected sources, scheduling
 * groups. A field that the old spec uses is kept.
 */
export function dropDisabledFields(spec: Fields | undefined, old: ReadonlyFields = {}): void {
  if (spec === undefined) return;
  if (absent(old.schedulingGroup)) delete spec.schedulingGroup;
  for (const field of ["clusterTrustBundle", "podCertificate"]) {
    if (usesSource(old, field)) continue;
    for (const volume of children(spec, "volumes")) {
      for (const source of children(child(volume, "projected") ?? {}, "sources")) delete source[field];
    }
  }
  if (usesStopSignal(old)) return;
  for (const container of CONTAINERS.flatMap((field) => children(spec, field))) {
    const lifecycle = child(container, "lifecycle");
    if (lifecycle === undefined || absent(lifecycle.stopSignal)) continue;
    delete lifecycle.stopSignal;
    if (absent(lifecycle.preStop) && absent(lifecycle.postStart)) delete container.lifecycle;
  }
}

const CONTAINERS = ["containers", "initContainers", "ephemeralContainers"];

function usesSource(spec: ReadonlyFields, field: string): boolean {
  return objects(spec.volumes).some((volume) =>
    objects(object(volume.projected).sources).some((source) => !absent(source[field])),
  );
}

function usesStopSignal(spec: ReadonlyFields): boolean {
  return CONTAINERS.some((field) =>
    objects(spec[field]).some(({ lifecycle }) => !absent(object(lifecycle).stopSignal)),
  );
}
