import { humanDuration } from "../../../machinery/duration/human-duration.js";
import { parseGroupVersion } from "../../../machinery/meta/gvk.js";
import { list, number, object, type ReadonlyFields, text } from "../../../machinery/meta/access.js";
import type { KubeObject } from "../../../machinery/meta/object.js";
import { age, conditionStatus, containerCells, labelsCell, name, selectorCell, since } from "./cells.js";
import { columns, WIDE_TEMPLATE } from "./columns.js";

const REPLICAS = ["Name", "Desired:integer", "Current:integer", "Ready:integer", "Age", ...WIDE_TEMPLATE];

export const podTemplateColumns = columns(["Name", "Containers", "Images", "Pod Labels"], (object_) => {
  const template = object(object_.template);
  return [name(object_), ...containerCells(object(template.spec)), labelsCell(object(template.metadata).labels)];
});

export const replicationControllerColumns = columns(REPLICAS, (controller, now) => [
  ...replicaCells(controller, now),
  ...containerCells(podSpec(controller)),
  labelsCell(object(controller.spec).selector),
]);

export const replicaSetColumns = columns(REPLICAS, (set, now) => [
  ...replicaCells(set, now),
  ...containerCells(podSpec(set)),
  selectorCell(object(set.spec).selector),
]);

export const daemonSetColumns = columns(
  [
    "Name",
    "Desired:integer",
    "Current:integer",
    "Ready:integer",
    "Up-to-date:integer",
    "Available:integer",
    "Node Selector",
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
      labelsCell(podSpec(set).nodeSelector),
      age(set, now),
      ...containerCells(podSpec(set)),
      selectorCell(object(set.spec).selector),
    ];
  },
);

export const deploymentColumns = columns(
  ["Name", "Ready", "Up-to-date", "Available", "Age", ...WIDE_TEMPLATE],
  (deployment, now) => {
    const [spec, status] = [object(deployment.spec), object(deployment.status)];
    return [
      name(deployment),
      `${number(status.readyReplicas)}/${number(spec.replicas)}`,
      number(status.updatedReplicas),
      number(status.availableReplicas),
      age(deployment, now),
      ...containerCells(podSpec(deployment)),
      selectorCell(spec.selector),
    ];
  },
);

export const statefulSetColumns = columns(
  ["Name", "Ready", "Age", "Containers:string:1", "Images:string:1"],
  (set, now) => [
    name(set),
    `${number(object(set.status).readyReplicas)}/${number(object(set.spec).replicas)}`,
    age(set, now),
    ...containerCells(podSpec(set)),
  ],
);

export const jobColumns = columns(
  ["Name", "Status", "Completions", "Duration", "Age", ...WIDE_TEMPLATE],
  (job, now) => [
    name(job),
    jobStatus(job),
    jobCompletions(object(job.spec), object(job.status)),
    jobDuration(object(job.status), now),
    age(job, now),
    ...containerCells(podSpec(job)),
    selectorCell(object(job.spec).selector),
  ],
);

export const cronJobColumns = columns(
  ["Name", "Schedule", "Timezone", "Suspend:boolean", "Active:integer", "Last Schedule", "Age", ...WIDE_TEMPLATE],
  (cronJob, now) => {
    const [spec, status] = [object(cronJob.spec), object(cronJob.status)];
    const jobSpec = object(object(spec.jobTemplate).spec);
    return [
      name(cronJob),
      text(spec.schedule),
      spec.timeZone === undefined ? "<none>" : text(spec.timeZone),
      spec.suspend === undefined ? "<unset>" : spec.suspend === true ? "True" : "False",
      list(status.active).length,
      status.lastScheduleTime === undefined ? "<none>" : since(status.lastScheduleTime, now),
      age(cronJob, now),
      ...containerCells(object(object(jobSpec.template).spec)),
      selectorCell(jobSpec.selector),
    ];
  },
);

export const controllerRevisionColumns = columns(["Name", "Controller", "Revision", "Age"], (revision, now) => [
  name(revision),
  controllerCell(revision),
  number(revision.revision),
  age(revision, now),
]);

function podSpec(workload: KubeObject): ReadonlyFields {
  return object(object(object(workload.spec).template).spec);
}

function replicaCells(workload: KubeObject, now: number) {
  const status = object(workload.status);
  return [
    name(workload),
    number(object(workload.spec).replicas),
    number(status.replicas),
    number(status.readyReplicas),
    age(workload, now),
  ];
}

function jobStatus(job: KubeObject): string {
  const conditions = object(job.status).conditions;
  const holds = (type: string) => conditionStatus(conditions, type) === "True";
  if (holds("Complete")) return "Complete";
  if (holds("Failed")) return "Failed";
  if (job.metadata?.deletionTimestamp !== undefined) return "Terminating";
  const running = ["Suspended", "FailureTarget", "SuccessCriteriaMet"].find(holds);
  return running ?? "Running";
}

function jobCompletions(spec: ReadonlyFields, status: ReadonlyFields): string {
  const succeeded = number(status.succeeded);
  if (spec.completions !== undefined) return `${succeeded}/${number(spec.completions)}`;
  const parallelism = number(spec.parallelism);
  return parallelism > 1 ? `${succeeded}/1 of ${parallelism}` : `${succeeded}/1`;
}

function jobDuration(status: ReadonlyFields, now: number): string {
  if (typeof status.startTime !== "string") return "";
  const end = typeof status.completionTime === "string" ? Date.parse(status.completionTime) : now;
  return humanDuration(end - Date.parse(status.startTime));
}

function controllerCell(object_: KubeObject): string {
  const owner = object_.metadata?.ownerReferences?.find((reference) => reference.controller === true);
  if (owner === undefined) return "<none>";
  const { group } = parseGroupVersion(owner.apiVersion);
  return `${(group === "" ? owner.kind : `${owner.kind}.${group}`).toLowerCase()}/${owner.name}`;
}
