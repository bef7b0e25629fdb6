import type { PersistentVolume, PersistentVolumeClaim } from "../../api/types/core/v1.js";
import { absent, isStruct, list, object, type Received, text } from "../../machinery/meta/received.js";
import { since } from "./events.js";
import type { DescriptionWriter } from "./description.js";
import { scalar, slice, texts } from "./go-fields.js";
import { describeAnnotations, describeLabels } from "./labels.js";

/** What names a class: a claim, a template of one, a volume. */
type StoredVolume = Received<Pick<PersistentVolumeClaim | PersistentVolume, "metadata" | "spec">>;

/** A template has no status. */
type ClaimOrTemplate = Received<Pick<PersistentVolumeClaim, "metadata" | "spec" | "status">>;

const CLASS = "volume.beta.kubernetes.io/storage-class";

/** The storage class of a claim or a volume: the old annotation wins over the field. */
export function storageClassOf({ metadata, spec }: StoredVolume): string {
  const annotated = texts(object(metadata).annotations)[CLASS];
  return annotated ?? text(object(spec).storageClassName);
}

const MODES: readonly (readonly [string, string])[] = [
  ["ReadWriteOnce", "RWO"],
  ["ReadOnlyMany", "ROX"],
  ["ReadWriteMany", "RWX"],
  ["ReadWriteOncePod", "RWOP"],
];

/** "RWO,ROX", always in one order. */
export const accessModesText = (modes: Received<string[]> | null | undefined): string =>
  MODES.flatMap(([mode, short]) => (list(modes).includes(mode) ? [short] : [])).join(",");

/**
 * A PersistentVolumeClaim, or a template of one, which has no name, status and finalizers. `now` is for the age of a
 * deletion.
 */
export function describeClaim(description: DescriptionWriter, claim: ClaimOrTemplate, now: number | false): void {
  const [metadata, spec, status] = [object(claim.metadata), object(claim.spec), object(claim.status)];
  const whole = now !== false;
  if (whole) {
    description.write(0, `Name:\t${text(metadata.name)}\n`);
    description.write(0, `Namespace:\t${text(metadata.namespace)}\n`);
  }
  description.write(0, `StorageClass:\t${storageClassOf(claim)}\n`);
  if (whole) {
    const { deletionTimestamp } = metadata;
    const phase = absent(deletionTimestamp)
      ? text(status.phase)
      : `Terminating (lasts ${since(deletionTimestamp, now)})`;
    description.write(0, `Status:\t${phase}\n`);
  }
  description.write(0, `Volume:\t${text(spec.volumeName)}\n`);
  describeLabels(description, "Labels", texts(metadata.labels));
  describeAnnotations(description, "Annotations", texts(metadata.annotations));
  if (whole) description.write(0, `Finalizers:\t${slice(metadata.finalizers)}\n`);
  const bound = text(spec.volumeName) !== "";
  const capacity = bound ? scalar(object(status.capacity).storage, "0") : "";
  description.write(0, `Capacity:\t${capacity}\n`);
  description.write(0, `Access Modes:\t${bound ? accessModesText(status.accessModes) : ""}\n`);
  if (!absent(spec.volumeMode)) description.write(0, `VolumeMode:\t${text(spec.volumeMode)}\n`);
  const { dataSource } = spec;
  if (!isStruct(dataSource)) return;
  description.write(0, "DataSource:\n");
  if (!absent(dataSource.apiGroup)) description.write(1, `APIGroup:\t${text(dataSource.apiGroup)}\n`);
  description.write(1, `Kind:\t${text(dataSource.kind)}\n`);
  description.write(1, `Name:\t${text(dataSource.name)}\n`);
}

/** Describes the templates of a StatefulSet's claims. */
export function describeClaimTemplates(
  description: DescriptionWriter,
  templates: readonly Received<PersistentVolumeClaim>[],
): void {
  description.write(0, `Volume Claims:${templates.length === 0 ? "\t<none>" : ""}\n`);
  for (const template of templates) {
    const [metadata, spec] = [object(template.metadata), object(template.spec)];
    description.write(1, `Name:\t${text(metadata.name)}\n`);
    description.write(1, `StorageClass:\t${storageClassOf(template)}\n`);
    describeLabels(description, "Labels", texts(metadata.labels), "  ");
    describeLabels(description, "Annotations", texts(metadata.annotations), "  ");
    const storage = object(object(spec.resources).requests).storage;
    description.write(1, `Capacity:\t${scalar(storage, "<default>")}\n`);
    description.write(1, `Access Modes:\t${slice(spec.accessModes)}\n`);
  }
}
