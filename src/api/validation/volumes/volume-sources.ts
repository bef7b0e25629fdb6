import {
  forbiddenField,
  invalidValue,
  notSupported,
  required,
  tooLong,
} from "../../../machinery/errors/field-error.js";
import type { ReadonlyFields } from "../../../machinery/meta/access.js";
import { absent, list, number, object, objects, type Received, text } from "../../../machinery/meta/received.js";
import { dns1123LabelErrors, dns1123SubdomainErrors } from "../../../machinery/validation/names.js";
import type {
  AWSElasticBlockStoreVolumeSource,
  AzureDiskVolumeSource,
  AzureFileVolumeSource,
  CephFSVolumeSource,
  CinderVolumeSource,
  ConfigMapVolumeSource,
  CSIVolumeSource,
  DownwardAPIVolumeSource,
  EmptyDirVolumeSource,
  EphemeralVolumeSource,
  FCVolumeSource,
  FlexVolumeSource,
  FlockerVolumeSource,
  GCEPersistentDiskVolumeSource,
  GitRepoVolumeSource,
  GlusterfsVolumeSource,
  HostPathVolumeSource,
  ImageVolumeSource,
  ISCSIPersistentVolumeSource,
  ISCSIVolumeSource,
  NFSVolumeSource,
  PersistentVolumeClaimVolumeSource,
  PhotonPersistentDiskVolumeSource,
  PortworxVolumeSource,
  ProjectedVolumeSource,
  QuobyteVolumeSource,
  RBDVolumeSource,
  ScaleIOVolumeSource,
  SecretVolumeSource,
  StorageOSVolumeSource,
  Volume,
  VsphereVirtualDiskVolumeSource,
} from "../../types/core/v1.js";
import { check, checkOneOf, checkRange, checkRequired, checkRequiredOneOf, type Errors } from "../collect.js";
import type { PodValidationOptions } from "../pod/pod-options.js";
import { quantity } from "../resources.js";
import { validateClaimTemplate } from "./claim-spec.js";
import { checkDescendingPath, checkFileMode, checkNoBacksteps, checkUser } from "./file-paths.js";
import { validateProjectedSources, validateDownwardApiFile, validateKeyToPath } from "./projected-volume.js";

export type ValidateSource<Source> = (
  source: Received<Source>,
  path: string,
  errors: Errors,
  options: PodValidationOptions,
) => void;

type VolumeSource = NonNullable<Volume[Exclude<keyof Volume, "name">]>;

interface SourceRule {
  readonly field: Exclude<keyof Volume, "name">;
  validate(source: Received<VolumeSource>, path: string, errors: Errors, options: PodValidationOptions): void;
  /** Where its errors stand, and where it is one too many, when Kubernetes does not use the field's own name. */
  readonly at?: string;
  readonly extra?: string;
}

/** The fields that must not be empty. */
function needs<Source>(...fields: readonly (keyof Source & string)[]) {
  return (source: ReadonlyFields, path: string, errors: Errors): void =>
    checkNeeded<Source>(source, path, fields, errors);
}

/** As {@link needs}, for any type of source, by the names of its fields. */
export function checkNeeded<Source>(
  source: ReadonlyFields,
  path: string,
  fields: readonly (keyof Source & string)[],
  errors: Errors,
): void {
  for (const field of fields) {
    const value = source[field];
    if (typeof value !== "string" || value === "") errors.push(required(`${path}.${field}`));
  }
}

function all<Source>(...rules: readonly ValidateSource<Source>[]): ValidateSource<Source> {
  return (source, path, errors, options) => {
    for (const rule of rules) rule(source, path, errors, options);
  };
}

const secretRef: ValidateSource<CinderVolumeSource | StorageOSVolumeSource> = (source, path, errors) => {
  if (!absent(source.secretRef) && text(object(source.secretRef).name) === "") {
    errors.push(required(`${path}.secretRef.name`));
  }
};

/** The detail says 1 where 0 is meant and allowed. */
const partition: ValidateSource<GCEPersistentDiskVolumeSource | AWSElasticBlockStoreVolumeSource> = (
  { partition: value },
  path,
  errors,
) => {
  if (!absent(value) && (number(value) < 0 || number(value) > 255)) {
    errors.push(invalidValue(`${path}.partition`, value, "must be between 1 and 255, inclusive"));
  }
};

const monitors: ValidateSource<RBDVolumeSource | CephFSVolumeSource> = (source, path, errors) => {
  if (list(source.monitors).length === 0) errors.push(required(`${path}.monitors`));
};

const emptyDir: ValidateSource<EmptyDirVolumeSource> = (source, path, errors) => {
  const limit = quantity(source.sizeLimit);
  if (limit !== undefined && limit.unscaled < 0n) {
    errors.push(forbiddenField(`${path}.sizeLimit`, "SizeLimit field must be a valid resource quantity"));
  }
  const { mode } = source;
  if (!absent(mode) && (number(mode) < 0 || number(mode) > 0o1777)) {
    errors.push(invalidValue(`${path}.mode`, mode, "must be a number between 0 and 01777 (octal), both inclusive"));
  }
};

const HOST_PATH_TYPES = [
  "",
  "BlockDevice",
  "CharDevice",
  "Directory",
  "DirectoryOrCreate",
  "File",
  "FileOrCreate",
  "Socket",
];

const validateHostPath: ValidateSource<HostPathVolumeSource> = (source, path, errors) => {
  const value = text(source.path);
  if (value === "") {
    errors.push(required(`${path}.path`));
    return;
  }
  checkNoBacksteps(value, `${path}.path`, errors);
  checkOneOf(source.type, `${path}.type`, HOST_PATH_TYPES, errors);
};

const gitRepo: ValidateSource<GitRepoVolumeSource> = (source, path, errors) => {
  if (text(source.repository) === "") errors.push(required(`${path}.repository`));
  checkDescendingPath(text(source.directory), `${path}.directory`, errors);
};

const files: ValidateSource<SecretVolumeSource | ConfigMapVolumeSource> = (source, path, errors) => {
  checkFileMode(source.defaultMode, `${path}.defaultMode`, errors);
  checkUser(source.defaultUser, `${path}.defaultUser`, errors);
  for (const [index, item] of objects(source.items).entries()) {
    validateKeyToPath(item, `${path}.items[${index}]`, errors);
  }
};

const validateNfs: ValidateSource<NFSVolumeSource> = (source, path, errors) => {
  const value = text(source.path);
  if (text(source.server) === "") errors.push(required(`${path}.server`));
  if (value === "") errors.push(required(`${path}.path`));
  if (!value.startsWith("/")) errors.push(invalidValue(`${path}.path`, value, "must be an absolute path"));
};

const NAMES: readonly (readonly [prefix: string, isOne: (name: string) => boolean])[] = [
  ["iqn", isIqn],
  ["eui", (name) => /^eui.[A-Za-z0-9]{16}$/.test(name)],
  ["naa", (name) => /^naa.[A-Za-z0-9]{32}$/.test(name)],
];

/** Whether `iqn\.\d{4}-\d{2}\.([A-Za-z0-9\-.]+)(:[^,;*&$|\s]+)$` is found, in one pass: upstream's RE2 does not backtrack either. */
function isIqn(name: string): boolean {
  const parts = name.split(":");
  for (let at = parts.length - 1; at > 0 && !/[,;*&$|\s]/.test(parts[at] as string); at--) {
    const authority = parts[at - 1] as string;
    let start = authority.length;
    while (start > 0 && /[A-Za-z0-9\-.]/.test(authority[start - 1] as string)) start--;
    const hasTarget = at < parts.length - 1 || parts[at] !== "";
    if (hasTarget && /iqn\.\d{4}-\d{2}\.[A-Za-z0-9\-.]/.test(authority.slice(start))) return true;
  }
  return false;
}

function checkIscsiName(name: string, path: string, errors: Errors): void {
  const isOne = NAMES.find(([prefix]) => name.startsWith(prefix))?.[1];
  if (isOne === undefined) {
    errors.push(invalidValue(path, name, "must be valid format starting with iqn, eui, or naa"));
  } else if (!isOne(name)) errors.push(invalidValue(path, name, "must be valid format"));
}

export const validateIscsi: ValidateSource<ISCSIVolumeSource | ISCSIPersistentVolumeSource> = (
  source,
  path,
  errors,
) => {
  if (text(source.targetPortal) === "") errors.push(required(`${path}.targetPortal`));
  if (text(source.iqn) === "") errors.push(required(`${path}.iqn`));
  else checkIscsiName(text(source.iqn), `${path}.iqn`, errors);
  checkRange(source.lun, `${path}.lun`, 0, 255, errors);
  if ((source.chapAuthDiscovery === true || source.chapAuthSession === true) && absent(source.secretRef)) {
    errors.push(required(`${path}.secretRef`));
  }
  if (!absent(source.initiatorName)) checkIscsiName(text(source.initiatorName), `${path}.initiatorname`, errors);
};

const flocker: ValidateSource<FlockerVolumeSource> = (source, path, errors) => {
  const [name, uuid] = [text(source.datasetName), text(source.datasetUUID)];
  if (name === "" && uuid === "") errors.push(required(path, "one of datasetName and datasetUUID is required"));
  if (name !== "" && uuid !== "") {
    errors.push(invalidValue(path, "resource", "datasetName and datasetUUID can not be specified simultaneously"));
  }
  if (name.includes("/")) errors.push(invalidValue(`${path}.datasetName`, name, "must not contain '/'"));
};

const quobyte: ValidateSource<QuobyteVolumeSource> = (source, path, errors) => {
  const registry = text(source.registry);
  const pairs = "must be a host:port pair or multiple pairs separated by commas";
  if (registry === "") errors.push(required(`${path}.registry`, pairs));
  else if (Buffer.byteLength(text(source.tenant)) >= 65) {
    errors.push(required(`${path}.tenant`, "must be a UUID and may not exceed a length of 64 characters"));
  } else {
    for (const pair of registry.split(",")) {
      if (!isHostPort(pair)) errors.push(invalidValue(`${path}.registry`, registry, pairs));
    }
  }
  if (text(source.volume) === "") errors.push(required(`${path}.volume`));
};

/** "host:port", "[v6]:port": as far as Go's SplitHostPort looks. */
function isHostPort(pair: string): boolean {
  return /^(\[[^[\]]*\]|[^:[\]]*):[^:[\]]*$/.test(pair);
}

const downwardApi: ValidateSource<DownwardAPIVolumeSource> = (source, path, errors) => {
  checkFileMode(source.defaultMode, `${path}.defaultMode`, errors);
  checkUser(source.defaultUser, `${path}.defaultUser`, errors);
  for (const file of objects(source.items)) validateDownwardApiFile(file, path, errors);
};

const validateFc: ValidateSource<FCVolumeSource> = (source, path, errors) => {
  const [names, ids] = [list(source.targetWWNs), list(source.wwids)];
  if (names.length === 0 && ids.length === 0) {
    errors.push(required(`${path}.targetWWNs`, "must specify either targetWWNs or wwids, but not both"));
  }
  if (names.length > 0 && ids.length > 0) {
    const detail = "targetWWNs and wwids can not be specified simultaneously";
    errors.push(invalidValue(`${path}.targetWWNs`, names, detail));
  }
  if (names.length === 0) return;
  if (absent(source.lun)) errors.push(required(`${path}.lun`, "lun is required if targetWWNs is specified"));
  else checkRange(source.lun, `${path}.lun`, 0, 255, errors);
};

const validateFlexVolume: ValidateSource<FlexVolumeSource> = (source, path, errors) => {
  if (text(source.driver) === "") errors.push(required(`${path}.driver`));
  for (const key of Object.keys(object(source.options))) {
    const namespace = `.${(key.split("/")[0] ?? "").toLowerCase()}`;
    if (namespace.endsWith(".kubernetes.io") || namespace.endsWith(".k8s.io")) {
      const detail = "kubernetes.io and k8s.io namespaces are reserved";
      errors.push(invalidValue(`${path}.options[${key}]`, key, detail));
    }
  }
};

const MANAGED_URI = "/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}";
const BLOB_URI = "https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd";

const validateAzureDisk: ValidateSource<AzureDiskVolumeSource> = (source, path, errors) => {
  const uri = text(source.diskURI);
  if (text(source.diskName) === "") errors.push(required(`${path}.diskName`));
  if (uri === "") errors.push(required(`${path}.diskURI`));
  checkOneOf(source.cachingMode, `${path}.cachingMode`, ["None", "ReadOnly", "ReadWrite"], errors);
  checkOneOf(source.kind, `${path}.kind`, ["Dedicated", "Managed", "Shared"], errors);
  if (absent(source.kind)) return;
  if (source.kind === "Managed" && !uri.startsWith("/subscriptions/")) {
    errors.push(notSupported(`${path}.diskURI`, uri, [MANAGED_URI]));
  }
  if (source.kind !== "Managed" && !uri.startsWith("https://")) {
    errors.push(notSupported(`${path}.diskURI`, uri, [BLOB_URI]));
  }
};

const storageOs: ValidateSource<StorageOSVolumeSource> = (source, path, errors) => {
  checkRequired(text(source.volumeName), `${path}.volumeName`, dns1123LabelErrors, errors);
  const namespace = text(source.volumeNamespace);
  if (namespace !== "") check(namespace, `${path}.volumeNamespace`, dns1123LabelErrors, errors);
  secretRef(source, path, errors, {} as PodValidationOptions);
};

const projected: ValidateSource<ProjectedVolumeSource> = (source, path, errors, options) => {
  checkFileMode(source.defaultMode, `${path}.defaultMode`, errors);
  checkUser(source.defaultUser, `${path}.defaultUser`, errors);
  validateProjectedSources(objects(source.sources), path, errors, options);
};

/** Validates the name of a CSI driver. */
export function validateCsiDriverName(name: string, path: string, errors: Errors): void {
  if (name === "") {
    errors.push(required(path));
    return;
  }
  if (Buffer.byteLength(name) > 63) errors.push(tooLong(path, 63));
  for (const message of dns1123SubdomainErrors(name.toLowerCase())) errors.push(invalidValue(path, name, message));
}

const csi: ValidateSource<CSIVolumeSource> = (source, path, errors) => {
  validateCsiDriverName(text(source.driver), `${path}.driver`, errors);
  if (absent(source.nodePublishSecretRef)) return;
  const name = text(object(source.nodePublishSecretRef).name);
  if (name === "") errors.push(required(`${path}.nodePublishSecretRef.name`));
  else check(name, `${path}.name`, dns1123SubdomainErrors, errors);
};

const ephemeral: ValidateSource<EphemeralVolumeSource> = (source, path, errors) => {
  const template = source.volumeClaimTemplate;
  if (absent(template)) errors.push(required(`${path}.volumeClaimTemplate`));
  else validateClaimTemplate(object(template), `${path}.volumeClaimTemplate`, errors);
};

const image: ValidateSource<ImageVolumeSource> = (source, path, errors, options) => {
  if (text(source.reference) === "" && !options.allowEmptyImageReference) errors.push(required(`${path}.reference`));
  checkRequiredOneOf(source.pullPolicy, `${path}.pullPolicy`, ["Always", "IfNotPresent", "Never"], errors);
};

/** The rules for every source of a pod's volume, in the order in which Kubernetes checks them. */
export const VOLUME_SOURCES: readonly SourceRule[] = [
  { field: "emptyDir", validate: emptyDir },
  { field: "hostPath", validate: validateHostPath },
  { field: "gitRepo", validate: gitRepo },
  {
    field: "gcePersistentDisk",
    validate: all(needs<GCEPersistentDiskVolumeSource>("pdName"), partition),
    at: "persistentDisk",
    extra: "gcePersistentDisk",
  },
  { field: "awsElasticBlockStore", validate: all(needs<AWSElasticBlockStoreVolumeSource>("volumeID"), partition) },
  { field: "secret", validate: all(needs<SecretVolumeSource>("secretName"), files) },
  { field: "nfs", validate: validateNfs },
  { field: "iscsi", validate: validateIscsi },
  { field: "glusterfs", validate: needs<GlusterfsVolumeSource>("endpoints", "path") },
  { field: "flocker", validate: flocker },
  { field: "persistentVolumeClaim", validate: needs<PersistentVolumeClaimVolumeSource>("claimName") },
  { field: "rbd", validate: all(monitors, needs<RBDVolumeSource>("image")) },
  { field: "cinder", validate: all(needs<CinderVolumeSource>("volumeID"), secretRef) },
  { field: "cephfs", validate: monitors, extra: "cephFS" },
  { field: "quobyte", validate: quobyte },
  { field: "downwardAPI", validate: downwardApi, extra: "downwarAPI" },
  { field: "fc", validate: validateFc },
  { field: "flexVolume", validate: validateFlexVolume },
  { field: "configMap", validate: all(needs<ConfigMapVolumeSource>("name"), files) },
  { field: "azureFile", validate: needs<AzureFileVolumeSource>("secretName", "shareName") },
  { field: "vsphereVolume", validate: needs<VsphereVirtualDiskVolumeSource>("volumePath") },
  { field: "photonPersistentDisk", validate: needs<PhotonPersistentDiskVolumeSource>("pdID") },
  { field: "portworxVolume", validate: needs<PortworxVolumeSource>("volumeID") },
  { field: "azureDisk", validate: validateAzureDisk },
  { field: "storageos", validate: storageOs },
  { field: "projected", validate: projected },
  { field: "scaleIO", validate: needs<ScaleIOVolumeSource>("gateway", "system", "volumeName") },
  { field: "csi", validate: csi },
  { field: "ephemeral", validate: ephemeral },
  { field: "image", validate: image },
];
