import type { FieldsOf } from "../../machinery/meta/received.js";
import type { JSONSchemaProps } from "../../api/types/apiextensions/v1.js";
import { isJsonObject, type JsonObject, type JsonValue } from "../../machinery/meta/json.js";

const DEFINITIONS = "#/definitions/";

/**
 * Converts a document of OpenAPI 2 to OpenAPI 3, for clients that read only that. What OpenAPI 2 does not say is missing: nullable fields,
 * defaults of references. Source: kube-openapi's ConvertV2ToV3.
 */
export function convertToV3(v2: JsonObject): JsonObject {
  const definitions = fields(v2["definitions"]);
  return {
    openapi: "3.0.0",
    ...only(v2, ["info", "externalDocs"]),
    paths: mapped(fields(v2["paths"]), pathItem),
    components: {
      schemas: mapped(definitions, schemaOf),
      ...(v2["securityDefinitions"] !== undefined && {
        securitySchemes: mapped(fields(v2["securityDefinitions"]), securityScheme),
      }),
    },
  };
}

const METHODS = ["get", "put", "post", "delete", "options", "head", "patch"];

function pathItem(item: JsonObject): JsonObject {
  const operations = METHODS.filter((method) => isJsonObject(item[method]));
  return {
    ...extensions(item),
    ...(item["parameters"] !== undefined && { parameters: objectsOf(item["parameters"]).map(parameterOf) }),
    ...Object.fromEntries(operations.map((method) => [method, operationOf(fields(item[method]))])),
  };
}

function operationOf(operation: JsonObject): JsonObject {
  const all = objectsOf(operation["parameters"]);
  const body = all.find(isBody);
  const others = all.filter((parameter) => !isBody(parameter));
  const produces = textsOf(operation["produces"]);
  return {
    ...extensions(operation),
    ...only(operation, ["description", "externalDocs", "tags", "summary", "deprecated", "operationId"]),
    ...(others.length > 0 && { parameters: others.map(parameterOf) }),
    ...(body !== undefined && {
      requestBody: { content: contentOf(textsOf(operation["consumes"]), fields(body["schema"])) },
    }),
    responses: mapped(fields(operation["responses"]), (response) => responseOf(response, produces)),
  };
}

const isBody = ({ name, schema }: JsonObject): boolean => name === "body" && isJsonObject(schema);

function responseOf(response: JsonObject, produces: readonly string[]): JsonObject {
  return {
    ...extensions(response),
    description: response["description"] ?? "",
    ...(isJsonObject(response["schema"]) && { content: contentOf(produces, response["schema"]) }),
  };
}

const contentOf = (mediaTypes: readonly string[], schema: JsonObject): JsonObject =>
  Object.fromEntries(mediaTypes.map((mediaType) => [mediaType, { schema: schemaOf(schema) }]));

/** A parameter that is no body has its type in itself. */
function parameterOf(parameter: JsonObject): JsonObject {
  const { schema } = parameter;
  return {
    ...extensions(parameter),
    ...only(parameter, ["name", "in", "description", "required", "allowEmptyValue"]),
    schema: isJsonObject(schema) ? schemaOf(schema) : only(parameter, ["type", "format", "uniqueItems"]),
  };
}

function securityScheme(scheme: JsonObject): JsonObject {
  const { flow } = scheme;
  const oauth = {
    authorizationUrl: scheme["authorizationUrl"],
    tokenUrl: scheme["tokenUrl"],
    scopes: scheme["scopes"],
  };
  return {
    ...extensions(scheme),
    ...only(scheme, ["type", "description", "name", "in"]),
    ...(typeof flow === "string" && { flows: { [flow]: only(oauth as JsonObject, Object.keys(oauth)) } }),
  };
}

/** A reference with other keywords beside it is wrapped in `allOf`: OpenAPI 3.0 ignores what stands beside one. */
function schemaOf(schema: JsonObject): JsonObject {
  const { $ref: ref, ...rest } = schema;
  const converted: JsonObject = { ...rest };
  if (isJsonObject(rest["properties"])) converted["properties"] = mapped(rest["properties"], schemaOf);
  for (const keyword of ["items", "additionalProperties", "additionalItems"]) {
    const below = rest[keyword];
    if (isJsonObject(below)) converted[keyword] = schemaOf(below);
    else if (Array.isArray(below)) converted[keyword] = objectsOf(below).map(schemaOf);
  }
  if (typeof ref !== "string") return converted;
  const reference = { $ref: ref.replace(DEFINITIONS, "#/components/schemas/") } satisfies FieldsOf<JSONSchemaProps>;
  return Object.keys(rest).length === 0
    ? reference
    : ({ ...converted, allOf: [reference] } satisfies FieldsOf<JSONSchemaProps>);
}

const fields = (value: JsonValue | undefined): JsonObject => (isJsonObject(value) ? value : {});

const objectsOf = (value: JsonValue | undefined): JsonObject[] =>
  Array.isArray(value) ? value.filter(isJsonObject) : [];

const textsOf = (value: JsonValue | undefined): string[] =>
  Array.isArray(value) ? value.filter((one) => typeof one === "string") : [];

const mapped = (values: JsonObject, convert: (value: JsonObject) => JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, convert(fields(value))]));

const only = (value: JsonObject, names: readonly string[]): JsonObject =>
  Object.fromEntries(names.flatMap((name) => (value[name] === undefined ? [] : [[name, value[name]]])));

const extensions = (value: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(value).filter(([name]) => name.startsWith("x-")));
