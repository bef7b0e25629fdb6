import type { Measuring } from "../metrics/measures.js";
import type { CustomResourceDefinitionSpec, CustomResourceConversion } from "../../api/types/apiextensions/v1.js";
import type { FieldsOf } from "../../machinery/meta/received.js";
import { object, objects } from "../../machinery/meta/access.js";
import { compareVersions } from "../../machinery/meta/gvk.js";
import type { JsonObject } from "../../machinery/meta/json.js";
import type { StructSchema } from "../../machinery/schema/schema.js";
import type { Defaulter } from "../../machinery/scheme/scheme.js";
import type { RuleDialect } from "../../machinery/structural/rules/dialect.js";
import { applyDefaults } from "../../machinery/structural/apply-defaults.js";
import type {
  ResourceDefinition,
  ResourceVersion,
  SubresourceDefinition,
  ResourceInstaller,
} from "../api-registry/resource-definition.js";
import type { Strategy } from "../registry/strategy.js";
import type { WebhookClients } from "../webhook/webhook-clients.js";
import { conversionByName, conversionByWebhook } from "./custom-conversion.js";
import { type CustomKind, customStrategy } from "./custom-strategy.js";
import { CustomVersion } from "./custom-version.js";
import type { KnownDefinition } from "./known-definition.js";
import { SentForms } from "./sent-forms.js";
import { nextSlice, sliceIsSpent } from "../../base/async/time-slice.js";
import { isNotFound, type GroupResource } from "../../machinery/errors/status-error.js";
import { loopbackScope } from "../registry/scope.js";
import { Store } from "../registry/store.js";

/** The parts of the server that custom resources use. */
export interface CustomSurroundings {
  readonly webhooks: WebhookClients;
  /** The rules of the server's version of Kubernetes. */
  readonly dialect: RuleDialect;
  /** Hears how long the rules of definitions take. */
  readonly measuring: Measuring | undefined;
  /** True from the deletion of the definition on, when its objects go. */
  readonly isTerminating: () => boolean;
}

/**
 * The resource that an established CustomResourceDefinition describes, with the names that were accepted. Of a kind that is not
 * used it holds little more than what discovery shows.
 */
export class CustomResource implements ResourceDefinition {
  readonly group: string;
  readonly resource: string;
  readonly kind: string;
  readonly listKind: string;
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly namespaced: boolean;
  readonly storageVersion: string;
  readonly isCustom = true;
  readonly storage = CUSTOM_STORAGE;
  readonly versions: readonly ResourceVersion[];
  readonly #kind: Omit<CustomKind, "group" | "resource">;
  #strategy: Strategy | undefined;

  constructor(definition: KnownDefinition, { webhooks, dialect, measuring, isTerminating }: CustomSurroundings) {
    const { group, plural, accepted } = definition;
    const spec: FieldsOf<CustomResourceDefinitionSpec> = object(definition.outline.spec);
    const versions = objects(spec.versions).map(
      (version) => new CustomVersion(definition, version, dialect, measuring),
    );
    const stored = versions.find(({ isStored }) => isStored) ?? versions[0];
    if (stored === undefined) throw new Error(`${definition.name} has no version`);
    this.group = group;
    this.resource = plural;
    this.kind = accepted.kind;
    this.listKind = accepted.listKind;
    this.singular = accepted.singular;
    this.shortNames = accepted.shortNames;
    this.categories = accepted.categories;
    this.namespaced = spec.scope === "Namespaced";
    this.storageVersion = stored.name;
    const sent = new SentForms();
    const { strategy }: FieldsOf<CustomResourceConversion> = object(spec.conversion);
    const isByWebhook = strategy === "Webhook";
    const webhook = isByWebhook ? conversionByWebhook(definition, stored, webhooks, sent) : undefined;
    const conversion = webhook ?? conversionByName;
    this.#kind = { versions, stored, webhook, sent, isTerminating };
    this.versions = versions
      .toSorted((a, b) => compareVersions(a.name, b.name))
      .map((version) => {
        const warning = deprecationOf(version, versions, group, accepted.kind);
        return new ServedVersion(version, warning, version === stored ? undefined : conversion(version));
      });
  }

  get strategy(): Strategy {
    return (this.#strategy ??= customStrategy({ group: this.group, resource: this.resource, ...this.#kind }));
  }
}

const CUSTOM_STORAGE = { upgradesOnRead: true };
/** In the order of apiextensions' discovery. */
const VERBS = ["delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"];

/**
 * The verbs that discovery lists while the definition is being deleted. The server still answers other requests except creations,
 * because finalizers need them.
 */
export const TERMINATING_VERBS = ["delete", "deletecollection", "get", "list", "watch"];

/** A version as the registry serves it. */
class ServedVersion implements ResourceVersion {
  readonly verbs = VERBS;

  constructor(
    private readonly own: CustomVersion,
    readonly deprecationWarning: string | undefined,
    readonly conversion: ResourceVersion["conversion"],
  ) {}

  get version(): string {
    return this.own.name;
  }

  get served(): boolean {
    return this.own.isServed;
  }

  get schema(): StructSchema {
    return this.own.content;
  }

  get subresources(): readonly SubresourceDefinition[] {
    return this.own.subresources;
  }

  readonly applyDefaults: Defaulter = (draft) => applyDefaults(draft as JsonObject, this.own.structural);
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

/**
 * Deletes all objects of a resource that `installer` has installed, as the server itself. Returns how many are left, because
 * finalizers keep them. A resource that is another's, or has another's keys, has no objects of its own.
 */
export async function deleteInstances(installer: ResourceInstaller, resource: GroupResource): Promise<number> {
  const storage = installer.kept(resource)?.storage;
  if (!(storage instanceof Store)) return 0;
  const { items } = await storage.list(loopbackScope(""), {});
  let left = 0;
  for (const item of items) {
    if (sliceIsSpent()) await nextSlice();
    // The key has what is needed: objects are not read.
    const [name = "", parent = ""] = item.key.split("/").toReversed();
    const namespace = storage.config.namespaced ? parent : "";
    try {
      const { gone } = await storage.delete(loopbackScope(namespace), name, {}, undefined);
      if (!gone) left += 1;
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }
  return left;
}
