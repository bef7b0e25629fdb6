import * as v1 from "../../defaults/workloads.js";
import { defaultPersistentVolumeClaim } from "../../defaults/workloads.js";
import { scaleWithSelectorMap } from "../autoscaling/scale.js";
import type { VersionTable } from "../version-table.js";
import {
  replicaSet,
  statefulSet,
  statefulSetV1beta1,
  defaultToTemplateLabels,
  convertWorkload,
  DAEMON_SET,
  DEPLOYMENT,
} from "./workload.js";
import {
  child,
  children,
  ensureChild,
  type Fields,
  setDefault,
  text,
  absent,
  number,
  object,
} from "../../../machinery/meta/access.js";
import { defaultTemplate } from "../../defaults/pod.js";
import { parseInt64 } from "../../../base/numbers/int64.js";
import type { KubeObject } from "../../../machinery/meta/object.js";
import type { Conversion } from "../../../machinery/scheme/scheme.js";
import { withAnnotations, withoutAnnotations } from "../copies.js";

/** Versions without `spec.templateGeneration` carry it here, always: where nothing says it, it is 0. */
const TEMPLATE_GENERATION = "deprecated.daemonset.template.generation";

/** Converts DaemonSets of extensions/v1beta1, which have `spec.templateGeneration`, to apps/v1. */
export const daemonSetWithGeneration: Conversion = {
  toHub(set) {
    const { templateGeneration, ...spec } = object(set.spec);
    const converted = convertWorkload(absent(set.spec) ? set : { ...set, spec }, DAEMON_SET);
    return withAnnotations(converted, { [TEMPLATE_GENERATION]: String(integer(templateGeneration)) });
  },
  fromHub(set) {
    const templateGeneration = annotatedGeneration(set);
    const converted = withoutAnnotations(convertWorkload(set, DAEMON_SET), [TEMPLATE_GENERATION]);
    if (templateGeneration === 0) return converted;
    return { ...converted, spec: { ...object(converted.spec), templateGeneration } };
  },
};

/** Between apps/v1beta2 and apps/v1, which both have the annotation. */
const daemonSetWithAnnotation: Conversion = { toHub: withGeneration, fromHub: withGeneration };

function withGeneration(set: KubeObject): KubeObject {
  return withAnnotations(convertWorkload(set, DAEMON_SET), { [TEMPLATE_GENERATION]: String(annotatedGeneration(set)) });
}

/** Throws where it is no number, the empty text too. */
function annotatedGeneration(set: KubeObject): number | bigint {
  return parseInt64(set.metadata?.annotations?.[TEMPLATE_GENERATION] ?? "0");
}

/** As it is: a bigint is one that a number cannot hold. */
function integer(value: unknown): number | bigint {
  return typeof value === "bigint" ? value : number(value);
}

/** Versions without `spec.rollbackTo` carry its revision here; it is all the field holds. */
const ROLLBACK_TO = "deprecated.deployment.rollback.to";

/**
 * Converts Deployments of extensions/v1beta1 and apps/v1beta1, which have `spec.rollbackTo`, to apps/v1. An annotation of that
 * name is not a rollback.
 */
export const deploymentWithRollback: Conversion = {
  toHub(deployment) {
    const { rollbackTo, ...spec } = object(deployment.spec);
    if (absent(rollbackTo)) return annotated(convertWorkload(deployment, DEPLOYMENT), undefined);
    return annotated(convertWorkload({ ...deployment, spec }, DEPLOYMENT), revisionIn(rollbackTo));
  },
  fromHub(deployment) {
    const revision = annotatedRevision(deployment);
    const converted = convertWorkload(deployment, DEPLOYMENT);
    if (revision === undefined) return converted;
    const rollbackTo = revision === 0 ? {} : { revision };
    return withoutAnnotations({ ...converted, spec: { ...object(converted.spec), rollbackTo } }, [ROLLBACK_TO]);
  },
};

/** Between apps/v1beta2 and apps/v1, which both have the annotation: a number is written the shortest way, an empty text dropped. */
const deploymentWithAnnotation: Conversion = { toHub: withRollback, fromHub: withRollback };

function withRollback(deployment: KubeObject): KubeObject {
  return annotated(convertWorkload(deployment, DEPLOYMENT), annotatedRevision(deployment));
}

function annotated(deployment: KubeObject, revision: number | bigint | undefined): KubeObject {
  if (revision === undefined) return withoutAnnotations(deployment, [ROLLBACK_TO]);
  return withAnnotations(deployment, { [ROLLBACK_TO]: String(revision) });
}

function revisionIn(rollbackTo: unknown): number | bigint {
  const { revision } = object(rollbackTo);
  return typeof revision === "number" || typeof revision === "bigint" ? revision : 0;
}

/** Undefined where there is none; throws where it is no number. */
function annotatedRevision(deployment: KubeObject): number | bigint | undefined {
  const stated = text(deployment.metadata?.annotations?.[ROLLBACK_TO]);
  if (stated === "") return undefined;
  try {
    return parseInt64(stated);
  } catch (error) {
    throw new Error(`failed to parse annotation[${ROLLBACK_TO}]=${stated} as int64: ${(error as Error).message}`, {
      cause: error,
    });
  }
}

/** Converts apps/v1beta1 and apps/v1beta2; the defaults of the latter are those of apps/v1. */
export const APPS: VersionTable = {
  "apps/v1beta1/Deployment": { conversion: deploymentWithRollback, applyDefaults: defaultDeployment },
  "apps/v1beta1/Scale": { hub: "autoscaling/v1/Scale", conversion: scaleWithSelectorMap },
  "apps/v1beta1/StatefulSet": { conversion: statefulSetV1beta1, applyDefaults: defaultStatefulSet },
  "apps/v1beta2/DaemonSet": { conversion: daemonSetWithAnnotation, applyDefaults: v1.defaultDaemonSet },
  "apps/v1beta2/Deployment": { conversion: deploymentWithAnnotation, applyDefaults: v1.defaultDeployment },
  "apps/v1beta2/ReplicaSet": { conversion: replicaSet, applyDefaults: v1.defaultReplicaSet },
  "apps/v1beta2/Scale": { hub: "autoscaling/v1/Scale", conversion: scaleWithSelectorMap },
  "apps/v1beta2/StatefulSet": { conversion: statefulSet, applyDefaults: v1.defaultStatefulSet },
};

/** Source of all here: kubernetes pkg/apis/apps/v1beta1/defaults.go. */
function defaultDeployment(deployment: Fields): void {
  defaultToTemplateLabels(deployment);
  const spec = ensureChild(deployment, "spec");
  setDefault(spec, "replicas", 1);
  const strategy = ensureChild(spec, "strategy");
  if (text(strategy.type) === "") strategy.type = "RollingUpdate";
  if (strategy.type === "RollingUpdate") {
    const rolling = ensureChild(strategy, "rollingUpdate");
    setDefault(rolling, "maxUnavailable", "25%");
    setDefault(rolling, "maxSurge", "25%");
  }
  setDefault(spec, "revisionHistoryLimit", 2);
  setDefault(spec, "progressDeadlineSeconds", 600);
  defaultTemplate(child(spec, "template"));
}

/** Pods are replaced only when they are deleted, unless it says otherwise. */
function defaultStatefulSet(set: Fields): void {
  defaultToTemplateLabels(set);
  const spec = ensureChild(set, "spec");
  if (text(spec.podManagementPolicy) === "") spec.podManagementPolicy = "OrderedReady";
  const strategy = ensureChild(spec, "updateStrategy");
  if (text(strategy.type) === "") strategy.type = "OnDelete";
  const rolling = strategy.type === "RollingUpdate" ? child(strategy, "rollingUpdate") : undefined;
  if (rolling !== undefined) setDefault(rolling, "partition", 0);
  const retention = ensureChild(spec, "persistentVolumeClaimRetentionPolicy");
  if (text(retention.whenDeleted) === "") retention.whenDeleted = "Retain";
  if (text(retention.whenScaled) === "") retention.whenScaled = "Retain";
  setDefault(spec, "replicas", 1);
  setDefault(spec, "revisionHistoryLimit", 10);
  for (const claim of children(spec, "volumeClaimTemplates")) defaultPersistentVolumeClaim(claim);
  defaultTemplate(child(spec, "template"));
}
