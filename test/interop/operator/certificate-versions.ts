import type { JsonObject } from "../../../src/machinery/meta/json.js";
import type { AnswerCall } from "../../helpers/webhook-server.js";

interface Version extends JsonObject {
  name: string;
  served: boolean;
  storage: boolean;
  additionalPrinterColumns: JsonObject[];
  schema: { openAPIV3Schema: { properties: { spec: Spec } } };
}

interface Spec extends JsonObject {
  required: string[];
  properties: Record<string, JsonObject>;
}

export interface Definition extends JsonObject {
  spec: { versions: Version[]; conversion?: JsonObject };
}

/**
 * The definition of certificates with a second version, in which spec.secretName and spec.secretTemplate are one object: spec.secret.
 * The webhook converts between the two.
 */
export function withSecondVersion(definition: Definition, clientConfig: JsonObject): Definition {
  const changed = structuredClone(definition);
  const [first] = changed.spec.versions;
  if (first === undefined) throw new Error("the definition has no version");
  const second = structuredClone(first);
  second.name = "v2";
  second.storage = false;
  const { spec } = second.schema.openAPIV3Schema.properties;
  const { secretName, secretTemplate, ...properties } = spec.properties;
  const secret = { name: secretName as JsonObject, template: secretTemplate as JsonObject };
  spec.properties = {
    ...properties,
    secret: { type: "object", description: "Secret of the certificate.", required: ["name"], properties: secret },
  };
  spec.required = ["issuerRef", "secret"];
  // kube-apiserver 1.36 refuses versions that select by the same fields of different schemas.
  second.selectableFields = [{ jsonPath: ".spec.issuerRef.name" }, { jsonPath: ".spec.secret.name" }];
  for (const column of second.additionalPrinterColumns) {
    if (column["name"] === "Secret") column["jsonPath"] = ".spec.secret.name";
  }
  changed.spec.versions.push(second);
  changed.spec.conversion = { strategy: "Webhook", webhook: { clientConfig, conversionReviewVersions: ["v1"] } };
  return changed;
}

/** Marks one version as the stored one. */
export function storing(definition: Definition, version: string): Definition {
  const changed = structuredClone(definition);
  for (const one of changed.spec.versions) one.storage = one.name === version;
  return changed;
}

/** The definition without a version, and without a webhook. */
export function without(definition: Definition, version: string): Definition {
  const changed = structuredClone(definition);
  changed.spec.versions = changed.spec.versions.filter(({ name }) => name !== version);
  changed.spec.conversion = { strategy: "None" };
  return changed;
}

/** The operator's conversion webhook. */
export const convertCertificates: AnswerCall = ({ body, request }) => ({
  ...(JSON.parse(body) as object),
  request: undefined,
  response: {
    uid: request["uid"],
    result: { status: "Success" },
    convertedObjects: (request["objects"] as JsonObject[]).map((one) =>
      converted(one, request["desiredAPIVersion"] as string),
    ),
  },
});

function converted(certificate: JsonObject, apiVersion: string): JsonObject {
  const { secret, secretName, secretTemplate, ...spec } = certificate["spec"] as JsonObject & { secret?: JsonObject };
  if (apiVersion.endsWith("/v1")) {
    const { name, template } = secret ?? {};
    const own = { secretName: name ?? "", ...(template !== undefined && { secretTemplate: template }) };
    return { ...certificate, apiVersion, spec: { ...spec, ...own } };
  }
  const own = { name: secretName ?? "", ...(secretTemplate !== undefined && { template: secretTemplate }) };
  return { ...certificate, apiVersion, spec: { ...spec, secret: own } };
}
