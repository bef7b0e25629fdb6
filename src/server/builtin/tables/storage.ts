import { canonicalizeQuantity } from "../../../machinery/quantity/quantity.js";
import { list, object, objects, text } from "../../../machinery/meta/access.js";
import type { KubeObject } from "../../../machinery/meta/object.js";
import { age, name } from "./cells.js";
import { columns } from "./columns.js";

export const persistentVolumeColumns = columns(
  [
    "Name",
    "Capacity",
    "Access Modes",
    "Reclaim Policy",
    "Status",
    "Claim",
    "StorageClass",
    "VolumeAttributesClass",
    "Reason",
    "Age",
    "VolumeMode:string:1",
  ],
  (volume, now) => {
    const [spec, status] = [object(volume.spec), object(volume.status)];
    const claim = spec.claimRef === undefined ? undefined : object(spec.claimRef);
    return [
      name(volume),
      quantityCell(object(spec.capacity).storage),
      accessModesCell(spec.accessModes),
      text(spec.persistentVolumeReclaimPolicy),
      phase(volume),
      claim === undefined ? "" : `${text(claim.namespace)}/${text(claim.name)}`,
      storageClass(volume),
      orUnset(spec.volumeAttributesClassName),
      text(status.reason),
      age(volume, now),
      orUnset(spec.volumeMode),
    ];
  },
);

export const persistentVolumeClaimColumns = columns(
  [
    "Name",
    "Status",
    "Volume",
    "Capacity",
    "Access Modes",
    "StorageClass",
    "VolumeAttributesClass",
    "Age",
    "VolumeMode:string:1",
  ],
  (claim, now) => {
    const [spec, status] = [object(claim.spec), object(claim.status)];
    const bound = text(spec.volumeName) !== "";
    return [
      name(claim),
      phase(claim),
      text(spec.volumeName),
      bound ? quantityCell(object(status.capacity).storage) : "",
      bound ? accessModesCell(status.accessModes) : "",
      storageClass(claim),
      orUnset(spec.volumeAttributesClassName),
      age(claim, now),
      orUnset(spec.volumeMode),
    ];
  },
);

export const storageClassColumns = columns(
  ["Name", "Provisioner", "ReclaimPolicy", "VolumeBindingMode", "AllowVolumeExpansion", "Age"],
  (storageClass_, now) => [
    withDefaultMark(storageClass_, [
      "storageclass.kubernetes.io/is-default-class",
      "storageclass.beta.kubernetes.io/is-default-class",
    ]),
    text(storageClass_.provisioner),
    text(storageClass_.reclaimPolicy) || "Delete",
    text(storageClass_.volumeBindingMode) || "Immediate",
    storageClass_.allowVolumeExpansion === true,
    age(storageClass_, now),
  ],
);

export const volumeAttributesClassColumns = columns(["Name", "DriverName", "Age"], (attributes, now) => [
  withDefaultMark(attributes, ["volumeattributesclass.alpha.kubernetes.io/is-default-class"]),
  text(attributes.driverName),
  age(attributes, now),
]);

export const volumeAttachmentColumns = columns(
  ["Name", "Attacher", "PV", "Node", "Attached:boolean", "Age"],
  (attachment, now) => {
    const spec = object(attachment.spec);
    return [
      name(attachment),
      text(spec.attacher),
      text(object(spec.source).persistentVolumeName),
      text(spec.nodeName),
      object(attachment.status).attached === true,
      age(attachment, now),
    ];
  },
);

export const csiNodeColumns = columns(["Name", "Drivers:integer", "Age"], (node, now) => [
  name(node),
  list(object(node.spec).drivers).length,
  age(node, now),
]);

export const csiDriverColumns = columns(
  [
    "Name",
    "AttachRequired:boolean",
    "PodInfoOnMount:boolean",
    "StorageCapacity:boolean",
    "TokenRequests",
    "RequiresRepublish:boolean",
    "Modes",
    "Age",
  ],
  (driver, now) => {
    const spec = object(driver.spec);
    const audiences = objects(spec.tokenRequests).map((request) => text(request.audience));
    return [
      name(driver),
      spec.attachRequired !== false,
      spec.podInfoOnMount === true,
      spec.storageCapacity === true,
      spec.tokenRequests === undefined ? "<unset>" : audiences.join(","),
      spec.requiresRepublish === true,
      list(spec.volumeLifecycleModes).map(text).join(",") || "<none>",
      age(driver, now),
    ];
  },
);

export const csiStorageCapacityColumns = columns(["Name", "StorageClassName", "Capacity"], (capacity) => [
  name(capacity),
  text(capacity.storageClassName),
  capacity.capacity === undefined ? "<unset>" : quantityCell(capacity.capacity),
]);

const MODES = [
  ["ReadWriteOnce", "RWO"],
  ["ReadOnlyMany", "ROX"],
  ["ReadWriteMany", "RWX"],
  ["ReadWriteOncePod", "RWOP"],
] as const;

function accessModesCell(modes: unknown): string {
  const set = new Set(list(modes));
  return MODES.filter(([mode]) => set.has(mode))
    .map(([, short]) => short)
    .join(",");
}

function phase(object_: KubeObject): string {
  return object_.metadata?.deletionTimestamp === undefined ? text(object(object_.status).phase) : "Terminating";
}

function storageClass(object_: KubeObject): string {
  const annotation = object_.metadata?.annotations?.["volume.beta.kubernetes.io/storage-class"];
  return annotation ?? text(object(object_.spec).storageClassName);
}

function quantityCell(value: unknown): string {
  return typeof value === "string" || typeof value === "number" ? canonicalizeQuantity(value) : "0";
}

function orUnset(value: unknown): string {
  return value === undefined ? "<unset>" : text(value);
}

function withDefaultMark(object_: KubeObject, annotations: readonly string[]): string {
  const marked = annotations.some((annotation) => object_.metadata?.annotations?.[annotation] === "true");
  return marked ? `${name(object_)} (default)` : name(object_);
}
