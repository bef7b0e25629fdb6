import { absent, child, children, type Fields, setDefault, text } from "../../machinery/meta/access.js";
import { roundResources } from "./amounts.js";
import { pullPolicy } from "./image.js";

/** 0644: the mode of files that come from secrets, config maps and the downward API. */
const FILE_MODE = 0o644;

/** Sets the defaults of a pod spec's volumes; a volume without a source is an empty directory. */
export function defaultVolumes(spec: Fields): void {
  for (const volume of children(spec, "volumes")) {
    if (Object.keys(volume).every((field) => field === "name" || absent(volume[field]))) volume.emptyDir = {};
    for (const [source, defaults] of Object.entries(SOURCES)) {
      const value = child(volume, source);
      if (value !== undefined) defaults(value);
    }
    defaultPersistentSource(volume);
  }
}

/** Sets the defaults of the sources that volumes and persistent volumes share. */
export function defaultPersistentSource(holder: Fields): void {
  for (const [source, defaults] of Object.entries(PERSISTENT_SOURCES)) {
    const value = child(holder, source);
    if (value !== undefined) defaults(value);
  }
}

/** Sets the defaults of a claim's spec, in a PersistentVolumeClaim or a template of one. */
export function defaultClaimSpec(spec: Fields): void {
  setDefault(spec, "volumeMode", "Filesystem");
  roundResources(spec);
}

type Defaults = (source: Fields) => void;

const SOURCES: Readonly<Record<string, Defaults>> = {
  secret: (source) => setDefault(source, "defaultMode", FILE_MODE),
  configMap: (source) => setDefault(source, "defaultMode", FILE_MODE),
  downwardAPI: (source) => {
    setDefault(source, "defaultMode", FILE_MODE);
    for (const item of children(source, "items")) defaultFieldRef(item);
  },
  projected: (source) => {
    setDefault(source, "defaultMode", FILE_MODE);
    for (const projection of children(source, "sources")) defaultProjection(projection);
  },
  ephemeral: (source) => {
    const template = child(source, "volumeClaimTemplate");
    const spec = template && child(template, "spec");
    if (spec !== undefined) defaultClaimSpec(spec);
  },
  image: (source) => {
    if (text(source.pullPolicy) === "") source.pullPolicy = pullPolicy(text(source.reference));
  },
};

function defaultProjection(projection: Fields): void {
  const token = child(projection, "serviceAccountToken");
  if (token !== undefined) setDefault(token, "expirationSeconds", 3600);
  for (const item of children(child(projection, "downwardAPI") ?? {}, "items")) defaultFieldRef(item);
}

const PERSISTENT_SOURCES: Readonly<Record<string, Defaults>> = {
  hostPath: (source) => setDefault(source, "type", ""),
  iscsi: (source) => setDefault(source, "iscsiInterface", "default"),
  rbd: (source) => {
    setDefault(source, "pool", "rbd");
    setDefault(source, "user", "admin");
    setDefault(source, "keyring", "/etc/ceph/keyring");
  },
  azureDisk: (source) => {
    setDefault(source, "cachingMode", "ReadWrite");
    setDefault(source, "kind", "Shared");
    setDefault(source, "fsType", "ext4");
    setDefault(source, "readOnly", false);
  },
  scaleIO: (source) => {
    setDefault(source, "storageMode", "ThinProvisioned");
    setDefault(source, "fsType", "xfs");
  },
};

/** Sets the default apiVersion of a `fieldRef` to v1, and the default of `optional` in a `fileKeyRef` to false. */
export function defaultFieldRef(source: Fields): void {
  const ref = child(source, "fieldRef");
  if (ref !== undefined && text(ref.apiVersion) === "") ref.apiVersion = "v1";
  const file = child(source, "fileKeyRef");
  if (file !== undefined) setDefault(file, "optional", false);
}
