import { append } from "../../../base/collections/append.js";
import {
  type FieldError,
  forbiddenField,
  invalidValue,
  required,
  tooLong,
} from "../../../machinery/errors/field-error.js";
import { absent, isFields, number, object, type ReadonlyFields, text } from "../../../machinery/meta/access.js";
import type { KubeObject } from "../../../machinery/meta/object.js";
import { dns1123SubdomainErrors, rangeErrors } from "../../../machinery/validation/names.js";
import { validateInlineVolume } from "../volumes/persistent-volume.js";
import { IMMUTABLE, named, sameValue } from "../rules.js";
import { validateCsiDriverName } from "../volumes/volume-sources.js";

export function validateVolumeAttachment(attachment: KubeObject): FieldError[] {
  const spec = object(attachment.spec);
  const errors = validateAttachment(attachment);
  validateCsiDriverName(text(spec.attacher), "spec.attacher", errors);
  const volume = object(spec.source).persistentVolumeName;
  if (absent(volume)) return errors;
  return [...errors, ...named(text(volume), "spec.source.persistentVolumeName", dns1123SubdomainErrors)];
}

/** What is attached where never changes. */
export function validateVolumeAttachmentUpdate(attachment: KubeObject, old: KubeObject): FieldError[] {
  const errors = validateAttachment(attachment);
  if (sameValue(attachment.spec, old.spec)) return errors;
  return [...errors, invalidValue("spec", shownSpec(object(attachment.spec)), IMMUTABLE)];
}

/** Kubernetes shows its internal type. */
const shownSpec = (spec: ReadonlyFields) => ({
  Attacher: text(spec.attacher),
  Source: {
    PersistentVolumeName: object(spec.source).persistentVolumeName ?? null,
    InlineVolumeSpec: object(spec.source).inlineVolumeSpec ?? null,
  },
  NodeName: text(spec.nodeName),
});

function validateAttachment(attachment: KubeObject): FieldError[] {
  const spec = object(attachment.spec);
  return [
    ...(text(spec.attacher) === "" ? [required("spec.attacher")] : []),
    ...validateSource(object(spec.source)),
    ...named(text(spec.nodeName), "spec.nodeName", dns1123SubdomainErrors),
    ...validateStatus(object(attachment.status)),
  ];
}

const ONE = "must specify exactly one of inlineVolumeSpec and persistentVolumeName";

function validateSource(source: ReadonlyFields): FieldError[] {
  const { inlineVolumeSpec: inline, persistentVolumeName: name } = source;
  const path = "spec.source";
  if (absent(inline) && absent(name)) return [required(path, ONE)];
  if (!absent(inline) && !absent(name)) return [forbiddenField(path, ONE)];
  if (isFields(inline)) return validateInlineVolume(inline, `${path}.inlineVolumeSpec`);
  if (name !== "") return [];
  return [required(`${path}.persistentVolumeName`, "must specify non empty persistentVolumeName")];
}

const MAX_METADATA_BYTES = 256 * 1024;
const MAX_MESSAGE_BYTES = 1024;

function validateStatus(status: ReadonlyFields): FieldError[] {
  const metadata = Object.entries(object(status.attachmentMetadata));
  const size = metadata.reduce((sum, [key, value]) => sum + Buffer.byteLength(key) + Buffer.byteLength(text(value)), 0);
  return [
    ...(size > MAX_METADATA_BYTES ? [tooLong("status.attachmentMetadata", MAX_METADATA_BYTES)] : []),
    ...validateError(status.attachError, "status.attachError"),
    ...validateError(status.detachError, "status.detachError"),
  ];
}

function validateError(error: unknown, path: string): FieldError[] {
  if (!isFields(error)) return [];
  const errors: FieldError[] = [];
  // The limit that is told is not the one that is kept.
  if (Buffer.byteLength(text(error.message)) > MAX_MESSAGE_BYTES) {
    errors.push(tooLong(`${path}.message`, MAX_METADATA_BYTES));
  }
  const code = error.errorCode;
  if (!absent(code) && number(code) < 0) {
    const details = rangeErrors(number(code), 0, 2 ** 31 - 1);
    append(
      errors,
      details.map((detail) => invalidValue(`${path}.errorCode`, code, detail)),
    );
  }
  return errors;
}
