import type { StorageClass } from "../../api/types/storage/v1.js";
import { absent, list, objects, type ReceivedObject, text } from "../../machinery/meta/received.js";
import type { Describer } from "./describer.js";
import type { DescriptionWriter } from "./description.js";
import { describeEvents, eventsOf } from "./events.js";
import { texts, titleFlagOr } from "./go-fields.js";
import { describeName, formatLabels } from "./labels.js";
import { describeTerm } from "./scheduling.js";

const DEFAULT_CLASS = [
  "storageclass.kubernetes.io/is-default-class",
  "storageclass.beta.kubernetes.io/is-default-class",
];

export const describeStorageClass: Describer = async (_namespace, name, description, context) => {
  const storageClass = await context.reader.get("storage.k8s.io/v1/StorageClass", "", name);
  const events = await eventsOf(storageClass, "StorageClass", context);
  const { annotations } = storageClass.metadata ?? {};
  describeName(description, storageClass, false);
  const isDefault = DEFAULT_CLASS.some((key) => annotations?.[key] === "true");
  description.write(0, `IsDefaultClass:\t${isDefault ? "Yes" : "No"}\n`);
  description.write(0, `Annotations:\t${formatLabels(annotations)}\n`);
  description.write(0, `Provisioner:\t${text(storageClass.provisioner)}\n`);
  description.write(0, `Parameters:\t${formatLabels(texts(storageClass.parameters))}\n`);
  description.write(0, `AllowVolumeExpansion:\t${titleFlagOr(storageClass.allowVolumeExpansion, "<unset>")}\n`);
  const options = list(storageClass.mountOptions);
  description.write(0, `MountOptions:${options.length === 0 ? "\t<none>" : ""}\n`);
  for (const option of options) description.write(1, `${text(option)}\n`);
  for (const [title, field] of [
    ["ReclaimPolicy", "reclaimPolicy"],
    ["VolumeBindingMode", "volumeBindingMode"],
  ] as const) {
    if (!absent(storageClass[field])) description.write(0, `${title}:\t${text(storageClass[field])}\n`);
  }
  describeTopologies(description, storageClass);
  describeEvents(description, events, context);
};

/** Where volumes of the class may be; nothing where the class does not say. */
function describeTopologies(description: DescriptionWriter, { allowedTopologies }: ReceivedObject<StorageClass>): void {
  if (absent(allowedTopologies)) return;
  const terms = objects(allowedTopologies);
  description.write(0, `AllowedTopologies:\t${terms.length === 0 ? "<none>" : ""}\n`);
  for (const [index, { matchLabelExpressions }] of terms.entries()) {
    const requirements = objects(matchLabelExpressions).map(({ key, values }) => ({
      key: text(key),
      operator: "in",
      values: list(values).map(text),
    }));
    describeTerm(description, 1, `Term ${index}`, requirements);
  }
}

export const describeVolumeAttributesClass: Describer = async (_namespace, name, description, context) => {
  const attributesClass = await context.reader.get("storage.k8s.io/v1/VolumeAttributesClass", "", name);
  const events = await eventsOf(attributesClass, "VolumeAttributesClass", context);
  describeName(description, attributesClass, false);
  description.write(0, `Annotations:\t${formatLabels(attributesClass.metadata?.annotations)}\n`);
  description.write(0, `DriverName:\t${text(attributesClass.driverName)}\n`);
  description.write(0, `Parameters:\t${formatLabels(texts(attributesClass.parameters))}\n`);
  describeEvents(description, events, context);
};
