import type { Field, Schema } from "../../machinery/schema/schema.js";
import type { ResourceFacts, SubresourceFacts } from "../facts/resources.js";
import { allDefinitions } from "../facts/unpublished.js";
import { mediaTypes, type Method, type OperationFacts } from "./operation.js";
import { camel, tagOf, versionName } from "./operation-names.js";
import { connectDescriptions, type ParameterFacts, proxyPath } from "./parameters.js";

/** A proxy passes every method on; other connections begin with GET or POST. */
const PROXY_METHODS: readonly Method[] = ["delete", "get", "head", "options", "patch", "post", "put"];
const STREAM_METHODS: readonly Method[] = ["get", "post"];

/** What leads into a pod, a node or behind a service: exec, attach, portforward, proxy and the paths behind a proxy. */
export function connectOperations(
  resource: ResourceFacts,
  { name, kind }: SubresourceFacts,
  place: { readonly path: string; readonly pathParameters: readonly ParameterFacts[] },
): readonly OperationFacts[] {
  const options = allDefinitions
    .schemaFor(kind)
    ?.fields.filter((field) => field.name !== "kind" && field.name !== "apiVersion");
  const query = (options ?? []).map(optionParameter);
  const scope = resource.namespaced ? "Namespaced" : "";
  const isProxy = name === "proxy";
  const connect = (method: Method, path: string, rest: readonly ParameterFacts[], suffix: string): OperationFacts => ({
    path,
    method,
    operationId: `connect${versionName(resource)}${camel(method)}${scope}${resource.kind}${camel(name)}${suffix}`,
    tag: tagOf(resource.group, resource.version),
    description: isProxy
      ? `Passes a ${method.toUpperCase()} request on to the ${resource.kind}.`
      : `Opens a connection to the ${name} of a ${resource.kind} by ${method.toUpperCase()}.`,
    parameters: [...place.pathParameters, ...query, ...rest],
    consumes: mediaTypes.any,
    produces: mediaTypes.any,
    codes: ["200"],
    answer: "",
    resource: { action: "connect", kind },
  });
  const methods = isProxy ? PROXY_METHODS : STREAM_METHODS;
  return [
    ...methods.map((method) => connect(method, place.path, [], "")),
    ...(isProxy ? methods.map((method) => connect(method, `${place.path}/{path}`, [proxyPath], "WithPath")) : []),
  ];
}

const optionParameter = (field: Field): ParameterFacts => ({
  name: field.name,
  in: "query",
  type: typeOf(field.schema),
  description: connectDescriptions[field.name] ?? "",
});

function typeOf(schema: Schema): ParameterFacts["type"] {
  if (schema.type === "list") return typeOf(schema.items);
  if (schema.type !== "scalar") return "string";
  if (schema.scalar === "bool") return "boolean";
  return schema.scalar === "int32" || schema.scalar === "int64" ? "integer" : "string";
}
