import type {
  CustomResourceDefinition,
  CustomResourceDefinitionNames,
  CustomResourceDefinitionSpec,
  CustomResourceDefinitionVersion,
  CustomResourceSubresources,
  CustomResourceValidation,
  SelectableField,
} from "../../api/types/apiextensions/v1.js";
import type { JsonObject } from "../../machinery/meta/json.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import type { FieldsOf } from "../../machinery/meta/received.js";
import { deepCopy } from "../../machinery/patch/json-values.js";
import type { DeclaredVersion, Kind } from "./declaration.js";

type Version = FieldsOf<CustomResourceDefinitionVersion>;
type Names = FieldsOf<CustomResourceDefinitionNames>;
type Subresources = FieldsOf<CustomResourceSubresources>;

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
): CustomResourceDefinition & KubeObject {
  const { group, plural, singular, kind, listKind, shortNames, categories, versions, storageVersion } = declaration;
  const names: Names = {
    plural,
    singular,
    kind,
    listKind,
    ...(shortNames.length > 0 && ({ shortNames: [...shortNames] } satisfies Names)),
    ...(categories.length > 0 && ({ categories: [...categories] } satisfies Names)),
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
  } as CustomResourceDefinition & KubeObject;
}

function versionOf(version: DeclaredVersion, isStored: boolean): Version {
  const { name, served, openApi, deprecationWarning, hasUsualWarning, hasStatus, scale, selectableFields } = version;
  const columns = version.columns.flatMap(({ cell, ...column }) => (cell === undefined ? [column as JsonObject] : []));
  const subresources: Subresources = {
    ...(hasStatus && ({ status: {} } satisfies Subresources)),
    ...(scale !== undefined && ({ scale: { ...scale } } satisfies Subresources)),
  };
  return {
    name,
    served,
    storage: isStored,
    ...(deprecationWarning !== undefined && ({ deprecated: true } satisfies Version)),
    ...(deprecationWarning !== undefined && hasUsualWarning !== true && ({ deprecationWarning } satisfies Version)),
    schema: { openAPIV3Schema: deepCopy(openApi) } satisfies FieldsOf<CustomResourceValidation>,
    ...(Object.keys(subresources).length > 0 && ({ subresources } satisfies Version)),
    ...(columns.length > 0 && ({ additionalPrinterColumns: columns } satisfies Version)),
    ...(selectableFields.length > 0 &&
      ({
        selectableFields: selectableFields.map((path) => ({ jsonPath: `.${path}` }) satisfies SelectableField),
      } satisfies Version)),
  };
}
