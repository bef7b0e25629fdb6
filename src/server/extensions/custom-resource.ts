import { object, objects } from "../../machinery/meta/access.js";
import { compareVersions } from "../../machinery/meta/version-order.js";
import type { ResourceDefinition } from "../api-registry/resource-definition.js";
import type { WebhookClients } from "../webhook/webhook-clients.js";
import { conversionByName, conversionByWebhook } from "./custom-conversion.js";
import { customStrategy } from "./custom-strategy.js";
import { CustomVersion } from "./custom-version.js";
import type { KnownDefinition } from "./known-definition.js";
import { SentForms } from "./sent-forms.js";

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
  const spec = object(definition.outline.spec);
  const versions = objects(spec.versions).map((version) => new CustomVersion(definition, version));
  const stored = versions.find(({ isStored }) => isStored) ?? versions[0];
  if (stored === undefined) throw new Error(`${definition.name} has no version`);
  const byWebhook = object(spec.conversion).strategy === "Webhook";
  const sent = new SentForms();
  const webhook = byWebhook ? conversionByWebhook(definition, stored, webhooks, sent) : undefined;
  const conversion = webhook ?? conversionByName;
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
    strategy: customStrategy({ group, versions, stored, webhook, sent, isTerminating }),
    versions: versions
      .toSorted((a, b) => compareVersions(a.name, b.name))
      .map((version) => ({
        ...version.served(deprecationOf(version, versions, group, accepted.kind)),
        ...(version !== stored && { conversion: conversion(version) }),
      })),
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
