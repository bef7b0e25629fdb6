import { releaseOf, type ResourceFacts } from "../../src/api/facts/index.js";
import type { StructSchema } from "../../src/machinery/schema/schema.js";

// What a server is by default.
const release = await releaseOf();

/** Where everything hostile is sent; it is emptied before memory is measured. */
export const NAMESPACE = "hostile";

/** A served resource, as one can aim at it. */
export interface Target {
  readonly facts: ResourceFacts;
  readonly schema: StructSchema;
  /** Its objects in the namespace, or all where it has none. */
  readonly collection: string;
  /** Its objects wherever they are. */
  readonly everywhere: string;
}

/** Every resource whose objects are stored. */
export function storedTargets(): readonly Target[] {
  return release.servedResources().flatMap((facts) => {
    const schema = release.definitions.schemaFor(facts);
    if (schema === undefined || !facts.verbs.includes("update")) return [];
    const root = facts.group === "" ? `/api/${facts.version}` : `/apis/${facts.groupVersion}`;
    const everywhere = `${root}/${facts.name}`;
    const collection = facts.namespaced ? `${root}/namespaces/${NAMESPACE}/${facts.name}` : everywhere;
    return [{ facts, schema, collection, everywhere }];
  });
}

const CORE = `/api/v1/namespaces/${NAMESPACE}`;
const APPS = `/apis/apps/v1/namespaces/${NAMESPACE}`;

export const MAPS = `${CORE}/configmaps`;
export const PODS = `${CORE}/pods`;
export const SERVICES = `${CORE}/services`;
export const LIMITS = `${CORE}/limitranges`;
export const ACCOUNTS = `${CORE}/serviceaccounts`;
export const DEPLOYMENTS = `${APPS}/deployments`;
export const CRON_JOBS = `/apis/batch/v1/namespaces/${NAMESPACE}/cronjobs`;
export const POLICIES = `/apis/networking.k8s.io/v1/namespaces/${NAMESPACE}/networkpolicies`;
export const CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

/** Objects that are there when the run begins, by collection; nobody deletes them. */
export const STANDING: readonly (readonly [collection: string, object: object])[] = [
  [MAPS, { metadata: { name: "standing", labels: { app: "web" } }, data: { a: "1", b: "2" } }],
  [PODS, podNamed("standing")],
  [ACCOUNTS, { metadata: { name: "standing" } }],
  [DEPLOYMENTS, deploymentNamed("standing")],
];

export function podNamed(name: string): object {
  return {
    metadata: { name, labels: { app: "web" } },
    spec: {
      containers: [{ name: "main", image: "web:1", ports: [{ containerPort: 80 }], env: [{ name: "A", value: "1" }] }],
    },
  };
}

export function deploymentNamed(name: string): object {
  return {
    metadata: { name, labels: { app: "web" } },
    spec: {
      replicas: 1,
      selector: { matchLabels: { app: "web" } },
      template: { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "main", image: "web:1" }] } },
    },
  };
}
