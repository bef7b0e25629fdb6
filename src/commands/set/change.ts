import { errorMessage } from "../../base/text/error-message.js";
import { calculatePatch } from "../../actions/apply/three-way-patch.js";
import { readTyped, readAllTyped } from "../../actions/typed/read-typed.js";
import type { Command, Invocation } from "../../cli/command.js";
import type { Factory } from "../../cli/connect/factory.js";
import { printFlags, readPrintRequest } from "../../cli/flags/print-flags.js";
import { type DryRunStrategy, withDryRun } from "../../cli/flags/resource-flags.js";
import type { RestClient } from "../../client/rest/rest-client.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import { printerFor } from "../../printers/formats.js";
import { Helper } from "../../resource/helper.js";
import { type Info, objectName } from "../../resource/info.js";
import { throwAll } from "../../resource/visitor.js";
import { loadTypedKinds, type TypedKinds } from "../../actions/typed/typed-object.js";
import { localResourceError } from "../../cli/flags/selection-flags.js";
import type { FilenameOptions } from "../../resource/builder.js";

/** How changes are sent and printed. */
export interface ChangeOptions {
  readonly infos: readonly Info[];
  readonly kinds: TypedKinds;
  readonly local: boolean;
  readonly dryRun: DryRunStrategy;
  readonly fieldManager: string;
  readonly client: () => Promise<RestClient>;
  readonly print: (object: KubeObject) => void;
}

/** Makes the printer for -o of commands that print typed objects. Throws for an unknown format. */
export function typedPrint(
  factory: Factory,
  { flags }: Invocation,
  operation: string,
  dryRun: DryRunStrategy,
  kinds: TypedKinds,
): (object: KubeObject) => void {
  const printer = printerFor(
    { ...readPrintRequest(flags, factory), encode: kinds.encode },
    withDryRun(operation, dryRun),
  );
  return (object) => printer.print(object, (text) => factory.streams.out.write(text));
}

export const outputFlags: Command["flags"] = printFlags;

/** Changes an object. Returns undefined for an object that it does not apply to, and reports each error by `fail`. */
export type Change = (object: KubeObject, fail: (error: Error) => void) => KubeObject | undefined;

/** Makes the message of a failure: "failed to patch image update to pod template: ...". */
export type DescribeFailure = (message: string) => string;

/**
 * Computes all changes, then sends the patches one after the other; unchanged objects are sent only with `sendAll`. `afterSending`
 * may throw to stop. Throws all errors together.
 */
export async function changeAll(
  options: ChangeOptions,
  change: Change,
  describeFailure: DescribeFailure,
  { sendAll = false, afterSending }: { readonly sendAll?: boolean; readonly afterSending?: () => void } = {},
): Promise<void> {
  const failures: unknown[] = [];
  const changed = options.infos.map((info) => attempt(info, change, options.kinds, failures));
  for (const [index, info] of options.infos.entries()) {
    const outcome = changed[index];
    if (outcome === undefined) continue;
    if ("error" in outcome) {
      failures.push(new Error(`error: ${objectName(info)} ${errorMessage(outcome.error)}\n`));
      continue;
    }
    const { text } = await calculatePatch(info.mapping.kind, info.object ?? {}, outcome.object);
    if (text === "{}" && !sendAll) continue;
    const sent = await send(info, outcome.object, text, options, describeFailure).catch(
      (error: unknown) => void failures.push(error),
    );
    if (sent === undefined) continue;
    if (!isLocal(options)) afterSending?.();
    options.print(sent);
  }
  throwAll(failures);
}

type Outcome = { readonly object: KubeObject } | { readonly error: unknown };

function attempt(info: Info, change: Change, kinds: TypedKinds, failures: unknown[]): Outcome | undefined {
  try {
    const object = change(structuredClone(info.object ?? {}), (error) => failures.push(error));
    return object && { object: readTyped(object, kinds) };
  } catch (error) {
    return { error };
  }
}

async function send(
  info: Info,
  changed: KubeObject,
  patch: string,
  options: ChangeOptions,
  describeFailure: DescribeFailure,
): Promise<KubeObject> {
  if (isLocal(options)) return changed;
  const { dryRun, fieldManager, client } = options;
  const helper = new Helper(await client(), info.mapping, { dryRun: dryRun === "server", fieldManager });
  const bytes = new TextEncoder().encode(patch);
  return helper.patch(info.namespace, info.name, "strategic", bytes).catch((error: unknown) => {
    throw new Error(describeFailure(errorMessage(error)), { cause: error });
  });
}

const isLocal = ({ local, dryRun }: ChangeOptions): boolean => local || dryRun === "client";

/** The flags and arguments that select the objects to change. */
export interface Selection {
  readonly local: boolean;
  readonly files: FilenameOptions;
  readonly resources: readonly string[];
  readonly selector: string;
  readonly all: boolean;
}

/** Finds the selected objects, each in the form of its Go type. Throws the errors together. */
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

/** Throws for operands with --local, because they name objects of the server. */
export function requireNoOperands(local: boolean, operands: readonly string[]): void {
  if (local && operands.length > 0) throw localResourceError();
}

export { loadTypedKinds, type TypedKinds };
