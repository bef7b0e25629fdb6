import { errorMessage } from "../../base/text/error-message.js";
import {
  createByClient,
  loadTypedKinds,
  recordTypedConfiguration,
  type TypedKinds,
} from "../../actions/typed/typed-object.js";
import type { Invocation } from "../../cli/command.js";
import { usageError } from "../../cli/errors.js";
import type { Factory } from "../../cli/connect/factory.js";
import type { FlagSpec } from "../../component/flags/flag-set.js";
import { printFlags, readPrintRequest } from "../../cli/flags/print-flags.js";
import {
  type DryRunStrategy,
  dryRunFlag,
  fieldManagerFlag,
  type FieldValidation,
  readDryRun,
  readFieldValidation,
  saveConfigFlag,
  validateFlag,
  withDryRun,
} from "../../cli/flags/resource-flags.js";
import type { RestClient } from "../../client/rest/rest-client.js";
import type { KubeObject, ObjectMeta } from "../../machinery/meta/object.js";
import { printerFor } from "../../printers/formats.js";
import { Helper } from "../../resource/helper.js";

// What the subcommands of `create` have in common: they make one object of a built-in kind from their flags.

/** The flags of every subcommand that creates an object. */
export const generatedFlags: readonly FlagSpec[] = [
  ...printFlags,
  saveConfigFlag,
  validateFlag,
  dryRunFlag,
  fieldManagerFlag("kubectl-create"),
];

export interface GeneratedOptions {
  readonly name: string;
  /** In which it is created. */
  readonly namespace: string;
  /** -n was given: then the object itself names its namespace too. */
  readonly enforceNamespace: boolean;
  readonly dryRun: DryRunStrategy;
  readonly fieldManager: string;
  readonly fieldValidation: FieldValidation;
  /** Records what is created for a later apply. */
  readonly saveConfig: boolean;
  readonly client: RestClient;
  readonly kinds: TypedKinds;
  readonly print: (object: KubeObject) => void;
}

/** Reads {@link generatedFlags} and the operand NAME. It checks them in kubectl's order. */
export async function completeGenerated(factory: Factory, invocation: Invocation): Promise<GeneratedOptions> {
  const { flags } = invocation;
  const name = nameOperand(invocation);
  const client = await factory.restClient();
  const dryRun = readDryRun(flags, factory);
  const { namespace, enforced } = await factory.namespace();
  const kinds = await loadTypedKinds();
  const request = { ...readPrintRequest(flags, factory), encode: kinds.encode };
  const printer = printerFor(request, withDryRun("created", dryRun));
  return {
    name,
    namespace,
    enforceNamespace: enforced,
    dryRun,
    fieldManager: flags.string("field-manager"),
    fieldValidation: readFieldValidation(flags),
    saveConfig: flags.bool("save-config"),
    client,
    kinds,
    print: (object) => printer.print(object, (text) => factory.streams.out.write(text)),
  };
}

/** The operand NAME; further operands may follow after `--`. */
export function nameOperand(invocation: Invocation): string {
  const { args, argsLenAtDash } = invocation;
  const count = argsLenAtDash === -1 ? args.length : argsLenAtDash;
  if (count !== 1) throw usageError(invocation, `exactly one NAME is required, got ${count}`);
  return args[0] ?? "";
}

export function requireName({ name }: GeneratedOptions): void {
  if (name === "") throw new Error("name must be specified");
}

/** metadata of an object that lives in a namespace. */
export function namespacedMetadata({ name, namespace, enforceNamespace }: GeneratedOptions): ObjectMeta {
  return enforceNamespace ? { name, namespace } : { name };
}

/**
 * Creates the object, unless in a dry run, and prints it. `failed` is the prefix of an error of the server or the connection:
 * "failed to create deployment:".
 */
export async function createGenerated(object: KubeObject, options: GeneratedOptions, failed?: string): Promise<void> {
  const { kinds, dryRun, namespace, fieldManager, fieldValidation } = options;
  const recorded = recordTypedConfiguration(object, options.saveConfig, kinds);
  if (dryRun === "client") return options.print(recorded);
  const helper = new Helper(options.client, kinds.mapping(recorded), {
    dryRun: dryRun === "server",
    fieldManager,
    fieldValidation,
  });
  const created = await createByClient(recorded, namespace, helper, kinds).catch((error: unknown) => {
    throw failed === undefined ? error : withPrefix(failed, error);
  });
  options.print(created);
}

/** Puts a prefix before the message of an error. The result is a plain Error, whose Status the boundary no longer treats specially. */
export function withPrefix(prefix: string, error: unknown): Error {
  return new Error(`${prefix} ${errorMessage(error)}`, { cause: error });
}
