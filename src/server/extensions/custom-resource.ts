import { methodNotSupported, StatusError } from "../../machinery/errors/status-error.js";
import { absent, object, objects, text } from "../../machinery/meta/access.js";
import type { JsonObject, JsonValue } from "../../machinery/meta/json.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import { compareVersions } from "../../machinery/meta/version-order.js";
import { deepCopy } from "../../machinery/patch/json-values.js";
import type { BatchConversion, Conversion } from "../../machinery/scheme/registration.js";
import { prune } from "../../machinery/structural/prune.js";
import type { ResourceDefinition } from "../api-registry/resource-definition.js";
import type { ScaleMapping, Strategy } from "../registry/strategy.js";
import type { WebhookClients } from "../webhook/webhook-clients.js";
import { type ConvertObjects, conversionWebhook } from "./conversion-webhook.js";
import { CustomVersion } from "./custom-version.js";
import { fieldAt, setFieldAt } from "./field-at.js";
import type { KnownDefinition } from "./known-definition.js";

/** What custom resources use of the server. */
export interface CustomSurroundings {
  readonly webhooks: WebhookClients;
  /** True from the deletion of the definition on, when its objects go. */
  readonly isTerminating: () => boolean;
}

/** The resource that an established CustomResourceDefinition describes, with the names that were accepted. */
export function customResource(
  definition: KnownDefinition,
  { webhooks, isTerminating }: CustomSurroundings,
): ResourceDefinition {
  const { group, accepted } = definition;
  const spec = object(definition.read().spec);
  const versions = objects(spec.versions).map((version) => new CustomVersion(definition, version));
  const stored = versions.find(({ isStored }) => isStored) ?? versions[0];
  if (stored === undefined) throw new Error(`${definition.name} has no version`);
  const conversion = conversionsOf(definition, object(spec.conversion).strategy === "Webhook", stored, webhooks);
  return {
    group,
    resource: accepted.plural,
    kind: accepted.kind,
    listKind: accepted.listKind,
    singular: accepted.singular,
    shortNames: accepted.shortNames,
    categories: accepted.categories,
    namespaced: spec.scope === "Namespaced",
    storageVersion: stored.name,
    storage: { upgradesOnRead: true },
    strategy: strategyOf(group, versions, stored, isTerminating),
    versions: versions
      .toSorted((a, b) => compareVersions(a.name, b.name))
      .map((version) => ({
        ...version.served(deprecationOf(version, versions, group, accepted.kind)),
        ...(version !== stored && { conversion: conversion(version) }),
      })),
  };
}

/** The way from another version to the stored one and back: by a webhook, or by name alone. */
function conversionsOf(
  definition: KnownDefinition,
  byWebhook: boolean,
  stored: CustomVersion,
  webhooks: WebhookClients,
): (version: CustomVersion) => Conversion | BatchConversion {
  if (!byWebhook) {
    return (version) => ({ toHub: (one) => pruned(one, stored), fromHub: (one) => pruned(one, version) });
  }
  const { listKind } = definition.accepted;
  let convert: ConvertObjects | undefined;
  const converter = (): ConvertObjects => {
    const { webhook } = object(object(definition.read().spec).conversion);
    return (convert ??= conversionWebhook(object(webhook), webhooks));
  };
  const apiVersion = ({ name }: CustomVersion): string => `${definition.group}/${name}`;
  return (version) => ({
    convertMany: async (given, direction) => {
      const target = direction === "toHub" ? stored : version;
      const converted = await converter()(given, apiVersion(target), { listKind });
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
  const labels = new Map(versions.map(({ name, selectable }) => [`${group}/${name}`, selectable]));
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
    fields: (one) => Object.fromEntries(stored.selectable.map((path) => [path, selectableValue(one, path)])),
    fieldLabels: (apiVersion) => Object.fromEntries((labels.get(apiVersion) ?? []).map((path) => [path, path])),
    get columns() {
      return stored.columns;
    },
    columnsAt: (apiVersion) => versionOf(apiVersion).columns,
    ...(scale && { scale }),
  };
}

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
    setReplicas: (draft, replicas) =>
      setFieldAt(draft as Record<string, unknown>, text(scale.specReplicasPath), replicas),
  };
}

/** The text of a deprecated version's warning: the definition's own, or one that names a newer version. */
function deprecationOf(
  { name, isDeprecated, ownWarning }: CustomVersion,
  versions: readonly CustomVersion[],
  group: string,
  kind: string,
): string | undefined {
  if (!isDeprecated) return undefined;
  if (ownWarning !== undefined) return ownWarning;
  const newer = versions
    .filter((other) => other.isServed && !other.isDeprecated && compareVersions(other.name, name) < 0)
    .toSorted((a, b) => compareVersions(a.name, b.name))[0];
  const instead = newer === undefined ? "" : `; use ${group}/${newer.name} ${kind}`;
  return `${group}/${name} ${kind} is deprecated${instead}`;
}
