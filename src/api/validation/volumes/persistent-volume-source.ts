import { invalidValue, required } from "../../../machinery/errors/field-error.js";
import { absent, isFields, type ReadonlyFields, text } from "../../../machinery/meta/access.js";
import { dns1123LabelErrors, dns1123SubdomainErrors } from "../../../machinery/validation/names.js";
import { check, checkRequired, type Errors } from "../collect.js";
import { checkNoBacksteps } from "./file-paths.js";
import { validateCsiDriverName, validateIscsi, VOLUME_SOURCES } from "./volume-sources.js";

type ValidateSource = (source: ReadonlyFields, path: string, errors: Errors) => void;

function needs(source: ReadonlyFields, path: string, fields: readonly string[], errors: Errors): void {
  for (const field of fields) if (text(source[field]) === "") errors.push(required(`${path}.${field}`));
}

/** A secret of a volume that has no namespace of its own. */
function secretWithNamespace(source: ReadonlyFields, path: string, errors: Errors): void {
  if (isFields(source.secretRef)) needs(source.secretRef, `${path}.secretRef`, ["name", "namespace"], errors);
}

const glusterfs: ValidateSource = (source, path, errors) => {
  needs(source, path, ["endpoints", "path"], errors);
  if (absent(source.endpointsNamespace)) return;
  const namespace = text(source.endpointsNamespace);
  const at = `${path}.endpointsNamespace`;
  if (namespace !== "") return check(namespace, at, dns1123LabelErrors, errors);
  errors.push(invalidValue(at, namespace, "if the endpointnamespace is set, it must be a valid namespace name"));
};

const iscsi: ValidateSource = (source, path, errors) => {
  validateIscsi(source, path, errors, ANY);
  if (isFields(source.secretRef)) needs(source.secretRef, `${path}.secretRef`, ["name"], errors);
};

const cinder: ValidateSource = (source, path, errors) => {
  needs(source, path, ["volumeID"], errors);
  secretWithNamespace(source, path, errors);
};

const azureFile: ValidateSource = (source, path, errors) => {
  needs(source, path, ["secretName", "shareName"], errors);
  if (source.secretNamespace !== "") return;
  errors.push(invalidValue(`${path}.secretNamespace`, "", "secretNamespace can not be empty"));
};

const local: ValidateSource = (source, path, errors) => {
  const value = text(source.path);
  if (value === "") errors.push(required(`${path}.path`));
  else checkNoBacksteps(value, `${path}.path`, errors);
};

const storageOs: ValidateSource = (source, path, errors) => {
  checkRequired(text(source.volumeName), `${path}.volumeName`, dns1123LabelErrors, errors);
  const namespace = text(source.volumeNamespace);
  if (namespace !== "") check(namespace, `${path}.volumeNamespace`, dns1123LabelErrors, errors);
  secretWithNamespace(source, path, errors);
};

const CSI_SECRETS = [
  "controllerPublishSecretRef",
  "controllerExpandSecretRef",
  "nodePublishSecretRef",
  "nodeExpandSecretRef",
];

const csi: ValidateSource = (source, path, errors) => {
  validateCsiDriverName(text(source.driver), `${path}.driver`, errors);
  needs(source, path, ["volumeHandle"], errors);
  for (const field of CSI_SECRETS) {
    const secret = source[field];
    if (!isFields(secret)) continue;
    checkRequired(text(secret.name), `${path}.${field}.name`, dns1123SubdomainErrors, errors);
    checkRequired(text(secret.namespace), `${path}.${field}.namespace`, dns1123LabelErrors, errors);
  }
};

/** What a persistent volume's source has beyond that of a pod's volume. */
const OWN: Readonly<Record<string, ValidateSource>> = {
  azureFile,
  cinder,
  csi,
  glusterfs,
  iscsi,
  local,
  storageos: storageOs,
};

/** No source that a persistent volume shares with a pod's volume looks at the options of pods. */
const ANY = {} as Parameters<typeof validateIscsi>[3];

interface SourceRule {
  readonly field: string;
  /** Where its errors stand, and where it is one too many, when Kubernetes does not use the field's own name. */
  readonly at: string;
  readonly extra: string;
  readonly validate: ValidateSource;
}

/** Every source of a persistent volume, in the order in which Kubernetes looks at them. */
export const SOURCES: readonly SourceRule[] = [
  "hostPath",
  "gcePersistentDisk",
  "awsElasticBlockStore",
  "glusterfs",
  "flocker",
  "nfs",
  "rbd",
  "quobyte",
  "cephfs",
  "iscsi",
  "cinder",
  "fc",
  "flexVolume",
  "azureFile",
  "vsphereVolume",
  "photonPersistentDisk",
  "portworxVolume",
  "azureDisk",
  "scaleIO",
  "local",
  "storageos",
  "csi",
].map((field) => {
  const shared = VOLUME_SOURCES.find(([name]) => name === field)?.[1];
  const own = Object.hasOwn(OWN, field) ? OWN[field] : undefined;
  const validate: ValidateSource = own ?? ((source, path, errors) => shared?.validate(source, path, errors, ANY));
  return { field, at: shared?.at ?? field, extra: shared?.extra ?? field, validate };
});

/** Field, name in the warning, and what became of it. */
const GONE: readonly (readonly [string, string, string])[] = [
  ["cephfs", "cephfs", "deprecated in v1.28, non-functional in v1.31+"],
  ["photonPersistentDisk", "photonPersistentDisk", "deprecated in v1.11, non-functional in v1.16+"],
  ["scaleIO", "scaleIO", "deprecated in v1.16, non-functional in v1.22+"],
  ["storageos", "storageOS", "deprecated in v1.22, non-functional in v1.25+"],
  ["glusterfs", "glusterfs", "deprecated in v1.25, non-functional in v1.26+"],
  ["rbd", "rbd", "deprecated in v1.28, non-functional in v1.31+"],
];

/** Warnings about sources that no node can mount any more. */
export function sourceWarnings(spec: ReadonlyFields): string[] {
  return GONE.filter(([field]) => isFields(spec[field])).map(([, name, detail]) => `spec.${name}: ${detail}`);
}
