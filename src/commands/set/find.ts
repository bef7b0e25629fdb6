import { readAllTyped, readTyped } from "../../actions/typed/read-typed.js";
import { loadTypedKinds, type TypedKinds } from "../../actions/typed/typed-object.js";
import type { Factory } from "../../cli/connect/factory.js";
import { localResourceError } from "../../cli/flags/selection-flags.js";
import type { FilenameOptions } from "../../resource/builder.js";
import type { Info } from "../../resource/info.js";

/** What is to be changed. */
export interface Selection {
  readonly local: boolean;
  readonly files: FilenameOptions;
  readonly resources: readonly string[];
  readonly selector: string;
  readonly all: boolean;
}

/** The objects that were chosen, each as its Go type holds it. Throws together what could not be had. */
export async function find(factory: Factory, kinds: TypedKinds, selection: Selection): Promise<readonly Info[]> {
  const { local, files, resources, selector, all } = selection;
  const { namespace, enforced } = await factory.namespace();
  const builder = (await factory.builder())
    .decode((object) => readTyped(object, kinds))
    .local(local)
    .continueOnError()
    .namespaceParam(namespace)
    .defaultNamespace()
    .filenames(enforced, files)
    .flatten();
  if (!local) builder.labelSelector(selector).typeOrNameArgs(all, resources).latest();
  const result = await builder.do();
  return readAllTyped(await result.infos(), kinds);
}

/** Operands name what only a server has. */
export function requireNoOperands(local: boolean, operands: readonly string[]): void {
  if (local && operands.length > 0) throw localResourceError();
}

export { loadTypedKinds, type TypedKinds };
