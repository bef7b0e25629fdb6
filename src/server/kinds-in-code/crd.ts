import type {
  CustomResourceDefinitionNames,
  CustomResourceDefinitionSpec,
  CustomResourceDefinitionVersion,
  CustomResourceSubresources,
} from "../../api/types/apiextensions/v1.js";
import type { FieldsOf } from "../../machinery/meta/access.js";
import type { JsonObject } from "../../machinery/meta/json.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import { deepCopy } from "../../machinery/patch/json-values.js";
import type { DeclaredVersion, Kind } from "./declaration.js";

type Version = FieldsOf<CustomResourceDefinitionVersion>;

/** The parts of a definition that {@link crdOf} cannot derive from the kind. */
export interface CrdOptions {
  /** Of the definition's metadata. */
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  /** spec.conversion. Functions cannot be written into a definition. Default: { strategy: "None" }. */
  readonly conversion?: JsonObject;
}

/**
 * Makes the CustomResourceDefinition (apiextensions.k8s.io/v1) of a kind. It leaves out columns with functions, defaults that
 * depend on other fields and validation functions, which a definition cannot express.
 */
export function crdOf(
  { declaration }: Kind<unknown>,
  { labels, annotations, conversion = { strategy: "None" } }: CrdOptions = {},
): KubeObject {
  const { group, plural, singular, kind, listKind, shortNames, categories, versions, storageVersion } = declaration;
  const names: FieldsOf<CustomResourceDefinitionNames> = {
    plural,
    singular,
    kind,
    listKind,
    ...(shortNames.length > 0 && { shortNames: [...shortNames] }),
    ...(categories.length > 0 && { categories: [...categories] }),
  };
  const spec: FieldsOf<CustomResourceDefinitionSpec> = {
    group,
    scope: declaration.namespaced ? "Namespaced" : "Cluster",
    names,
    conversion,
    versions: versions.map((version) => versionOf(version, version.name === storageVersion)),
  };
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: {
      name: `${plural}.${group}`,
      ...(labels !== undefined && { labels: { ...labels } }),
      ...(annotations !== undefined && { annotations: { ...annotations } }),
    },
    spec,
  };
}

function versionOf(version: DeclaredVersion, isStored: boolean): Version {
  const { name, served, openApi, deprecationWarning, hasUsualWarning, hasStatus, scale, selectableFields } = version;
  const columns = version.columns.flatMap(({ cell, ...column }) => (cell === undefined ? [column as JsonObject] : []));
  const subresources: FieldsOf<CustomResourceSubresources> = {
    ...(hasStatus && { status: {} }),
    ...(scale !== undefined && { scale: { ...scale } }),
  };
  return {
    name,
    served,
    storage: isStored,
    ...(deprecationWarning !== undefined && { deprecated: true }),
    ...(deprecationWarning !== undefined && hasUsualWarning !== true && { deprecationWarning }),
    schema: { openAPIV3Schema: deepCopy(openApi) },
    ...(Object.keys(subresources).length > 0 && { subresources }),
    ...(columns.length > 0 && { additionalPrinterColumns: columns }),
    ...(selectableFields.length > 0 && {
      selectableFields: selectableFields.map((path) => ({ jsonPath: `.${path}` })),
    }),
  };
}
