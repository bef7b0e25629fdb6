import { closureOf, definitionOfKind, facts, META, type ResourceLine } from "./facts-file.js";

/** What a resource of the facts should answer, worked out of its verbs. */
export interface Expected {
  readonly path: string;
  readonly method: string;
  readonly action: string;
  readonly kind: string;
  /** "query dryRun string", "path name string", sorted. */
  readonly parameters: readonly string[];
  readonly body?: string;
  /** Undefined for text. */
  readonly answer?: string;
}

const strings = (...names: string[]) => names.map((name) => `query ${name} string`);
const booleans = (...names: string[]) => names.map((name) => `query ${name} boolean`);
const integers = (...names: string[]) => names.map((name) => `query ${name} integer`);

const SELECTION = [
  ...strings("continue", "fieldSelector", "labelSelector", "resourceVersion", "resourceVersionMatch"),
  ...booleans("sendInitialEvents"),
  ...integers("limit", "timeoutSeconds"),
];
const WATCHING = booleans("allowWatchBookmarks", "watch");
const WRITING = strings("dryRun", "fieldManager", "fieldValidation");
const DELETION = [
  ...strings("dryRun", "propagationPolicy"),
  ...booleans("ignoreStoreReadErrorWithClusterBreakingPotential", "orphanDependents"),
  ...integers("gracePeriodSeconds"),
];
const PRETTY = strings("pretty");

const QUERY: Readonly<Record<string, readonly string[]>> = {
  list: [...SELECTION, ...WATCHING, ...PRETTY],
  watch: [...SELECTION, ...WATCHING, ...PRETTY],
  watchlist: [...SELECTION, ...WATCHING, ...PRETTY],
  get: PRETTY,
  post: [...WRITING, ...PRETTY],
  put: [...WRITING, ...PRETTY],
  patch: [...WRITING, ...booleans("force"), ...PRETTY],
  delete: [...DELETION, ...PRETTY],
  deletecollection: [...DELETION, ...SELECTION, ...PRETTY],
};
/** sinceTime is missing: kube-openapi makes no parameter of a time. */
const LOG = [
  ...strings("container", "stream"),
  ...booleans("follow", "insecureSkipTLSVerifyBackend", "previous", "timestamps"),
  ...integers("limitBytes", "sinceSeconds", "tailLines"),
];
/** Of connections, by the kind of their options. */
const CONNECTION: Readonly<Record<string, readonly string[]>> = {
  PodExecOptions: [...strings("command", "container"), ...booleans("stdin", "stdout", "stderr", "tty")],
  PodAttachOptions: [...strings("container"), ...booleans("stdin", "stdout", "stderr", "tty")],
  PodPortForwardOptions: integers("ports"),
  PodProxyOptions: strings("path"),
  ServiceProxyOptions: strings("path"),
  NodeProxyOptions: strings("path"),
};
const METHOD: Readonly<Record<string, string>> = {
  list: "get",
  get: "get",
  watch: "get",
  watchlist: "get",
  deletecollection: "delete",
};
/** Resources whose deletion answers the deleted object; all others answer a Status. */
const ANSWERS_OBJECT = new Set([
  "v1 persistentvolumeclaims",
  "v1 persistentvolumes",
  "v1 pods",
  "v1 podtemplates",
  "v1 resourcequotas",
  "v1 serviceaccounts",
  "v1 services",
  "resource.k8s.io/v1 deviceclasses",
  "resource.k8s.io/v1 devicetaintrules",
  "resource.k8s.io/v1 resourceclaims",
  "resource.k8s.io/v1 resourceclaimtemplates",
  "resource.k8s.io/v1 resourceslices",
  "storage.k8s.io/v1 csidrivers",
  "storage.k8s.io/v1 csinodes",
  "storage.k8s.io/v1 storageclasses",
  "storage.k8s.io/v1 volumeattachments",
  "storage.k8s.io/v1 volumeattributesclasses",
]);

const rootOf = (groupVersion: string): string => `/${groupVersion.includes("/") ? "apis" : "api"}/${groupVersion}`;
const kindOf = (groupVersion: string, kind: string): string =>
  `${groupVersion.includes("/") ? "" : "/"}${groupVersion}/${kind}`;

export function operationsOf(resource: ResourceLine): readonly Expected[] {
  const { groupVersion, name, kind, definition, namespaced = false, verbs, subresources = {} } = resource;
  const root = rootOf(groupVersion);
  const collection = namespaced ? `${root}/namespaces/{namespace}/${name}` : `${root}/${name}`;
  const item = `${collection}/{name}`;
  const watched = collection.replace(root, `${root}/watch`);
  const list = { answer: definitionOfKind.get(kindOf(groupVersion, `${kind}List`)) ?? "" };
  const found: Expected[] = [];
  const add = (action: string, path: string, rest: Partial<Expected>): void => {
    const given = rest.parameters ?? QUERY[action] ?? [];
    const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, one]) => `path ${one} string`);
    const method = rest.method ?? METHOD[action] ?? action;
    const parameters = [...inPath, ...given].toSorted();
    found.push({ kind: kindOf(groupVersion, kind), ...rest, path, method, action, parameters });
  };
  const has = (verb: string): boolean => verbs.includes(verb);
  const options = `${META}.DeleteOptions`;
  const ended = ANSWERS_OBJECT.has(`${groupVersion} ${name}`) ? definition : `${META}.Status`;
  if (has("list")) add("list", collection, list);
  if (has("list") && namespaced) add("list", `${root}/${name}`, list);
  if (has("create")) add("post", collection, { body: definition, answer: definition });
  if (has("deletecollection")) add("deletecollection", collection, { body: options, answer: `${META}.Status` });
  if (has("get")) add("get", item, { answer: definition });
  if (has("update")) add("put", item, { body: definition, answer: definition });
  if (has("patch")) add("patch", item, { body: `${META}.Patch`, answer: definition });
  if (has("delete")) add("delete", item, { body: options, answer: ended });
  if (has("watch")) {
    const answer = `${META}.WatchEvent`;
    add("watchlist", watched, { answer });
    if (has("get")) add("watch", `${watched}/{name}`, { answer });
    if (namespaced) add("watchlist", `${root}/watch/${name}`, { answer });
  }
  for (const [sub, reached] of Object.entries(subresources)) {
    const path = `${item}/${sub}`;
    const connection = CONNECTION[reached.kind.split("/").at(-1) ?? ""];
    if (connection !== undefined) {
      const methods = sub === "proxy" ? ["delete", "get", "head", "options", "patch", "post", "put"] : ["get", "post"];
      for (const method of methods) {
        add("connect", path, { method, kind: reached.kind, parameters: connection });
        if (sub === "proxy") add("connect", `${path}/{path}`, { method, kind: reached.kind, parameters: connection });
      }
      continue;
    }
    const answer = definitionOfKind.get(reached.kind);
    for (const verb of reached.verbs) {
      const action = { create: "post", update: "put" }[verb] ?? verb;
      const body = { post: answer, put: answer, patch: `${META}.Patch` }[action];
      const isLog = sub === "log";
      add(action, path, {
        kind: reached.kind,
        ...(body !== undefined && { body }),
        ...(!isLog && answer !== undefined && { answer }),
        ...(isLog && { parameters: [...LOG, ...PRETTY] }),
      });
    }
  }
  return found.map((one) => JSON.parse(JSON.stringify(one)) as Expected);
}

/** The definitions that operations read and write, and all that those lead to. */
export const definitionsOf = (operations: readonly Expected[]): ReadonlySet<string> =>
  closureOf(operations.flatMap(({ body, answer }) => [body, answer].filter((one) => one !== undefined)));

/** Discovery's own paths, by what they answer. */
export function rootPaths(groupVersions: readonly string[]): ReadonlyMap<string, string> {
  const groups = new Set(groupVersions.filter((one) => one.includes("/")).map((one) => one.split("/")[0] ?? ""));
  return new Map([
    ["/api/", `${META}.APIVersions`],
    ["/apis/", `${META}.APIGroupList`],
    ["/version/", "io.k8s.apimachinery.pkg.version.Info"],
    ...[...groups].map((group) => [`/apis/${group}/`, `${META}.APIGroup`] as const),
    ...groupVersions.map((one) => [`${rootOf(one)}/`, `${META}.APIResourceList`] as const),
  ]);
}

export const knownDefinitions = Object.entries(facts.definitions).flatMap(([name, types]) =>
  Object.keys(types).map((one) => `${name}.${one}`),
);
