import type { GroupVersionKind } from "../../machinery/meta/gvk.js";
import type { Action, ParameterFacts } from "./parameters.js";
import type { ResourceFacts } from "../facts/resources.js";

export const META = "io.k8s.apimachinery.pkg.apis.meta.v1";

/** The HTTP methods in the order of kube-openapi's path items, which is alphabetical. */
export const METHODS = ["delete", "get", "head", "options", "patch", "post", "put"] as const;

export type Method = (typeof METHODS)[number];

/** One HTTP operation, before it takes the form of OpenAPI 2 or 3. */
export interface OperationFacts {
  readonly path: string;
  readonly method: Method;
  readonly operationId: string;
  readonly tag: string;
  readonly description: string;
  /** Of the path and of the query. */
  readonly parameters: readonly ParameterFacts[];
  readonly body?: BodyFacts;
  readonly consumes: readonly string[];
  readonly produces: readonly string[];
  /** Status codes of success. */
  readonly codes: readonly string[];
  /** Definition of the answer; "" for text. */
  readonly answer: string;
  /** Undefined for what reads no resource. */
  readonly resource?: { readonly action: Action; readonly kind: GroupVersionKind };
}

export interface BodyFacts {
  readonly definition: string;
  readonly required: boolean;
}

const JSON_TYPE = "application/json";
const YAML = "application/yaml";
const PROTOBUF = "application/vnd.kubernetes.protobuf";

/** The media types that operations read and write. */
export const mediaTypes = {
  any: ["*/*"],
  objects: [JSON_TYPE, YAML, PROTOBUF],
  watched: [JSON_TYPE, YAML, PROTOBUF, `${JSON_TYPE};stream=watch`, `${PROTOBUF};stream=watch`],
  log: ["text/plain", JSON_TYPE, YAML, PROTOBUF],
  customObjects: [JSON_TYPE, YAML],
  patches: [
    "application/json-patch+json",
    "application/merge-patch+json",
    "application/strategic-merge-patch+json",
    "application/apply-patch+yaml",
  ],
  customPatches: ["application/json-patch+json", "application/merge-patch+json", "application/apply-patch+yaml"],
  json: [JSON_TYPE],
} as const satisfies Readonly<Record<string, readonly string[]>>;

/** A path with its operations. A parameter that all of them have belongs to the path. */
export interface PathFacts {
  readonly path: string;
  readonly shared: readonly ParameterFacts[];
  readonly operations: readonly OperationFacts[];
}

/** Groups operations by path, sorted. Parameters that all operations of a path share move to the path; parameters are sorted by name. */
export function pathsOf(operations: readonly OperationFacts[]): readonly PathFacts[] {
  const byPath = new Map<string, OperationFacts[]>();
  for (const one of operations) {
    const own = byPath.get(one.path);
    if (own === undefined) byPath.set(one.path, [one]);
    else own.push(one);
  }
  return [...byPath]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([path, own]) => {
      const shared = (own[0]?.parameters ?? []).filter((one) => own.every(({ parameters }) => has(parameters, one)));
      return {
        path,
        shared: sorted(shared),
        operations: own
          .map((one) => ({ ...one, parameters: sorted(one.parameters.filter((two) => !has(shared, two))) }))
          .toSorted((a, b) => METHODS.indexOf(a.method) - METHODS.indexOf(b.method)),
      };
    });
}

const has = (parameters: readonly ParameterFacts[], wanted: ParameterFacts): boolean =>
  parameters.some((one) => one.name === wanted.name && one.in === wanted.in);

const sorted = (parameters: readonly ParameterFacts[]): readonly ParameterFacts[] =>
  parameters.toSorted((a, b) => (a.name === b.name ? (a.in < b.in ? -1 : 1) : a.name < b.name ? -1 : 1));

/** Makes the function that names operations by their verb: "read" -> "readAppsV1NamespacedDeployment". */
export function namesOf(resource: ResourceFacts): (verb: string, middle?: string) => string {
  const scope = resource.namespaced ? "Namespaced" : "";
  return (verb, middle = "") => `${verb}${versionName(resource)}${middle}${scope}${resource.kind}`;
}

/** The name of a group version in the names of operations: "RbacAuthorizationV1". */
export const versionName = ({ group, version }: { readonly group: string; readonly version: string }): string =>
  `${groupName(group)}${camel(version)}`;

/** The name of a group in the names of operations: "rbac.authorization.k8s.io" -> "RbacAuthorization". */
export function groupName(group: string): string {
  if (group === "") return "Core";
  return group
    .replace(/\.k8s\.io$/, "")
    .split(".")
    .map(camel)
    .join("");
}

/** The tag of a group version in OpenAPI: "rbacAuthorization_v1"; for a group alone, "rbacAuthorization". */
export function tagOf(group: string, version?: string): string {
  const name = groupName(group).replace(/^./, (first) => first.toLowerCase());
  return version === undefined ? name : `${name}_${version}`;
}

export const camel = (word: string): string => word.replace(/^./, (first) => first.toUpperCase());
