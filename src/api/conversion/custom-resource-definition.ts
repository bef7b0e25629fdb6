import {
  absent,
  object,
  objects,
  type ReadonlyFields,
  text,
  child,
  children,
  ensureChild,
  type Fields,
  list,
  setDefault,
} from "../../machinery/meta/access.js";
import { deepEqual } from "../../machinery/patch/json-values.js";
import { compact, renameFields, withChild, withChildren } from "./copies.js";
import { rememberBetaSpec } from "./sent-beta-spec.js";
import type { VersionTable } from "./version-table.js";
import { defaultNames, defaultStoredVersions } from "../defaults/policy.js";

/** Converts apiextensions.k8s.io/v1beta1, whose spec may declare once for all versions what v1 declares for each. */
export const API_EXTENSIONS_BETA: VersionTable = {
  "apiextensions.k8s.io/v1beta1/CustomResourceDefinition": {
    conversion: {
      toHub: (definition) => withChild(definition, "spec", convertedFromBeta),
      fromHub: (definition) => withChild(definition, "spec", specToBeta),
    },
    applyDefaults: defaultBetaCustomResourceDefinition,
  },
};

/** Fields of a version that v1beta1 has at the top too, by the name they have there. */
const SHARED = [
  ["subresources", "subresources"],
  ["validation", "schema"],
  ["additionalPrinterColumns", "additionalPrinterColumns"],
  ["selectableFields", "selectableFields"],
] as const;

const COLUMNS = "additionalPrinterColumns";

function convertedFromBeta(beta: ReadonlyFields): ReadonlyFields {
  const spec = specFromBeta(beta);
  rememberBetaSpec(spec, beta);
  return spec;
}

/** What is at the top goes to every version, whatever the version says itself. */
function specFromBeta(beta: ReadonlyFields): ReadonlyFields {
  const { version, subresources, validation, additionalPrinterColumns, selectableFields, ...spec } = withColumns(
    beta,
    (column) => renameFields(column, { JSONPath: "jsonPath" }),
  );
  const shared = compact({ subresources, schema: validation, additionalPrinterColumns, selectableFields });
  const named = text(version) === "" ? [] : [{ name: version, served: true, storage: true }];
  const versions = objects(spec.versions).length > 0 ? objects(spec.versions) : named;
  return {
    ...withChild(spec, "conversion", conversionFromBeta),
    ...(versions.length > 0 && { versions: versions.map((one) => ({ ...one, ...shared })) }),
  };
}

/** What all versions have alike goes to the top, and is left out of them. */
function specToBeta(v1: ReadonlyFields): ReadonlyFields {
  const spec = withColumns(v1, (column) => renameFields(column, { jsonPath: "JSONPath" }));
  const versions = objects(spec.versions);
  const [first] = versions;
  const beta = {
    ...withChild(spec, "conversion", conversionToBeta),
    // v1 has no third state.
    preserveUnknownFields: spec.preserveUnknownFields === true,
  };
  if (first === undefined) return beta;
  const alike = SHARED.filter(([, field]) => versions.every((one) => sameField(one, first, field)));
  const own = (one: ReadonlyFields) => ({
    ...one,
    ...Object.fromEntries(alike.map(([, field]) => [field, undefined])),
  });
  return {
    ...beta,
    version: first.name,
    ...compact(Object.fromEntries(alike.map(([top, field]) => [top, first[field]]))),
    versions: versions.map((one) => compact(own(one))),
  };
}

const sameField = (one: ReadonlyFields, other: ReadonlyFields, field: string): boolean =>
  deepEqual(one[field], other[field]);

function withColumns(spec: ReadonlyFields, change: (column: ReadonlyFields) => ReadonlyFields): ReadonlyFields {
  return withChildren(withChildren(spec, COLUMNS, change), "versions", (one) => withChildren(one, COLUMNS, change));
}

function conversionFromBeta({ webhookClientConfig, conversionReviewVersions, ...conversion }: ReadonlyFields) {
  if (absent(webhookClientConfig) && absent(conversionReviewVersions)) return conversion;
  return { ...conversion, webhook: compact({ clientConfig: webhookClientConfig, conversionReviewVersions }) };
}

function conversionToBeta({ webhook, ...conversion }: ReadonlyFields): ReadonlyFields {
  const { clientConfig, conversionReviewVersions } = object(webhook);
  return { ...conversion, ...compact({ webhookClientConfig: clientConfig, conversionReviewVersions }) };
}

/** apiextensions.k8s.io/v1beta1: one version by name and a list of versions are filled in from each other. */
function defaultBetaCustomResourceDefinition(definition: Fields): void {
  const spec = ensureChild(definition, "spec");
  if (text(spec.scope) === "") spec.scope = "Namespaced";
  defaultNames(spec);
  defaultVersions(spec);
  defaultConversion(spec);
  setDefault(spec, "preserveUnknownFields", true);
  defaultStoredVersions(definition);
}

function defaultVersions(spec: Fields): void {
  if (list(spec.versions).length === 0 && text(spec.version) !== "") {
    spec.versions = [{ name: spec.version, served: true, storage: true }];
  }
  const [first] = children(spec, "versions");
  if (first !== undefined && text(spec.version) === "") spec.version = first.name;
}

function defaultConversion(spec: Fields): void {
  setDefault(spec, "conversion", { strategy: "None" });
  const conversion = child(spec, "conversion");
  if (conversion === undefined) return;
  if (conversion.strategy === "Webhook" && list(conversion.conversionReviewVersions).length === 0) {
    conversion.conversionReviewVersions = ["v1beta1"];
  }
  const service = child(child(conversion, "webhookClientConfig") ?? {}, "service");
  if (service !== undefined) setDefault(service, "port", 443);
}
