import { append } from "../../../base/collections/append.js";
import {
  type FieldError,
  forbiddenField,
  invalidValue,
  required,
  tooLong,
} from "../../../machinery/errors/field-error.js";
import {
  absent,
  isStruct,
  number,
  object,
  type Received,
  type ReceivedObject,
  text,
} from "../../../machinery/meta/received.js";
import { dns1123SubdomainErrors, rangeErrors } from "../../../machinery/validation/names.js";
import type { ServerTraits } from "../../gates/feature-gates.js";
import type {
  VolumeAttachment,
  VolumeAttachmentSource,
  VolumeAttachmentSpec,
  VolumeAttachmentStatus,
  VolumeError,
} from "../../types/storage/v1.js";
import { IMMUTABLE, named, sameValue } from "../rules.js";
import { validateInlineVolume } from "../volumes/persistent-volume.js";
import { validateCsiDriverName } from "../volumes/volume-sources.js";

export function validateVolumeAttachment(
  attachment: ReceivedObject<VolumeAttachment>,
  server: ServerTraits,
): FieldError[] {
  const spec = object(attachment.spec);
  const errors = validateAttachment(attachment, server);
  validateCsiDriverName(text(spec.attacher), "spec.attacher", errors);
  const volume = object(spec.source).persistentVolumeName;
  if (absent(volume)) return errors;
  return [...errors, ...named(text(volume), "spec.source.persistentVolumeName", dns1123SubdomainErrors)];
}

/** Validates an update of a VolumeAttachment: its spec may not change. */
export function validateVolumeAttachmentUpdate(
  attachment: ReceivedObject<VolumeAttachment>,
  old: ReceivedObject<VolumeAttachment>,
  server: ServerTraits,
): FieldError[] {
  const errors = validateAttachment(attachment, server);
  if (sameValue(attachment.spec, old.spec)) return errors;
  return [...errors, invalidValue("spec", shownSpec(object(attachment.spec)), IMMUTABLE)];
}

/** Kubernetes shows its internal type. */
const shownSpec = (spec: Received<VolumeAttachmentSpec>) => ({
  Attacher: text(spec.attacher),
  Source: {
    PersistentVolumeName: object(spec.source).persistentVolumeName ?? null,
    InlineVolumeSpec: object(spec.source).inlineVolumeSpec ?? null,
  },
  NodeName: text(spec.nodeName),
});

function validateAttachment(attachment: ReceivedObject<VolumeAttachment>, server: ServerTraits): FieldError[] {
  const spec = object(attachment.spec);
  return [
    ...(text(spec.attacher) === "" ? [required("spec.attacher")] : []),
    ...validateSource(object(spec.source)),
    ...named(text(spec.nodeName), "spec.nodeName", dns1123SubdomainErrors),
    ...validateStatus(object(attachment.status), server),
  ];
}

const ONE = "must specify exactly one of inlineVolumeSpec and persistentVolumeName";

function validateSource(source: Received<VolumeAttachmentSource>): FieldError[] {
  const { inlineVolumeSpec: inline, persistentVolumeName: name } = source;
  const path = "spec.source";
  if (absent(inline) && absent(name)) return [required(path, ONE)];
  if (!absent(inline) && !absent(name)) return [forbiddenField(path, ONE)];
  if (isStruct(inline)) return validateInlineVolume(inline, `${path}.inlineVolumeSpec`);
  if (name !== "") return [];
  return [required(`${path}.persistentVolumeName`, "must specify non empty persistentVolumeName")];
}

const MAX_METADATA_BYTES = 256 * 1024;
const MAX_MESSAGE_BYTES = 1024;

function validateStatus(status: Received<VolumeAttachmentStatus>, server: ServerTraits): FieldError[] {
  const metadata = Object.entries(object(status.attachmentMetadata));
  const size = metadata.reduce((sum, [key, value]) => sum + Buffer.byteLength(key) + Buffer.byteLength(text(value)), 0);
  return [
    ...(size > MAX_METADATA_BYTES ? [tooLong("status.attachmentMetadata", MAX_METADATA_BYTES)] : []),
    ...validateError(status.attachError, "status.attachError", server),
    ...validateError(status.detachError, "status.detachError", server),
  ];
}

function validateError(
  error: Received<VolumeError> | null | undefined,
  path: string,
  { release }: ServerTraits,
): FieldError[] {
  if (!isStruct(error)) return [];
  const errors: FieldError[] = [];
  if (Buffer.byteLength(text(error.message)) > MAX_MESSAGE_BYTES) {
    // K37-074: Kubernetes 1.36 tells another limit than the one that is kept.
    errors.push(tooLong(`${path}.message`, release.atLeast("1.37") ? MAX_MESSAGE_BYTES : MAX_METADATA_BYTES));
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
