import { schemaFor } from "../../api/facts/index.js";
import type { KubernetesClient } from "../../client/dynamic/kubernetes-client.js";
import { isNotFound } from "../../machinery/errors/status-error.js";
import { isFields, list, object, objects, type ReadonlyFields, text } from "../../machinery/meta/access.js";
import { type GroupVersionKind, parseGroupVersion } from "../../machinery/meta/gvk.js";
import type { JsonObject } from "../../machinery/meta/json.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import type { StructSchema } from "../../machinery/schema/schema.js";
import type { ServedResource, ServedResources } from "../served-resources.js";

/** A kind that a policy is about, with the schema that a type check goes by. */
export interface CheckedKind {
  readonly kind: GroupVersionKind;
  /** Of a built-in kind. */
  readonly struct?: StructSchema;
  /** The openAPIV3Schema of a custom kind. */
  readonly custom?: JsonObject;
}

export interface CheckedKinds {
  /** Sorted by group, version and kind. */
  readonly objects: readonly CheckedKind[];
  /** The kind of the policy's parameters; undefined where it is not known. */
  readonly params: CheckedKind | undefined;
}

interface Sources {
  readonly client: KubernetesClient;
  readonly served: ServedResources;
}

/** As many of one rule are checked at most. */
const MOST_KINDS = 10;

/** Finds the kinds that a policy names. A rule with a wildcard names none, and subresources are not checked. */
export async function checkedKinds(policy: KubeObject, sources: Sources): Promise<CheckedKinds> {
  const spec = object(policy["spec"]);
  const { resources } = await sources.served.all();
  const named = new Map<string, ServedResource>();
  for (const rule of objects(object(spec["matchConstraints"])["resourceRules"])) {
    for (const one of kindsOf(rule, resources).slice(0, MOST_KINDS)) named.set(`${one.apiVersion}/${one.kind}`, one);
  }
  const sorted = [...named.values()].sort(
    (a, b) => compare(a.group, b.group) || compare(a.version, b.version) || compare(a.kind, b.kind),
  );
  const found: CheckedKind[] = [];
  for (const one of sorted) {
    const checked = await schemaOf(one, sources);
    if (checked !== undefined) found.push(checked);
  }
  return { objects: found, params: await paramsOf(spec["paramKind"], resources, sources) };
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

function kindsOf(rule: ReadonlyFields, served: readonly ServedResource[]): readonly ServedResource[] {
  const [groups, versions] = [list(rule["apiGroups"]).map(text), list(rule["apiVersions"]).map(text)];
  if ([...groups, ...versions].some((one) => one.includes("*"))) return [];
  const names = list(rule["resources"]).map(text);
  return groups
    .toSorted()
    .flatMap((group) =>
      versions
        .toSorted()
        .flatMap((version) =>
          names
            .toSorted()
            .flatMap((name) =>
              served.filter((one) => one.group === group && one.version === version && one.resource === name),
            ),
        ),
    );
}

async function paramsOf(
  kind: unknown,
  served: readonly ServedResource[],
  sources: Sources,
): Promise<CheckedKind | undefined> {
  if (!isFields(kind)) return undefined;
  const [apiVersion, name] = [text(kind["apiVersion"]), text(kind["kind"])];
  const found = served.find((one) => one.apiVersion === apiVersion && one.kind === name);
  return found && schemaOf(found, sources);
}

async function schemaOf(
  { apiVersion, kind: name, group, version, resource }: ServedResource,
  { client }: Sources,
): Promise<CheckedKind | undefined> {
  const kind = { ...parseGroupVersion(apiVersion), kind: name };
  const struct = schemaFor(kind);
  if (struct !== undefined) return { kind, struct };
  const definitions = client.of<KubeObject>("apiextensions.k8s.io/v1" as string, "CustomResourceDefinition");
  try {
    const definition = await definitions.get(`${resource}.${group}`);
    const one = objects(object(definition["spec"])["versions"]).find(({ name: of }) => of === version);
    const schema = object(one?.["schema"])["openAPIV3Schema"];
    return isFields(schema) ? { kind, custom: schema as JsonObject } : undefined;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
