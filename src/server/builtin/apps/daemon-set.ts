import { validateDaemonSetStatus } from "../../../api/validation/apps/workload-status.js";
import { validateDaemonSet, validateDaemonSetUpdate } from "../../../api/validation/apps/workloads.js";
import { number, object } from "../../../machinery/meta/access.js";
import type { ResourceRecord } from "../../endpoints/resource-record.js";
import { dropping, onChange, templateWarnings } from "../core/pods/templated-pods.js";
import { age, containerCells, labelsCell, name, selectorCell } from "../tables/cells.js";
import { columns, WIDE_TEMPLATE } from "../tables/columns.js";
import { templateSpec } from "../tables/workload-cells.js";
import { countTemplateGeneration, keepTemplateGeneration, startTemplateGeneration } from "./template-generation.js";

export const daemonSetRecord: ResourceRecord = {
  group: "apps",
  resource: "daemonsets",
  strategy: {
    hasGeneration: true,
    prepareForCreate(draft, context) {
      dropping.prepareForCreate?.(draft, context);
      startTemplateGeneration(draft);
    },
    prepareForUpdate(draft, old, context) {
      dropping.prepareForUpdate?.(draft, old, context);
      countTemplateGeneration(draft, old);
    },
    prepareForStatusUpdate: keepTemplateGeneration,
    validate: validateDaemonSet,
    validateUpdate: validateDaemonSetUpdate,
    validateStatusUpdate: validateDaemonSetStatus,
    warningsOnCreate: templateWarnings,
    warningsOnUpdate: onChange(templateWarnings),
    columns: columns(
      [
        "Name",
        ["Desired:integer", "How many nodes should run its pod."],
        ["Current:integer", "How many of those nodes run it."],
        ["Ready:integer", "How many nodes have a ready pod of it."],
        ["Up-to-date:integer", "How many nodes have a pod of the present template."],
        ["Available:integer", "How many nodes have a pod that has been ready for long enough."],
        ["Node Selector", "The labels of the nodes that its pods may run on."],
        "Age",
        ...WIDE_TEMPLATE,
      ],
      (set, now) => {
        const status = object(set.status);
        return [
          name(set),
          number(status.desiredNumberScheduled),
          number(status.currentNumberScheduled),
          number(status.numberReady),
          number(status.updatedNumberScheduled),
          number(status.numberAvailable),
          labelsCell(templateSpec(set).nodeSelector),
          age(set, now),
          ...containerCells(templateSpec(set)),
          selectorCell(object(set.spec).selector),
        ];
      },
    ),
  },
};
