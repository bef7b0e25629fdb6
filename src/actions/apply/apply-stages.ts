import { findManifests, type ManifestReader, type ManifestSelection } from "../find-manifests.js";
import { waitUntilServed, waitUntilUsable } from "../wait/wait-until-usable.js";
import type { RestClient } from "../../client/rest/rest-client.js";
import { applyPlace, FOUNDATIONS, kindKey } from "../../polymorphic-helpers/apply-order.js";
import { object, objects, text } from "../../machinery/meta/access.js";
import { type GroupKind, parseGroupVersion } from "../../machinery/meta/gvk.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import type { RestMapper } from "../../machinery/rest-mapper.js";
import type { Result } from "../../resource/builder.js";
import type { Info } from "../../resource/info.js";

/** Objects that are applied together. */
export interface Stage {
  readonly find: () => Promise<Result>;
  /** Resolves when the next stage may begin; throws when it may not. Absent: at once. */
  readonly ready?: ((applied: readonly Info[]) => Promise<void>) | undefined;
}

export interface OrderedOptions extends ManifestReader {
  readonly client: () => Promise<RestClient>;
  readonly mapper: () => Promise<RestMapper>;
  readonly sleep: (milliseconds: number) => Promise<void>;
  /** Nothing will be there to be waited for. */
  readonly dryRun: boolean;
  /** Milliseconds for each object that is waited for. */
  readonly timeout: number;
  readonly signal: AbortSignal;
}

/** A document as it was read, before the server was asked for its kind. */
interface Document {
  readonly source: string;
  readonly object: KubeObject;
}

/**
 * Makes the stages of `apply --ordered`: namespaces, definitions of custom resources, and all else by kind; objects of one kind
 * keep the order of the files. The kinds of a stage are looked up when it begins, so that a custom resource and its definition may
 * be in the same files. Throws before anything is applied for a document that cannot be read, or is in another namespace than -n
 * names.
 */
export async function orderedStages(selection: ManifestSelection, options: OrderedOptions): Promise<readonly Stage[]> {
  const { namespace, enforced } = await options.namespace();
  const builder = await options.builder();
  const result = await builder
    .local(true)
    .continueOnError()
    .namespaceParam(namespace)
    .filenames(enforced, selection.files)
    .labelSelector(selection.selector)
    .flatten()
    .do();
  const documents = (await result.infos())
    .map(({ source, object: read = {} }): Document => ({ source, object: read }))
    .toSorted((a, b) => applyPlace(kindOf(a)) - applyPlace(kindOf(b)));

  const rest = documents.filter((document) => !FOUNDATIONS.includes(kindKey(kindOf(document))));
  const groups = [...FOUNDATIONS.map((kind) => documents.filter((one) => kindKey(kindOf(one)) === kind)), rest];
  return groups
    .filter((group) => group.length > 0)
    .map((group) => ({
      find: () => findManifests(options, { ...selection, documents: group }),
      ready:
        group === rest || options.dryRun
          ? undefined
          : (applied) => waitForFoundations(applied, rest.map(kindOf), options),
    }));
}

function kindOf({ object: { apiVersion = "", kind = "" } }: Document): GroupKind {
  return { group: parseGroupVersion(apiVersion).group, kind };
}

/** Waits until namespaces and definitions can be relied on by objects of the kinds that are still to be applied. */
export async function waitForFoundations(
  applied: readonly Info[],
  needed: readonly GroupKind[],
  {
    client,
    mapper,
    signal,
    sleep,
    timeout,
  }: Pick<OrderedOptions, "client" | "mapper" | "signal" | "sleep" | "timeout">,
): Promise<void> {
  const within = (): AbortSignal => AbortSignal.any([signal, AbortSignal.timeout(timeout)]);
  for (const info of applied) await waitUntilUsable(info, { client: await client(), deadline: within() });
  const defined = applied.flatMap(({ object: definition }) => definedKind(definition));
  const used = defined.filter((kind) => needed.some((one) => kindKey(one) === kindKey(kind)));
  if (used.length > 0) await waitUntilServed(used, await mapper(), { deadline: within(), sleep });
}

/** The kind that a CustomResourceDefinition defines. */
function definedKind(definition: KubeObject | undefined): readonly GroupKind[] {
  if (definition?.kind !== "CustomResourceDefinition") return [];
  const { group, names, versions } = object(definition.spec);
  if (!objects(versions).some(({ served }) => served === true)) return [];
  return [{ group: text(group), kind: text(object(names).kind) }];
}
