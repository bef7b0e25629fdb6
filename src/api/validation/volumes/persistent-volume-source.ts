import { invalidValue, required } from "../../../machinery/errors/field-error.js";
import { absent, isStruct, type Received, text } from "../../../machinery/meta/received.js";
import { dns1123LabelErrors, dns1123SubdomainErrors } from "../../../machinery/validation/names.js";
import type {
  AzureFilePersistentVolumeSource,
  CinderPersistentVolumeSource,
  CSIPersistentVolumeSource,
  GlusterfsPersistentVolumeSource,
  ISCSIPersistentVolumeSource,
  LocalVolumeSource,
  PersistentVolumeSpec,
  SecretReference,
  StorageOSPersistentVolumeSource,
} from "../../types/core/v1.js";
import { check, checkRequired, type Errors } from "../collect.js";
import { checkNoBacksteps } from "./file-paths.js";
import { checkNeeded, validateCsiDriverName, validateIscsi, VOLUME_SOURCES } from "./volume-sources.js";

type ValidateSource<Source> = (source: Received<Source>, path: string, errors: Errors) => void;
type SourceField = Exclude<
  keyof PersistentVolumeSpec,
  | "accessModes"
  | "capacity"
  | "claimRef"
  | "mountOptions"
  | "nodeAffinity"
  | "persistentVolumeReclaimPolicy"
  | "storageClassName"
  | "volumeAttributesClassName"
  | "volumeMode"
>;
type AnySource = NonNullable<PersistentVolumeSpec[SourceField]>;

/** Judges a PersistentVolume's reference to a Secret, which must name its namespace: the volume itself has none. */
function secretWithNamespace(source: Received<CinderPersistentVolumeSource>, path: string, errors: Errors): void {
  if (isStruct(source.secretRef))
    checkNeeded<SecretReference>(source.secretRef, `${path}.secretRef`, ["name", "namespace"], errors);
}

const glusterfs: ValidateSource<GlusterfsPersistentVolumeSource> = (source, path, errors) => {
  checkNeeded<GlusterfsPersistentVolumeSource>(source, path, ["endpoints", "path"], errors);
  if (absent(source.endpointsNamespace)) return;
  const namespace = text(source.endpointsNamespace);
  const at = `${path}.endpointsNamespace`;
  if (namespace !== "") return check(namespace, at, dns1123LabelErrors, errors);
  errors.push(invalidValue(at, namespace, "if the endpointnamespace is set, it must be a valid namespace name"));
};

const iscsi: ValidateSource<ISCSIPersistentVolumeSource> = (source, path, errors) => {
  validateIscsi(source, path, errors, ANY);
  if (isStruct(source.secretRef)) checkNeeded<SecretReference>(source.secretRef, `${path}.secretRef`, ["name"], errors);
};

const cinder: ValidateSource<CinderPersistentVolumeSource> = (source, path, errors) => {
  checkNeeded<CinderPersistentVolumeSource>(source, path, ["volumeID"], errors);
  secretWithNamespace(source, path, errors);
};

const azureFile: ValidateSource<AzureFilePersistentVolumeSource> = (source, path, errors) => {
  checkNeeded<AzureFilePersistentVolumeSource>(source, path, ["secretName", "shareName"], errors);
  if (source.secretNamespace !== "") return;
  errors.push(invalidValue(`${path}.secretNamespace`, "", "secretNamespace can not be empty"));
};

const local: ValidateSource<LocalVolumeSource> = (source, path, errors) => {
  const value = text(source.path);
  if (value === "") errors.push(required(`${path}.path`));
  else checkNoBacksteps(value, `${path}.path`, errors);
};

const storageOs: ValidateSource<StorageOSPersistentVolumeSource> = (source, path, errors) => {
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
] as const;

const csi: ValidateSource<CSIPersistentVolumeSource> = (source, path, errors) => {
  validateCsiDriverName(text(source.driver), `${path}.driver`, errors);
  checkNeeded<CSIPersistentVolumeSource>(source, path, ["volumeHandle"], errors);
  for (const field of CSI_SECRETS) {
    const secret = source[field];
    if (!isStruct(secret)) continue;
    checkRequired(text(secret.name), `${path}.${field}.name`, dns1123SubdomainErrors, errors);
    checkRequired(text(secret.namespace), `${path}.${field}.namespace`, dns1123LabelErrors, errors);
  }
};

/** What a persistent volume's source has beyond that of a pod's volume. */
const OWN: { readonly [Field in SourceField]?: SourceRule["validate"] } = {
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
  readonly field: SourceField;
  /** Where its errors stand, and where it is one too many, when Kubernetes does not use the field's own name. */
  readonly at: string;
  readonly extra: string;
  validate(source: Received<AnySource>, path: string, errors: Errors): void;
}

/** In the order in which Kubernetes looks at them. */
const ORDER: readonly SourceField[] = [
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
];

/** The rules for every source of a persistent volume. */
export const SOURCES: readonly SourceRule[] = ORDER.map((field) => {
  const shared = VOLUME_SOURCES.find((rule) => rule.field === field);
  const own = OWN[field];
  const validate: SourceRule["validate"] =
    own ?? ((source, path, errors) => shared?.validate(source, path, errors, ANY));
  return { field, at: shared?.at ?? field, extra: shared?.extra ?? field, validate };
});

/** Field, name in the warning, and what became of it. */
const GONE: readonly (readonly [field: SourceField, name: string, detail: string])[] = [
  ["cephfs", "cephfs", "deprecated in v1.28, non-functional in v1.31+"],
  ["photonPersistentDisk", "photonPersistentDisk", "deprecated in v1.11, non-functional in v1.16+"],
  ["scaleIO", "scaleIO", "deprecated in v1.16, non-functional in v1.22+"],
  ["storageos", "storageOS", "deprecated in v1.22, non-functional in v1.25+"],
  ["glusterfs", "glusterfs", "deprecated in v1.25, non-functional in v1.26+"],
  ["rbd", "rbd", "deprecated in v1.28, non-functional in v1.31+"],
];

/** Returns the warnings about sources that no node can mount any more. */
export function sourceWarnings(spec: Received<PersistentVolumeSpec>): string[] {
  return GONE.filter(([field]) => isStruct(spec[field])).map(([, name, detail]) => `spec.${name}: ${detail}`);
}
