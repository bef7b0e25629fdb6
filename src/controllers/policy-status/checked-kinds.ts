import type { CustomResourceDefinition } from "../../api/types/apiextensions/v1.js";
import type {
  NamedRuleWithOperations,
  ParamKind,
  ValidatingAdmissionPolicy,
} from "../../api/types/admissionregistration/v1.js";
import type { Release } from "../../api/facts/index.js";
import type { KubernetesClient } from "../../client/dynamic/kubernetes-client.js";
import { isNotFound } from "../../machinery/errors/status-error.js";
import {
  isStruct,
  list,
  object,
  objects,
  type OrAbsent,
  type Received,
  type ReceivedObject,
  text,
} from "../../machinery/meta/received.js";
import { type GroupVersionKind, parseGroupVersion } from "../../machinery/meta/gvk.js";
import type { JsonObject } from "../../machinery/meta/json.js";
import type { StructSchema } from "../../machinery/schema/schema.js";
import type { ServedResource, ServedResources } from "../served-resources.js";

/** A kind that a policy's rules name, with the schema for the type check. */
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
  readonly release: Release;
  readonly client: KubernetesClient;
  readonly served: ServedResources;
}

/** As many of one rule are checked at most. */
const MOST_KINDS = 10;

/** Finds the kinds that a policy names. A rule with a wildcard names none, and subresources are not checked. */
export async function checkedKinds(
  policy: ReceivedObject<ValidatingAdmissionPolicy>,
  sources: Sources,
): Promise<CheckedKinds> {
  const spec = object(policy.spec);
  const { resources } = await sources.served.all();
  const named = new Map<string, ServedResource>();
  for (const rule of objects(object(spec.matchConstraints).resourceRules)) {
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
  return { objects: found, params: await paramsOf(spec.paramKind, resources, sources) };
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

function kindsOf(
  rule: Received<NamedRuleWithOperations>,
  served: readonly ServedResource[],
): readonly ServedResource[] {
  const [groups, versions] = [list(rule.apiGroups).map(text), list(rule.apiVersions).map(text)];
  if ([...groups, ...versions].some((one) => one.includes("*"))) return [];
  const names = list(rule.resources).map(text);
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
  kind: OrAbsent<Received<ParamKind>>,
  served: readonly ServedResource[],
  sources: Sources,
): Promise<CheckedKind | undefined> {
  if (!isStruct(kind)) return undefined;
  const [apiVersion, name] = [text(kind.apiVersion), text(kind.kind)];
  const found = served.find((one) => one.apiVersion === apiVersion && one.kind === name);
  return found && schemaOf(found, sources);
}

async function schemaOf(
  { apiVersion, kind: name, group, version, resource }: ServedResource,
  { release, client }: Sources,
): Promise<CheckedKind | undefined> {
  const kind = { ...parseGroupVersion(apiVersion), kind: name };
  const struct = release.definitions.schemaFor(kind);
  if (struct !== undefined) return { kind, struct };
  const definitions = client.of("apiextensions.k8s.io/v1", "CustomResourceDefinition");
  try {
    const definition: ReceivedObject<CustomResourceDefinition> = await definitions.get(`${resource}.${group}`);
    const one = objects(object(definition.spec).versions).find(({ name: of }) => of === version);
    const schema = object(one?.schema).openAPIV3Schema;
    return isStruct(schema) ? { kind, custom: schema as JsonObject } : undefined;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
