import { validatePod, validatePodUpdate } from "../../../api/validation/pod.js";
import { validatePodStatusUpdate } from "../../../api/validation/pod-status.js";
import { podStatusWarnings, podWarnings } from "../../../api/validation/pod-warnings.js";
import { forbidden } from "../../../machinery/errors/status-error.js";
import {
  absent,
  child,
  children,
  ensureChild,
  type Fields,
  list,
  number,
  object,
  objects,
  text,
} from "../../../machinery/meta/access.js";
import type { KubeObject } from "../../../machinery/meta/object.js";
import { timestamp } from "../../registry/metadata.js";
import type { Strategy, StrategyContext } from "../../registry/strategy.js";
import { syncAppArmor } from "./app-armor.js";
import { keepOfStatus } from "./pod-status.js";
import { resize } from "./pod-resize.js";
import { ephemeralContainers } from "./pod-subresources.js";
import { dropDisabledFields } from "./disabled-fields.js";
import { mergeLabelKeys } from "./label-keys.js";
import { qosClass } from "../../../api/pods/qos-class.js";
import { mountServiceAccountToken } from "./service-account-token.js";

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

export const podStrategy: Strategy = {
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
  prepareForUpdate: (draft, old) => dropDisabledFields(child(draft as Fields, "spec"), object(old.spec)),
  prepareForStatusUpdate: keepOfStatus,
  allocate: admitPod,
  validate: validatePod,
  validateUpdate: validatePodUpdate,
  validateStatusUpdate: validatePodStatusUpdate,
  warningsOnCreate: podWarnings,
  warningsOnStatusUpdate: podStatusWarnings,
  subresources: { ephemeralcontainers: ephemeralContainers, resize },
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
};

/** What kube-apiserver's default admission plugins add to a new pod: service account, priority, tolerations. */
async function admitPod(draft: KubeObject, old: KubeObject | undefined, context: StrategyContext): Promise<void> {
  if (old !== undefined) return;
  const spec = ensureChild(draft, "spec");
  await admitServiceAccount(draft, context);
  await admitPriority(draft, context);
  const tolerations = children(spec, "tolerations");
  for (const key of ["node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"]) {
    const tolerated = tolerations.some(
      (toleration) =>
        (toleration.key === key || text(toleration.key) === "") &&
        (toleration.effect === "NoExecute" || text(toleration.effect) === ""),
    );
    if (!tolerated) tolerations.push({ key, operator: "Exists", effect: "NoExecute", tolerationSeconds: 300 });
  }
  spec.tolerations = tolerations;
}

async function admitServiceAccount(draft: KubeObject, context: StrategyContext): Promise<void> {
  const spec = ensureChild(draft, "spec");
  if (draft.metadata?.annotations?.["kubernetes.io/config.mirror"] !== undefined) return;
  const name = text(spec.serviceAccountName) || "default";
  spec.serviceAccountName = name;
  spec.serviceAccount = name;
  const namespace = draft.metadata?.namespace ?? "";
  const account = await context.objects.get("", "serviceaccounts", namespace, name);
  if (account === undefined) {
    const message = `error looking up service account ${namespace}/${name}: serviceaccount "${name}" not found`;
    throw forbidden({ group: "", resource: "pods" }, draft.metadata?.name ?? "", message);
  }
  if (absent(spec.imagePullSecrets) && list(account.imagePullSecrets).length > 0) {
    spec.imagePullSecrets = structuredClone(account.imagePullSecrets);
  }
  const automount = spec.automountServiceAccountToken ?? account.automountServiceAccountToken ?? true;
  if (automount === true) mountServiceAccountToken(spec, context.random);
}

async function admitPriority(draft: KubeObject, context: StrategyContext): Promise<void> {
  const spec = ensureChild(draft, "spec");
  const name = text(spec.priorityClassName);
  const classes = await context.objects.list("scheduling.k8s.io", "priorityclasses");
  const chosen =
    name === ""
      ? classes.find((candidate) => candidate.globalDefault === true)
      : classes.find((candidate) => candidate.metadata?.name === name);
  if (name !== "" && chosen === undefined) {
    const message = `no PriorityClass with name ${name} was found`;
    throw forbidden({ group: "", resource: "pods" }, draft.metadata?.name ?? "", message);
  }
  if (chosen !== undefined) spec.priorityClassName = chosen.metadata?.name;
  spec.priority = number(chosen?.value);
  spec.preemptionPolicy ??= text(chosen?.preemptionPolicy) || "PreemptLowerPriority";
}
