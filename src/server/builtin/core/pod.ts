import { validatePod, validatePodUpdate } from "../../../api/validation/pod/pod.js";
import { validatePodStatusUpdate } from "../../../api/validation/pod/pod-status.js";
import { podStatusWarnings, podWarnings } from "../../../api/validation/pod/pod-warnings.js";
import { including } from "../../../machinery/apply/field-filter.js";
import { child, type Fields, list, number, object, objects, text } from "../../../machinery/meta/access.js";
import type { ResourceRecord } from "../../endpoints/resource-record.js";
import { timestamp } from "../../registry/metadata.js";
import { syncAppArmor } from "./pods/app-armor.js";
import { handlePodBinding } from "./pods/pod-binding.js";
import { podColumns } from "./pods/pod-columns.js";
import { handlePodEviction } from "./pods/pod-eviction.js";
import { handlePodLog } from "./pods/pod-log.js";
import { keepOfStatus } from "./pods/pod-status.js";
import { podAttach, podExec, podPortForward } from "./pods/pod-streams.js";
import { resize } from "./pods/pod-resize.js";
import { podProxy } from "./proxies.js";
import { ephemeralContainers } from "./pods/pod-subresources.js";
import { dropDisabledFields } from "./pods/disabled-fields.js";
import { mergeLabelKeys } from "./label-keys.js";
import { qosClass } from "../../../api/pods/qos-class.js";

const FIELDS = [
  "spec.nodeName",
  "spec.restartPolicy",
  "spec.schedulerName",
  "spec.serviceAccountName",
  "spec.hostNetwork",
  "status.phase",
  "status.podIP",
  "status.nominatedNodeName",
];

const FIELD_LABELS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(FIELDS.map((field) => [field, field])),
  "spec.host": "spec.nodeName",
  // May be named, and is never set.
  "status.podIPs": "status.podIPs",
};

export const podRecord: ResourceRecord = {
  group: "",
  resource: "pods",
  subresources: {
    attach: { connecter: podAttach },
    binding: { handlers: { create: (pods) => (request) => handlePodBinding(request, pods) } },
    ephemeralcontainers: { part: ephemeralContainers },
    eviction: {
      handlers: {
        create:
          (pods, { resource }) =>
          (request) =>
            handlePodEviction(request, pods, resource("policy/v1", "poddisruptionbudgets") ?? pods),
      },
    },
    exec: { connecter: podExec },
    log: {
      handlers: {
        get: (pods, server) => (request) => handlePodLog(request, pods, server),
      },
    },
    portforward: { connecter: podPortForward },
    proxy: { connecter: podProxy },
    resize: { part: resize },
  },
  strategy: {
    hasGeneration: true,
    prepareForCreate(draft, context) {
      dropDisabledFields(child(draft as Fields, "spec"));
      syncAppArmor(draft, context.warn);
      mergeLabelKeys(child(draft as Fields, "spec"), object(draft.metadata?.labels));
      const gated = list(object(draft.spec).schedulingGates).length > 0;
      draft.status = {
        phase: "Pending",
        qosClass: qosClass(object(draft.spec)),
        ...(gated && {
          conditions: [
            {
              type: "PodScheduled",
              status: "False",
              lastTransitionTime: timestamp(context.now),
              reason: "SchedulingGated",
              message: "Scheduling is blocked due to non-empty scheduling gates",
            },
          ],
        }),
      };
    },
    prepareForUpdate(draft, old) {
      dropDisabledFields(child(draft as Fields, "spec"), object(old.spec));
    },
    prepareForStatusUpdate: keepOfStatus,
    validate: validatePod,
    validateUpdate: validatePodUpdate,
    validateStatusUpdate: validatePodStatusUpdate,
    warningsOnCreate: podWarnings,
    warningsOnStatusUpdate: podStatusWarnings,
    gracePeriod(pod, requested) {
      const spec = object(pod.spec);
      const phase = object(pod.status).phase;
      if (text(spec.nodeName) === "" || phase === "Succeeded" || phase === "Failed") return 0;
      const period = requested ?? number(spec.terminationGracePeriodSeconds);
      return period < 0 ? 1 : period;
    },
    fieldLabels: () => FIELD_LABELS,
    fields(pod) {
      const [spec, status] = [object(pod.spec), object(pod.status)];
      return {
        "spec.nodeName": text(spec.nodeName),
        "spec.restartPolicy": text(spec.restartPolicy),
        "spec.schedulerName": text(spec.schedulerName),
        "spec.serviceAccountName": text(spec.serviceAccountName),
        "spec.hostNetwork": String(spec.hostNetwork === true),
        "status.phase": text(status.phase),
        "status.podIP": text(objects(status.podIPs)[0]?.ip) || text(status.podIP),
        "status.nominatedNodeName": text(status.nominatedNodeName),
      };
    },
    resetFields: {
      ephemeralcontainers: including("spec.ephemeralContainers"),
      resize: including(
        "spec.containers.*.resources",
        "spec.containers.*.resizePolicy",
        "spec.initContainers.*.resources",
        "spec.initContainers.*.resizePolicy",
      ),
    },
    columns: podColumns,
  },
};
