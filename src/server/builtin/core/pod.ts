import { qosClass } from "../../../api/pods/qos-class.js";
import type { PodStatus, Pod, AppArmorProfile } from "../../../api/types/core/v1.js";
import { validatePodStatusUpdate } from "../../../api/validation/pod/pod-status.js";
import { podStatusWarnings, podWarnings } from "../../../api/validation/pod/pod-warnings.js";
import { validatePod } from "../../../api/validation/pod/pod.js";
import { validatePodUpdate } from "../../../api/validation/pod/pod-update.js";
import { including } from "../../../machinery/apply/field-filter.js";
import {
  child,
  list,
  number,
  object,
  objects,
  text,
  absent,
  ensureChild,
  type Received,
  type ReceivedObject,
  children,
  type DraftObject,
} from "../../../machinery/meta/received.js";
import type { RecordOf } from "../../endpoints/resource-record.js";
import { timestamp } from "../../registry/metadata.js";
import type { StrategyContext } from "../../registry/strategy.js";
import { mergeLabelKeys } from "./label-keys.js";
import { handlePodBinding } from "./pods/pod-binding.js";
import { podColumns } from "./pods/pod-columns.js";
import { handlePodEviction } from "./pods/pod-eviction.js";
import { handlePodLog } from "./pods/pod-log.js";
import { resize } from "./pods/pod-resize.js";
import { podAttach, podExec, podPortForward } from "./pods/pod-streams.js";
import { ephemeralContainers } from "./pods/pod-subresources.js";
import { podProxy } from "./proxies.js";
import { eachContainer } from "../../../api/validation/pod/each-container.js";
import { APP_ARMOR } from "../../../api/validation/pod/pod-annotations.js";
import { validateAppArmorProfile } from "../../../api/validation/pod/security-context.js";
import { sameValue } from "../../../api/validation/rules.js";
import type { FieldError } from "../../../machinery/errors/field-error.js";

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

export const podRecord: RecordOf<Pod> = {
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
      syncAppArmor(draft, context.warn);
      mergeLabelKeys(child(draft, "spec"), object(draft.metadata?.labels));
      const gated = list(object(draft.spec).schedulingGates).length > 0;
      draft.status = {
        phase: "Pending",
        qosClass: qosClass(object(draft.spec), context.release),
        ...(gated &&
          ({
            conditions: [
              {
                type: "PodScheduled",
                status: "False",
                lastTransitionTime: timestamp(context.now),
                reason: "SchedulingGated",
                message: "Scheduling is blocked due to non-empty scheduling gates",
              },
            ],
          } satisfies Received<PodStatus>)),
      };
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

/**
 * Writes what a new pod's annotations say of AppArmor, from before there was a field for it, into the containers' security
 * contexts; a field that is set goes before its annotation. `warn` hears of annotations that the fields did not repeat.
 * The annotations stay, and nothing is written into them.
 */
function syncAppArmor(pod: ReceivedObject<Pod>, warn: (message: string) => void): void {
  const annotations = object(pod.metadata?.annotations);
  const spec = ensureChild(pod, "spec");
  if (!Object.keys(annotations).some((key) => key.startsWith(APP_ARMOR)) || object(spec.os).name === "windows") return;
  const ofPod = object(spec.securityContext).appArmorProfile;
  for (const [container] of eachContainer(spec, "spec")) {
    const key = `${APP_ARMOR}${text(container.name)}`;
    const annotation = annotations[key];
    if (absent(annotation) || !absent(object(container.securityContext).appArmorProfile)) continue;
    const profile = profileOf(text(annotation));
    const needed = profile !== undefined && !sameValue(profile, ofPod);
    if (needed) ensureChild(container, "securityContext").appArmorProfile = profile;
    if (needed || profile === undefined) {
      warn(`metadata.annotations[${key}]: deprecated since v1.30; use the "appArmorProfile" field instead`);
    }
  }
}

const LOCALHOST = "localhost/";

/** The field for an annotation; undefined where it says nothing that a field may say. */
function profileOf(annotation: string): AppArmorProfile | undefined {
  if (annotation === "unconfined") return { type: "Unconfined" };
  if (annotation === "runtime/default") return { type: "RuntimeDefault" };
  if (!annotation.startsWith(LOCALHOST) || annotation === LOCALHOST) return undefined;
  const profile: AppArmorProfile = { type: "Localhost", localhostProfile: annotation.slice(LOCALHOST.length) };
  const errors: FieldError[] = [];
  validateAppArmorProfile(profile, "", errors);
  return errors.length === 0 ? profile : undefined;
}

/**
 * What a write of a pod's status does not touch: whether the pod is being deleted, its class; and generations that were seen, which
 * older kubelets leave out.
 */
function keepOfStatus(draft: DraftObject<Pod>, old: ReceivedObject<Pod>, { release }: StrategyContext): void {
  const metadata = (draft.metadata ??= {});
  delete metadata.deletionTimestamp;
  const status = ensureChild(draft, "status");
  const before = object(old.status);
  if (text(status.qosClass) === "" && before.qosClass !== undefined) status.qosClass = before.qosClass;
  if (number(status.observedGeneration) === 0 && before.observedGeneration !== undefined) {
    status.observedGeneration = before.observedGeneration;
  }
  // K37-116
  if (release.atLeast("1.37")) keepClaimsOfStatus(status, before);
  // There may be several conditions of a type: the first goes with the first.
  const left = [...objects(before.conditions)];
  for (const condition of children(status, "conditions")) {
    const at = left.findIndex(({ type }) => type === condition.type);
    const [was] = at < 0 ? [] : left.splice(at, 1);
    if (number(condition.observedGeneration) === 0 && was?.observedGeneration !== undefined) {
      condition.observedGeneration = was.observedGeneration;
    }
  }
}

/** K37-116: what writers of a status do not know stays. Nothing takes these fields back once they are there. */
function keepClaimsOfStatus(status: ClaimsOfStatus, before: ClaimsOfStatus): void {
  for (const field of CLAIMS_OF_STATUS) {
    const [held, was] = [status[field], before[field]];
    const isLeftOut = held === undefined || held === null || (Array.isArray(held) && held.length === 0);
    if (isLeftOut && was !== undefined) Object.assign(status, { [field]: was });
  }
}

const CLAIMS_OF_STATUS = [
  "resourceClaimStatuses",
  "extendedResourceClaimStatus",
  "nodeAllocatableResourceClaimStatuses",
] as const;

type ClaimsOfStatus = Readonly<Partial<Record<(typeof CLAIMS_OF_STATUS)[number], unknown>>>;
