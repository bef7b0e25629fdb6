import type { FieldsOf } from "../../../machinery/meta/received.js";
import type { CustomResourceColumnDefinition } from "../../types/apiextensions/v1.js";
import { type FieldError, forbiddenField, invalidValue } from "../../../machinery/errors/field-error.js";
import { absent, list, objects, type ReadonlyFields, text } from "../../../machinery/meta/access.js";
import { deepEqual } from "../../../machinery/patch/json-values.js";
import { betaSpecOf } from "../../conversion/sent-beta-spec.js";
import { versionWith, goVersion } from "./definition-spec.js";
import type { Definition, Spec, Version } from "./definition-types.js";

/** The version of the API in which a definition was sent. */
export interface DefinitionRequest {
  /** "" for a request of the server itself. */
  readonly apiVersion: string;
  /** The version of Kubernetes that the server is. Default: the newest. */
  readonly release?: { readonly version: string; readonly minCompatibility: string };
}

/** Whether a definition was written in v1beta1, to which the stricter rules of v1 do not apply. */
export const isBeta = ({ apiVersion }: DefinitionRequest): boolean => apiVersion === "apiextensions.k8s.io/v1beta1";

/** What v1beta1 says at the top or of each version, by its name there and here, and by what errors call it. */
const PARTS = [
  { top: "validation", own: "schema", name: "schemas" },
  { top: "subresources", own: "subresources", name: "subresources" },
  { top: "additionalPrinterColumns", own: "additionalPrinterColumns", name: "additionalPrinterColumns" },
] as const;

/** Checks what a definition has only in v1beta1 and its v1 form does not show. No errors for a definition that was written in v1. */
export function validateBetaParts({ spec }: Definition): FieldError[] {
  const beta = betaSpecOf(spec);
  if (beta === undefined) return [];
  const { versions: given }: Spec = beta;
  const versions = objects(given);
  const both = PARTS.filter(({ top, own }) => isThere(beta[top]) && versions.some((version) => isThere(version[own])));
  const alike = PARTS.filter(({ own }) => isAlike(versions.map((version) => version[own])));
  const shown = alike.length === 0 ? [] : versions.map((version) => goVersion(versionWith(withPaths(version))));
  return [
    ...both.map(({ top, name }) =>
      forbiddenField(`spec.${top}`, `top-level and per-version ${name} are mutually exclusive`),
    ),
    ...alike.map(({ top, name }) => {
      const detail = `per-version ${name} may not all be set to identical values (top-level ${top} should be used instead)`;
      return invalidValue("spec.versions", shown, detail);
    }),
  ];
}

/** Validates `spec.version`, which stands for the first of `spec.versions`. */
export function validateBetaVersion({ spec }: Definition): FieldError[] {
  const beta = betaSpecOf(spec);
  const version = text(beta?.version);
  const [first] = objects(beta?.versions);
  if (version === "" || first === undefined || first.name === version) return [];
  return [invalidValue("spec.version", version, "must match the first version in spec.versions")];
}

const isThere = (value: unknown): boolean => !absent(value) && !(Array.isArray(value) && value.length === 0);

function isAlike(values: readonly unknown[]): boolean {
  const [first] = values;
  return isThere(first) && values.every((value) => deepEqual(value, first));
}

/** The columns of v1 have another name for their path. */
function withPaths(version: Version): Version {
  const columns = list(version.additionalPrinterColumns) as readonly ReadonlyFields[];
  if (columns.length === 0) return version;
  return {
    ...version,
    additionalPrinterColumns: columns.map(
      (column) => ({ ...column, jsonPath: column.JSONPath }) satisfies FieldsOf<CustomResourceColumnDefinition>,
    ),
  };
}
