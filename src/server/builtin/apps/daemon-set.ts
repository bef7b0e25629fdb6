import type { DaemonSet } from "../../../api/types/apps/v1.js";
import { validateDaemonSetStatus } from "../../../api/validation/apps/workload-status.js";
import { validateDaemonSet, validateDaemonSetUpdate } from "../../../api/validation/apps/workloads.js";
import { number, object, type DraftObject, type ReceivedObject } from "../../../machinery/meta/received.js";
import type { RecordOf } from "../../endpoints/resource-record.js";
import { onChange, templateWarnings } from "../core/pods/templated-pods.js";
import { age, containerCells, labelsCell, name, selectorCell } from "../tables/cells.js";
import { columns, WIDE_TEMPLATE, templateSpec } from "../tables/columns.js";
import { sameValue } from "../../../api/validation/rules.js";

export const daemonSetRecord: RecordOf<DaemonSet> = {
  group: "apps",
  resource: "daemonsets",
  strategy: {
    hasGeneration: true,
    prepareForCreate: startTemplateGeneration,
    prepareForUpdate: countTemplateGeneration,
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

/** Where apps/v1 shows what extensions/v1beta1 had a field for: how often a daemon set's template was changed. */
const ANNOTATION = "deprecated.daemonset.template.generation";

const generationOf = ({ metadata }: ReceivedObject<DaemonSet>): number => {
  const written = metadata?.annotations?.[ANNOTATION] ?? "";
  return /^[+-]?[0-9]+$/.test(written) ? Number(written) : 0;
};

function show(draft: DraftObject<DaemonSet>, generation: number): void {
  const metadata = (draft.metadata ??= {});
  metadata.annotations = { ...metadata.annotations, [ANNOTATION]: String(generation) };
}

function startTemplateGeneration(draft: DraftObject<DaemonSet>): void {
  show(draft, Math.max(1, generationOf(draft)));
}

/** It counts by itself: no client changes it. */
function countTemplateGeneration(draft: DraftObject<DaemonSet>, old: ReceivedObject<DaemonSet>): void {
  const [template, before] = [draft, old].map(({ spec }) => object(spec).template);
  show(draft, generationOf(old) + (sameValue(template, before) ? 0 : 1));
}

function keepTemplateGeneration(draft: DraftObject<DaemonSet>, old: ReceivedObject<DaemonSet>): void {
  show(draft, generationOf(old));
}
