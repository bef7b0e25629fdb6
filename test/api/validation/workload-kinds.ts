import { v36 } from "../../helpers/server-traits.js";
import { applyDefaults } from "../../helpers/apply-defaults.js";
import { formatFieldError } from "../../../src/machinery/errors/field-error.js";
import type { Fields } from "../../../src/machinery/meta/access.js";
import type { KubeObject } from "../../../src/machinery/meta/object.js";
import { builtinRecord } from "../../../src/server/builtin/index.js";
import type { Strategy, StrategyContext } from "../../../src/server/registry/strategy.js";

/** The fields of a row, put into an object that is right without them; what the server says of it. */
export type CreateRow = readonly [fields: Fields, errors: readonly string[], warnings?: readonly string[]];
/** The same of a change from one to another. */
export type ChangeRow = readonly [old: Fields, changed: Fields, errors: readonly string[]];

interface Kind {
  readonly group: string;
  readonly kind: string;
  readonly resource: string;
  readonly object: (fields: Fields) => KubeObject;
  /** A change is one of the status subresource. */
  readonly status?: boolean;
}

const metadata = { name: "x", namespace: "default" };
const labels = { app: "x" };
const container = { name: "c", image: "i" };
const template = { metadata: { labels }, spec: { containers: [container] } };
const jobTemplate = { spec: { containers: [container], restartPolicy: "Never" } };
const controllerUid = { "batch.kubernetes.io/controller-uid": "u1" };
const jobLabels = { ...controllerUid, "batch.kubernetes.io/job-name": "x", "controller-uid": "u1", "job-name": "x" };

const pod = (object: (fields: Fields) => KubeObject): Kind => ({ group: "", kind: "Pod", resource: "pods", object });

const podOf = (spec: Fields): KubeObject => ({ metadata, spec: { containers: [container], ...spec } });

const workload = (kind: string): Kind => ({
  group: "apps",
  kind,
  resource: `${kind.toLowerCase()}s`,
  object: (spec) => ({ metadata, spec: { selector: { matchLabels: labels }, template, ...spec } }),
});

const cronJob = (object: (fields: Fields) => Fields): Kind => ({
  group: "batch",
  kind: "CronJob",
  resource: "cronjobs",
  object: (fields) => ({
    metadata,
    spec: { schedule: "* * * * *", jobTemplate: { spec: { template: jobTemplate } }, ...object(fields) },
  }),
});

const job = (object: (fields: Fields) => Fields): Kind => ({
  group: "batch",
  kind: "Job",
  resource: "jobs",
  object: (fields) => ({ metadata: { ...metadata, uid: "u1" }, spec: object(fields) }),
});

const replicationController: Kind = {
  group: "",
  kind: "ReplicationController",
  resource: "replicationcontrollers",
  object: (spec) => ({ metadata, spec: { selector: labels, template, ...spec } }),
};

/** Rows of a status: the object is always the same. */
const statusOf = (kind: Kind, spec: Fields = {}): Kind => ({
  ...kind,
  status: true,
  object: (status) => ({ ...kind.object(spec), status }),
});

const VOLUMES = [
  { name: "d", emptyDir: {} },
  { name: "p", persistentVolumeClaim: { claimName: "c" } },
];
const CLAIMS = [{ name: "r", resourceClaimName: "rc" }];

const KINDS = {
  container: pod((fields) =>
    podOf({ volumes: VOLUMES, resourceClaims: CLAIMS, containers: [{ ...container, ...fields }] }),
  ),
  initContainer: pod((fields) =>
    podOf({ volumes: VOLUMES, resourceClaims: CLAIMS, initContainers: [{ name: "n", image: "i", ...fields }] }),
  ),
  volume: pod((fields) => podOf({ serviceAccountName: "sa", volumes: [{ name: "v", ...fields }] })),
  podSpec: pod(podOf),
  podUpdate: pod(podOf),
  podAnnotations: pod((annotations) => ({
    ...podOf({}),
    metadata: { ...metadata, annotations: annotations as Record<string, string> },
  })),
  podStatus: statusOf(pod(podOf)),
  podNeverStatus: statusOf(pod(podOf), { restartPolicy: "Never", initContainers: [{ name: "i", image: "i" }] }),
  deployment: workload("Deployment"),
  deploymentUpdate: workload("Deployment"),
  deploymentStatus: statusOf(workload("Deployment")),
  replicaSet: workload("ReplicaSet"),
  replicaSetUpdate: workload("ReplicaSet"),
  replicaSetStatus: statusOf(workload("ReplicaSet")),
  daemonSet: workload("DaemonSet"),
  daemonSetUpdate: workload("DaemonSet"),
  daemonSetStatus: statusOf(workload("DaemonSet")),
  statefulSet: workload("StatefulSet"),
  statefulSetUpdate: workload("StatefulSet"),
  statefulSetStatus: statusOf(workload("StatefulSet")),
  replicationController,
  replicationControllerStatus: statusOf(replicationController),
  podTemplate: {
    group: "",
    kind: "PodTemplate",
    resource: "podtemplates",
    object: (fields: Fields) => ({ metadata, template: fields }),
  },
  job: job((spec) => ({ template: jobTemplate, ...spec })),
  jobUpdate: job((spec) => ({
    ...spec,
    selector: { matchLabels: controllerUid },
    template: { ...jobTemplate, ...(spec.template as Fields | undefined), metadata: { labels: jobLabels } },
  })),
  /** Of the status it has and, under "pod", what its pods are beyond their container. */
  suspendedJobUpdate: {
    ...job(() => ({})),
    object: ({ pod: pod_, spec, ...status }: Fields) => ({
      metadata: { ...metadata, uid: "u1" },
      spec: {
        suspend: true,
        ...(spec as Fields | undefined),
        selector: { matchLabels: controllerUid },
        template: { spec: { ...jobTemplate.spec, ...(pod_ as Fields | undefined) }, metadata: { labels: jobLabels } },
      },
      status,
    }),
  },
  /** Of a status and, under "spec", what the job says beyond its template. */
  jobStatus: {
    ...job(() => ({})),
    status: true,
    object: ({ spec, ...status }: Fields) => ({
      metadata: { ...metadata, uid: "u1" },
      spec: { template: jobTemplate, completionMode: "NonIndexed", ...(spec as Fields | undefined) },
      status,
    }),
  },
  cronJob: cronJob((spec) => spec),
  cronJobUpdate: cronJob((spec) => spec),
  cronJobTemplate: cronJob((spec) => ({ jobTemplate: { spec: { template: jobTemplate, ...spec } } })),
} satisfies Record<string, Kind>;

type KindName = keyof typeof KINDS;

/** Validation looks at no other object. */
const contextOf = (warnings: string[]): StrategyContext =>
  ({ ...v36, now: 0, warn: (message) => warnings.push(message) }) as Partial<StrategyContext> as StrategyContext;

/** What the server says of a new object. */
export function create(name: KindName, fields: Fields): { errors: string[]; warnings: readonly string[] } {
  const { kind, strategy } = lookUp(name);
  const draft = defaulted(kind, fields);
  const warnings: string[] = [];
  const context = contextOf(warnings);
  strategy.prepareForCreate?.(draft, context);
  const errors = (strategy.validate?.(draft, context) ?? []).map(formatFieldError);
  return { errors, warnings: [...warnings, ...(strategy.warningsOnCreate?.(draft, context) ?? [])] };
}

/** What it says of a change. */
export function change(name: KindName, old: Fields, changed: Fields): string[] {
  const { kind, strategy } = lookUp(name);
  const validate = kind.status === true ? strategy.validateStatusUpdate : strategy.validateUpdate;
  if (validate === undefined) throw new Error(`${kind.resource} has no rule for this change`);
  const [now, before] = [defaulted(kind, changed), defaulted(kind, old)];
  return validate.call(strategy, now, before, contextOf([])).map(formatFieldError);
}

function lookUp(name: KindName): { kind: Kind; strategy: Strategy } {
  const kind: Kind = KINDS[name];
  const strategy = builtinRecord(kind.group, kind.resource)?.strategy;
  if (strategy === undefined) throw new Error(`no strategy for ${kind.resource}`);
  return { kind, strategy };
}

function defaulted({ group, kind, object }: Kind, fields: Fields): KubeObject {
  return applyDefaults({ group, version: "v1", kind }, structuredClone(object(fields)));
}

/** What is said of a place, said of another one. */
export const moved = (texts: readonly string[], from: string, to: string): readonly string[] =>
  texts.map((text) => (text.startsWith(from) ? to + text.slice(from.length).replaceAll(` ${from}.`, ` ${to}.`) : text));

/** A row's fields as its name, cut where they get long. */
export function rowName(...fields: readonly Fields[]): string {
  const text = fields.map((one) => JSON.stringify(one)).join(" -> ");
  return text.length > 150 ? `${text.slice(0, 150)}...` : text;
}
