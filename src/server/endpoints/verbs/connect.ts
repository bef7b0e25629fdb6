import type { FieldsOf } from "../../../machinery/meta/received.js";
import { inOrder } from "../../../base/async/turns.js";
import { formatGroupVersion, type GroupVersionKind } from "../../../machinery/meta/gvk.js";
import type { ApiObject, KubeObject } from "../../../machinery/meta/object.js";
import type { StructSchema } from "../../../machinery/schema/schema.js";
import type { Connecter } from "../../registry/resource.js";
import type { ApiRequest } from "../../request/api-request.js";
import type { RequestInfo } from "../../request/request-info.js";
import type { ServedResource } from "../served-resource.js";
import { Admitter } from "./admitter.js";
import { scopeOf } from "./scope.js";
import { withoutTrailing } from "../../../base/text/without-trailing.js";

/** Handles a request to a connecting subresource, with any HTTP method that its storage names. Admission sees its options. */
export async function handleConnect(request: ApiRequest, resource: ServedResource, storage: Connecter): Promise<void> {
  const { info, exchange } = request;
  const kind = resource.facts.subresources.find(({ name }) => name === info.subresource)?.kind ?? resource.codec.gvk;
  const schema = resource.codec.schemaOf(kind) ?? (await unpublishedSchema(kind));
  const options = {
    kind: kind.kind,
    apiVersion: formatGroupVersion(kind),
    ...fromQuery(exchange.query, schema),
  } satisfies FieldsOf<ApiObject>;
  await new Admitter(request, resource, false, { kind, schema }).connect(options);
  const wanted = { path: subpath(info), query: exchange.query, verb: info.verb };
  const handle = await storage.connect(scopeOf(request), info.name, wanted);
  await handle(request);
}

/** Returns the schema of a connection's options. No OpenAPI document has them, so that they are among the types that are not published. */
async function unpublishedSchema(kind: GroupVersionKind): Promise<StructSchema | undefined> {
  const { allDefinitions } = await inOrder(import("../../../api/facts/unpublished.js"));
  return allDefinitions.schemaFor(kind);
}

/** The options that the query has, by the fields of their kind: a value that does not fit is left to the storage. */
function fromQuery(query: URLSearchParams, schema: StructSchema | undefined): KubeObject {
  const options: KubeObject = {};
  for (const field of schema?.fields ?? []) {
    const values = query.getAll(field.name);
    const [first] = values;
    if (first === undefined || field.name === "kind" || field.name === "apiVersion") continue;
    if (field.schema.type === "list") options[field.name] = values;
    else if (field.schema.type === "scalar") options[field.name] = scalarOf(first, field.schema.scalar);
  }
  return options;
}

function scalarOf(text: string, scalar: string): unknown {
  if (scalar === "bool") return text !== "false" && text !== "0";
  return scalar === "int32" || scalar === "int64" ? Number(text) : text;
}

/** The raw path behind the subresource, with its leading and trailing slashes: "/a/b/", or "". */
function subpath({ path, rest }: RequestInfo): string {
  const parts = path.replace(/^\/+/, "").split("/");
  const trimmed = withoutTrailing(path.replace(/^\/+/, ""), "/").split("/");
  return parts
    .slice(trimmed.length - rest.length)
    .map((part) => `/${part}`)
    .join("");
}
