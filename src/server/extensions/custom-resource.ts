import { schemaFor } from "../../api/facts/index.js";
import { methodNotSupported, StatusError } from "../../machinery/errors/status-error.js";
import { absent, list, object, objects, type ReadonlyFields, text } from "../../machinery/meta/access.js";
import type { JsonObject, JsonValue } from "../../machinery/meta/json.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import { compareVersions } from "../../machinery/meta/version-order.js";
import { deepCopy } from "../../machinery/patch/json-values.js";
import type { StructSchema } from "../../machinery/schema/schema.js";
import type { BatchConversion, Conversion } from "../../machinery/scheme/registration.js";
import { applyDefaults } from "../../machinery/structural/apply-defaults.js";
import { prune } from "../../machinery/structural/prune.js";
import { type StructuralSchema, structuralSchemaOf } from "../../machinery/structural/structural-schema.js";
import { contentSchemaOf } from "../../machinery/structural/to-schema.js";
import type { ResourceDefinition, ResourceVersion } from "../api-registry/resource-definition.js";
import type { ScaleMapping, Strategy, TableColumns } from "../registry/strategy.js";
import type { WebhookClients } from "../webhook/webhook-clients.js";
import { conversionWebhook } from "./conversion-webhook.js";
import { customColumns } from "./custom-columns.js";
import { fieldAt, setFieldAt } from "./field-at.js";
import { ObjectJudge } from "./object-judge.js";

/** What custom resources use of the server. */
export interface CustomSurroundings {
  readonly webhooks: WebhookClients;
  /** True from the deletion of the definition on, when its objects go. */
  readonly isTerminating: () => boolean;
}

/** The resource that an established CustomResourceDefinition describes, with the names that were accepted. */
export function customResource(definition: KubeObject, { webhooks, isTerminating }: CustomSurroundings): ResourceDefinition {
  const spec = object(definition.spec);
  const names = object(object(definition.status).acceptedNames);
  const group = text(spec.group);
  const kind = text(names.kind);
  const versions = objects(spec.versions).map((version) => new CustomVersion(version, kind));
  const stored = versions.find(({ fields }) => fields.storage === true) ?? versions[0];
  if (stored === undefined) throw new Error(`${definition.metadata?.name} has no version`);
  const conversion = conversionsOf(definition, stored, webhooks);
  return {
    group,
    resource: text(names.plural),
    kind,
    listKind: text(names.listKind),
    singular: text(names.singular),
    shortNames: list(names.shortNames).map(text),
    categories: list(names.categories).map(text),
    namespaced: spec.scope === "Namespaced",
    storageVersion: stored.name,
    strategy: strategyOf(group, versions, stored, isTerminating),
    versions: versions
      .toSorted((a, b) => compareVersions(a.name, b.name))
      .map((version) => ({
        ...version.served(deprecationOf(version, versions, group, kind)),
        ...(version !== stored && { conversion: conversion(version) }),
      })),
  };
}

/** One version of a custom kind; what comes of its schema is made when it is first used. */
class CustomVersion {
  readonly name: string;
  #structural: StructuralSchema | undefined;
  readonly judge = new ObjectJudge(() => this.structural);
  #columns: TableColumns | undefined;

  constructor(
    readonly fields: ReadonlyFields,
    private readonly kind: string,
  ) {
    this.name = text(fields.name);
  }

  get structural(): StructuralSchema {
    return (this.#structural ??= structuralSchemaOf(object(object(this.fields.schema).openAPIV3Schema) as JsonObject));
  }

  get columns(): TableColumns {
    return (this.#columns ??= customColumns(this.fields));
  }

  subresource(name: string): ReadonlyFields | undefined {
    const subresource = object(this.fields.subresources)[name];
    return absent(subresource) ? undefined : object(subresource);
  }

  served(deprecationWarning: string | undefined): ResourceVersion {
    return {
      version: this.name,
      schema: contentSchemaOf(this.structural, this.kind, { objectMeta: objectMeta() }),
      served: this.fields.served === true,
      subresources: ["scale", "status"].flatMap((name) => (this.subresource(name) === undefined ? [] : [{ name }])),
      applyDefaults: (draft) => applyDefaults(draft as JsonObject, this.structural),
      ...(deprecationWarning !== undefined && { deprecationWarning }),
    };
  }
}

let metadataSchema: StructSchema | undefined;

function objectMeta(): StructSchema {
  metadataSchema ??= schemaFor({ group: "", version: "v1", kind: "ConfigMap" })?.byName.get("metadata")
    ?.schema as StructSchema;
  return metadataSchema;
}

/** The way from another version to the stored one and back: by a webhook, or by name alone. */
function conversionsOf(
  definition: KubeObject,
  stored: CustomVersion,
  webhooks: WebhookClients,
): (version: CustomVersion) => Conversion | BatchConversion {
  const spec = object(definition.spec);
  const { strategy, webhook } = object(spec.conversion);
  if (strategy !== "Webhook") {
    return (version) => ({ toHub: (one) => pruned(one, stored), fromHub: (one) => pruned(one, version) });
  }
  const convert = conversionWebhook(object(webhook), webhooks);
  const listKind = text(object(object(definition.status).acceptedNames).listKind);
  const apiVersion = ({ name }: CustomVersion): string => `${text(spec.group)}/${name}`;
  return (version) => ({
    convertMany: async (given, direction) => {
      const target = direction === "toHub" ? stored : version;
      const converted = await convert(given, apiVersion(target), { listKind });
      return converted.map((one) => pruned(one, target));
    },
  });
}

/** A version that another one's fields are converted to by name keeps those that it declares. */
function pruned(given: KubeObject, { structural }: CustomVersion): KubeObject {
  const copy = deepCopy(given as unknown as JsonValue) as JsonObject;
  prune(copy, structural, { isResourceRoot: true });
  return copy as unknown as KubeObject;
}

function strategyOf(
  group: string,
  versions: readonly CustomVersion[],
  stored: CustomVersion,
  terminating: () => boolean,
): Strategy {
  const versionOf = (apiVersion: string): CustomVersion =>
    versions.find(({ name }) => apiVersion === `${group}/${name}`) ?? stored;
  const labels = new Map(versions.map((version) => [`${group}/${version.name}`, selectableIn(version)]));
  const scale = scaleOf(stored);
  return {
    hasGeneration: true,
    allowUnconditionalUpdate: false,
    validateAhead: (draft, old, { apiVersion, warn }) => versionOf(apiVersion).judge.ahead(draft, old, warn),
    validate: (draft, { apiVersion, warn }) => versionOf(apiVersion).judge.judge(draft, undefined, warn),
    validateUpdate: (draft, old, { apiVersion, warn }) => versionOf(apiVersion).judge.judge(draft, old, warn),
    validateStatusUpdate: (draft, old, { apiVersion, warn }) => versionOf(apiVersion).judge.judge(draft, old, warn),
    prepareForCreate() {
      if (!terminating()) return;
      const { status } = methodNotSupported({ group, resource: "" }, "create");
      throw new StatusError({
        ...status,
        message: "create not allowed while custom resource definition is terminating",
      });
    },
    fields: (one) => Object.fromEntries(selectableIn(stored).map((path) => [path, selectableValue(one, path)])),
    fieldLabels: (apiVersion) => Object.fromEntries((labels.get(apiVersion) ?? []).map((path) => [path, path])),
    columns: stored.columns,
    columnsAt: (apiVersion) => versionOf(apiVersion).columns,
    ...(scale && { scale }),
  };
}

/** The paths of a version's selectableFields, as selectors write them: "spec.colour". */
const selectableIn = ({ fields }: CustomVersion): readonly string[] =>
  objects(fields.selectableFields).map(({ jsonPath }) => text(jsonPath).replace(/^\./, ""));

function selectableValue(one: KubeObject, path: string): string {
  const value = fieldAt(one, path);
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean" ? String(value) : "";
}

function scaleOf(version: CustomVersion): ScaleMapping | undefined {
  const scale = version.subresource("scale");
  if (scale === undefined) return undefined;
  const numberAt = (one: KubeObject, path: unknown): number => {
    const value = fieldAt(one, text(path));
    return typeof value === "number" ? value : 0;
  };
  return {
    replicas: (one) => numberAt(one, scale.specReplicasPath),
    statusReplicas: (one) => numberAt(one, scale.statusReplicasPath),
    selector: (one) => (absent(scale.labelSelectorPath) ? "" : text(fieldAt(one, text(scale.labelSelectorPath)))),
    setReplicas: (draft, replicas) => setFieldAt(draft as Record<string, unknown>, text(scale.specReplicasPath), replicas),
  };
}

/** The text of a deprecated version's warning: the definition's own, or one that names a newer version. */
function deprecationOf(
  { fields, name }: CustomVersion,
  versions: readonly CustomVersion[],
  group: string,
  kind: string,
): string | undefined {
  if (fields.deprecated !== true) return undefined;
  if (!absent(fields.deprecationWarning)) return text(fields.deprecationWarning);
  const newer = versions
    .filter((other) => other.fields.served === true && other.fields.deprecated !== true)
    .filter((other) => compareVersions(other.name, name) < 0)
    .toSorted((a, b) => compareVersions(a.name, b.name))[0];
  const instead = newer === undefined ? "" : `; use ${group}/${newer.name} ${kind}`;
  return `${group}/${name} ${kind} is deprecated${instead}`;
}
