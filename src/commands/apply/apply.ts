import { applyObject, type ApplyOptions, findManifests, LAST_APPLIED } from "../../actions/index.js";
import type { Command, Invocation } from "../../cli/command.js";
import { usageError } from "../../cli/errors.js";
import type { Factory } from "../../cli/factory.js";
import { cascadeFlag, readCascade } from "../../cli/flags/deletion-flags.js";
import { printFlags, readPrintRequest } from "../../cli/flags/print-flags.js";
import {
  dryRunFlag,
  fieldManagerFlag,
  filenameFlags,
  readDryRun,
  readFieldValidation,
  readFilenames,
  requireFilenames,
  selectorFlag,
  validateFlag,
  warnCannotValidate,
  withDryRun,
} from "../../cli/flags/resource-flags.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import { printerFor } from "../../printers/formats.js";
import type { Result } from "../../resource/builder.js";
import { type Info, objectName } from "../../resource/info.js";
import { sleep } from "../../resource/url-source.js";
import { aggregate } from "../../resource/visitor.js";
import { listJsonPrinter } from "./list-json-printer.js";

export interface ApplyCommandOptions {
  readonly apply: () => Promise<ApplyOptions>;
  /** What is to be applied. */
  readonly find: () => Promise<Result>;
  /** Prints what was done to one object; with `whole` set it says nothing, and {@link printWhole} prints all at the end. */
  readonly printLine: (operation: "created" | "configured" | "unchanged", object: KubeObject) => void;
  readonly printWhole?: ((object: KubeObject) => void) | undefined;
  readonly warn: (text: string) => void;
  readonly program: string;
}

export function applyCommand(run = runApply): Command {
  return {
    use: "apply (-f FILENAME | -k DIRECTORY)",
    description: `Make resources what files, directories, URLs or stdin say they are. What does not exist is created; what does is changed
where the file changed since it was applied last, and fields that others set are left alone.`,
    examples: `# Apply what pod.json describes
{{program}} apply -f ./pod.json

# Apply what arrives on stdin
cat pod.json | {{program}} apply -f -

# Apply every JSON file of this directory
{{program}} apply -f '*.json'`,
    flags: [
      ...filenameFlags("The files that contain the configurations to apply"),
      cascadeFlag,
      { name: "force", type: "bool", usage: "Delete and create again what cannot be patched" },
      {
        name: "grace-period",
        type: "int",
        default: "-1",
        usage: "With --force: seconds given to the old object to end. Negative leaves it to the object",
      },
      {
        name: "timeout",
        type: "duration",
        default: "0s",
        usage: "With --force: how long the old object may take to go",
      },
      { name: "wait", type: "bool", usage: "Accepted for scripts written for kubectl; has no effect here" },
      ...printFlags,
      validateFlag,
      dryRunFlag,
      fieldManagerFlag("kubectl-client-side-apply"),
      selectorFlag,
      {
        name: "overwrite",
        type: "bool",
        default: "true",
        usage: "Where the file and the live object both changed, take the file's value",
      },
      {
        name: "openapi-patch",
        type: "bool",
        default: "true",
        usage: "Take merge keys from the server's OpenAPI document rather than from the built-in types",
      },
    ],
    execute: async (factory, invocation) => run(complete(factory, invocation)),
  };
}

function complete(factory: Factory, invocation: Invocation): ApplyCommandOptions {
  const { args, flags, signal } = invocation;
  const { streams } = factory;
  if (args.length > 0) throw usageError(invocation, `Unexpected args: [${args.join(" ")}]`);
  const dryRun = readDryRun(flags, factory);
  const propagationPolicy = readCascade(flags, (text) => streams.err.write(text));
  const files = readFilenames(flags);
  requireFilenames(files);
  const fieldValidation = readFieldValidation(flags);
  const force = flags.bool("force");
  if (dryRun === "server" && force) throw new Error("--dry-run=server cannot be used with --force");

  const request = readPrintRequest(flags, factory);
  const write = (text: string): void => void streams.out.write(text);
  const whole = request.output !== "" && request.output !== "name";
  const gracePeriod = flags.number("grace-period");
  const deletion = { propagationPolicy, ...(gracePeriod >= 0 && { gracePeriodSeconds: gracePeriod }) };
  return {
    apply: async () => ({
      client: await factory.restClient(),
      ...(flags.bool("openapi-patch") && { openapi: await factory.openapi() }),
      dryRun,
      fieldManager: flags.string("field-manager"),
      fieldValidation,
      overwrite: flags.bool("overwrite"),
      ...(force && { recreate: { deletion, timeout: flags.duration("timeout") } }),
      sleep,
      signal,
    }),
    find: () =>
      findManifests(factory, {
        files,
        selector: flags.string("selector"),
        fieldValidation,
        cannotWarn: () => warnCannotValidate(factory),
      }),
    printLine: (operation, object) => {
      if (!whole) printerFor(request, withDryRun(operation, dryRun)).print(object, write);
    },
    printWhole: whole
      ? (object) => {
          const printer = request.output.toLowerCase() === "json" ? listJsonPrinter(request) : printerFor(request);
          printer.print(object, write);
        }
      : undefined,
    warn: (text) => void streams.err.write(text),
    program: factory.program,
  };
}

/** Reads everything, then applies one after the other; goes on after a failure. */
export async function runApply(options: ApplyCommandOptions): Promise<void> {
  const result = await options.find();
  const { infos, error } = await result.gather();
  const failures: unknown[] = error === undefined ? [] : [error];
  if (infos.length === 0 && failures.length === 0) throw new Error("no objects passed to apply");
  for (const info of infos) {
    await applyOne(info, options).catch((failure: unknown) => void failures.push(failure));
  }
  if (failures.length === 1) throw failures[0];
  if (failures.length > 1) throw aggregate(failures);
  options.printWhole?.(wholeOf(infos));
}

async function applyOne(info: Info, options: ApplyCommandOptions): Promise<void> {
  for await (const event of applyObject(info, await options.apply())) {
    switch (event.type) {
      case "missingLastApplied":
        options.warn(missingRecord(info, options.program));
        break;
      case "warning":
        options.warn(`warning: ${event.message}\n`);
        break;
      case "created":
      case "configured":
      case "unchanged":
        if (event.deleting) options.warn(beingDeleted(event.object));
        options.printLine(event.type, event.object);
    }
  }
}

const missingRecord = (info: Info, program: string): string =>
  `Warning: resource ${objectName(info)} is missing the ${LAST_APPLIED} annotation which is required by ${program} apply. ${program} apply should only be used on resources created declaratively by either ${program} create --save-config or ${program} apply. The missing annotation will be patched automatically.\n`;

const beingDeleted = (object: KubeObject): string =>
  `Warning: Detected changes to resource ${object.metadata?.name ?? ""} which is currently being deleted.\n`;

/** The one object, or a List of all. */
function wholeOf(infos: readonly Info[]): KubeObject {
  const objects = infos.map((info) => info.object ?? {});
  const [first] = objects;
  if (first !== undefined && objects.length === 1) return first;
  return { apiVersion: "v1", kind: "List", metadata: {}, items: objects };
}
