import type { ResourceFacts } from "../facts/resources.js";
import { mediaTypes, META, type OperationFacts } from "./operation.js";
import { tagOf, versionName } from "./operation-names.js";
import { namespaceParameter, nameParameter, type ParameterFacts, pretty, watchParameters } from "./parameters.js";

/** The old paths of watches, /api/v1/watch/...: of a collection, of one object, and of all namespaces. */
export function watchOperations(resource: ResourceFacts): readonly OperationFacts[] {
  const { group, version, kind, name, verbs, namespaced } = resource;
  if (!verbs.includes("watch")) return [];
  const base = `${group === "" ? `/api/${version}` : `/apis/${group}/${version}`}/watch`;
  const within = namespaced ? `${base}/namespaces/{namespace}/${name}` : `${base}/${name}`;
  const scope = namespaced ? "Namespaced" : "";
  const id = `watch${versionName(resource)}`;
  const place = namespaced ? [namespaceParameter] : [];
  const watch = (
    path: string,
    operationId: string,
    pathParameters: readonly ParameterFacts[],
    description: string,
    action: "watch" | "watchlist",
  ): OperationFacts => ({
    path,
    method: "get",
    operationId,
    tag: tagOf(group, version),
    description,
    parameters: [...pathParameters, ...watchParameters, pretty],
    consumes: mediaTypes.any,
    produces: mediaTypes.watched,
    codes: ["200"],
    answer: `${META}.WatchEvent`,
    resource: { action, kind: { group, version, kind } },
  });
  const instead = "Deprecated: a list with the parameter watch does the same";
  const some = `Follows the changes of ${name}. ${instead}.`;
  const one = `Follows the changes of one ${kind}. ${instead}, with a field selector for the name.`;
  return [
    watch(within, `${id}${scope}${kind}List`, place, some, "watchlist"),
    ...(verbs.includes("get")
      ? [watch(`${within}/{name}`, `${id}${scope}${kind}`, [nameParameter, ...place], one, "watch")]
      : []),
    ...(namespaced ? [watch(`${base}/${name}`, `${id}${kind}ListForAllNamespaces`, [], some, "watchlist")] : []),
  ];
}
