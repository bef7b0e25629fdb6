import type { JsonObject } from "../../../src/machinery/meta/json.js";
import type { KubeObject } from "../../../src/machinery/meta/object.js";

const LABELS = { app: "web" };

/** Its containers start after a while, and exit when they are a job's. */
function template(app: string, image: string, exits = false) {
  const stages = { "*": { startDelay: "1s", ...(exits && { exit: { after: "2s" } }) } };
  return {
    metadata: { labels: { app }, annotations: { "kubets.dev/stages": JSON.stringify(stages) } },
    spec: {
      terminationGracePeriodSeconds: 1,
      containers: [{ name: "c", image }],
      ...(exits && { restartPolicy: "Never" }),
    },
  };
}

/** What is there before the controllers can die. */
export const BEFORE: readonly KubeObject[] = [
  {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "web" },
    spec: {
      replicas: 3,
      selector: { matchLabels: LABELS },
      strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: 1, maxUnavailable: 1 } },
      template: template("web", "web:1"),
    },
  },
  {
    apiVersion: "apps/v1",
    kind: "StatefulSet",
    metadata: { name: "db" },
    spec: {
      replicas: 3,
      serviceName: "db",
      selector: { matchLabels: { app: "db" } },
      template: template("db", "db:1"),
    },
  },
];

/** A change of an object of {@link BEFORE}, as a merge patch. */
export interface Change {
  readonly kind: string;
  readonly name: string;
  readonly patch: JsonObject;
}

/** The rollout and the update in which they die. */
export const CHANGES: readonly Change[] = [
  { kind: "Deployment", name: "web", patch: { spec: { template: template("web", "web:2") } } },
  { kind: "StatefulSet", name: "db", patch: { spec: { template: template("db", "db:2") } } },
];

/** The job in which they die. */
export const JOB: KubeObject = {
  apiVersion: "batch/v1",
  kind: "Job",
  metadata: { name: "work" },
  spec: { completions: 6, parallelism: 3, template: template("work", "work:1", true) },
};
