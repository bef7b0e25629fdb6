import type { Command, Invocation } from "../../cli/command.js";
import { completeWords } from "../../cli/completion/resource-completers.js";
import {
  cascadeFlag,
  recordFlag,
  CLIENT_SIDE_MANAGER,
  pruneAllowlistFlag,
  serverSideFlags,
  readCascade,
  readRecord,
  PRUNE_NOTICE,
  readApplyManager,
} from "../../cli/flags/change-flags.js";
import { printFlags, readPrintRequest } from "../../cli/flags/print-flags.js";
import {
  dryRunFlag,
  fieldManagerFlag,
  filenameFlags,
  selectorFlag,
  validateFlag,
  readDryRun,
  readFieldValidation,
  readFilenames,
  requireFilenames,
  warnCannotValidate,
  withDryRun,
} from "../../cli/flags/resource-flags.js";
import { SUBRESOURCES, subresourceFlag } from "../../cli/flags/selection-flags.js";
import type { FlagSpec } from "../../component/flags/flag-set.js";
import type { ApplyOptions } from "../../actions/apply/apply-object.js";
import type { ServerSideOptions } from "../../actions/apply/apply-server-side.js";
import type { Stage } from "../../actions/apply/apply-stages.js";
import { runApply } from "./run.js";
import { errorMessage } from "../../base/text/error-message.js";
import { goQuote } from "../../base/text/go-quote.js";
import { findManifests } from "../../actions/find-manifests.js";
import { parsePruneKinds, type PruneKind } from "../../actions/apply/prune.js";
import { kubernetesRelease } from "../../cli/connect/client-version.js";
import { usageError } from "../../cli/errors.js";
import type { Factory } from "../../cli/connect/factory.js";
import { klogWarning } from "../../machinery/text/klog/klog.js";
import { withChangeCause } from "../../polymorphic-helpers/change-cause.js";
import { printerFor, type PrintRequest } from "../../printers/formats.js";
import { sleep } from "../../resource/url-source.js";
import { ApplySet, parseParent } from "./apply-set.js";
import { type ApplyCommandOptions, type ApplyChoices, validate } from "./options.js";
import { encodeJson } from "../../machinery/wire/json/json-encoder.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import { sortedByKey } from "../../machinery/meta/sorted-by-key.js";
import type { Printer } from "../../printers/printer.js";
import { isList } from "../../resource/lists.js";

const FLAGS: readonly FlagSpec[] = [
  ...filenameFlags("The files that contain the configurations to apply"),
  cascadeFlag,
  { name: "force", type: "bool", usage: "Delete and create again what cannot be patched" },
  {
    name: "grace-period",
    type: "int",
    default: "-1",
    usage: "With --force and --prune: seconds given to an object to end. Negative leaves it to the object",
  },
  {
    name: "timeout",
    type: "duration",
    default: "0s",
    usage:
      "With --force: how long the old object may take to go. With --ordered: how long what others need may take to be there; a minute if it is 0",
  },
  { name: "wait", type: "bool", usage: "Accepted for scripts written for kubectl; has no effect here" },
  recordFlag,
  ...printFlags,
  validateFlag,
  dryRunFlag,
  ...serverSideFlags,
  fieldManagerFlag(CLIENT_SIDE_MANAGER),
  selectorFlag,
  pruneAllowlistFlag,
  { name: "all", type: "bool", usage: "With --prune: whatever its labels" },
  {
    name: "applyset",
    type: "string",
    gate: "KUBECTL_APPLYSET",
    usage:
      "With --prune: the object that keeps track of the set, as [RESOURCE[.GROUP]/]NAME. A Secret when no type is named",
  },
  {
    name: "ordered",
    type: "bool",
    usage:
      "Apply by kind, not in the order of the files: namespaces and definitions of custom resources first, each waited for until it can be used, then what others refer to, workloads, the rest, and webhooks last",
  },
  { name: "prune", type: "bool", usage: "Delete what was applied earlier and is in the files no more" },
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
  subresourceFlag,
];

export function applyCommand(run = runApply): Command {
  return {
    use: "apply (-f FILENAME | -k DIRECTORY)",
    description: `Make resources what files, directories, URLs or stdin say they are. What does not exist is created; what does is changed
where the file changed since it was applied last, and fields that others set are left alone.

With --server-side the server merges, and refuses to change fields that another manager owns. With --prune what was applied
earlier and is not in the files any more is deleted; try it with --dry-run=server or the diff command first.`,
    examples: `# Apply what pod.json describes
{{program}} apply -f ./pod.json

# Apply what arrives on stdin
cat pod.json | {{program}} apply -f -

# Apply every JSON file of this directory
{{program}} apply -f '*.json'

# A namespace, a definition and what uses them, whatever the order of the files
{{program}} apply --ordered -f app/

# Let the server merge
{{program}} apply --server-side -f app.yaml

# Apply a folder, and delete the config maps that are not in it any more
{{program}} apply -f app/ --prune --all --prune-allowlist=core/v1/ConfigMap`,
    flags: FLAGS,
    execute: async (factory, invocation) => run(await complete(factory, invocation)),
    completeFlags: { subresource: completeWords(SUBRESOURCES) },
  };
}

/** Reads the options from the flags. Throws for contradictory flags. */
export async function complete(factory: Factory, invocation: Invocation): Promise<ApplyCommandOptions> {
  const { args, flags } = invocation;
  const { streams } = factory;
  if (args.length > 0) throw usageError(invocation, `Unexpected args: [${args.join(" ")}]`);
  const dryRun = readDryRun(flags, factory);
  await factory.clientConfig();
  const warn = (text: string): void => void streams.err.write(text);
  const propagationPolicy = readCascade(flags, warn);
  const files = readFilenames(flags);
  requireFilenames(files);
  const fieldValidation = readFieldValidation(flags);
  const log = (source: string, text: string): void => warn(klogWarning(source, text, new Date(factory.clock.now())));
  const applySet = await readApplySet(factory, invocation, { dryRun, fieldValidation, log });
  const choices = await readChoices(factory, invocation, dryRun);
  await validate(choices, applySet);

  const request = readPrintRequest(flags, factory);
  const gracePeriod = flags.number("grace-period");
  const deletion = { propagationPolicy, ...(gracePeriod >= 0 && { gracePeriodSeconds: gracePeriod }) };
  const cause = readRecord(invocation);
  const applying: Applying = { choices, files, fieldValidation, fieldManager: readApplyManager(flags), deletion };
  const { namespace, enforced } = await factory.namespace();
  return {
    choices,
    applySet,
    namespaces: enforced ? [namespace] : [],
    record: (object) => withChangeCause(object, cause),
    clientSide: () => clientSideOptions(factory, invocation, applying),
    serverSide: () => serverSideOptions(factory, invocation, applying),
    stages: () => findStages(factory, invocation, applying),
    client: factory.restClient,
    mapper: factory.mapper,
    deletion,
    ...printersOf(request, dryRun, streams),
    log: () => factory.log(),
    warn,
    warnOfPruneDefault: () => log(PRUNE_NOTICE.source, PRUNE_NOTICE.text),
    program: factory.program,
  };
}

async function readChoices(
  factory: Factory,
  { flags }: Invocation,
  dryRun: ApplyChoices["dryRun"],
): Promise<ApplyChoices> {
  return {
    serverSide: flags.bool("server-side"),
    forceConflicts: flags.bool("force-conflicts"),
    force: flags.bool("force"),
    dryRun,
    all: flags.bool("all"),
    selector: flags.string("selector"),
    prune: flags.bool("prune"),
    pruneKinds: flags.bool("prune") ? await readPruneKinds(factory, flags.strings("prune-allowlist")) : [],
    subresource: flags.string("subresource"),
    ordered: flags.bool("ordered"),
  };
}

/** What is applied, and how. */
interface Applying {
  readonly choices: ApplyChoices;
  readonly files: ReturnType<typeof readFilenames>;
  readonly fieldValidation: ReturnType<typeof readFieldValidation>;
  readonly fieldManager: string;
  readonly deletion: ApplyCommandOptions["deletion"];
}

async function clientSideOptions(
  factory: Factory,
  { flags, signal }: Invocation,
  { choices, fieldManager, fieldValidation, deletion }: Applying,
): Promise<ApplyOptions> {
  return {
    client: await factory.restClient(),
    ...(flags.bool("openapi-patch") && { openapi: await factory.openapi() }),
    dryRun: choices.dryRun,
    fieldManager,
    fieldValidation,
    overwrite: flags.bool("overwrite"),
    ...(choices.force && { recreate: { deletion, timeout: flags.duration("timeout") } }),
    sleep,
    signal,
  };
}

async function serverSideOptions(
  factory: Factory,
  { signal }: Invocation,
  { choices, fieldManager, fieldValidation }: Applying,
): Promise<ServerSideOptions> {
  return {
    client: await factory.restClient(),
    dryRun: choices.dryRun === "server",
    fieldManager,
    fieldValidation,
    subresource: choices.subresource,
    force: choices.forceConflicts,
    signal,
  };
}

const A_MINUTE = 60_000;

async function findStages(
  factory: Factory,
  { flags, signal }: Invocation,
  { choices, files, fieldValidation }: Applying,
): Promise<readonly Stage[]> {
  const { selector, ordered, dryRun } = choices;
  const manifests = { files, selector, fieldValidation, cannotWarn: () => warnCannotValidate(factory) };
  if (!ordered) return [{ find: () => findManifests(factory, manifests) }];
  const { orderedStages } = await import("../../actions/apply/apply-stages.js");
  return orderedStages(manifests, {
    namespace: factory.namespace,
    builder: factory.builder,
    openapi: factory.openapi,
    restClient: factory.restClient,
    client: factory.restClient,
    mapper: factory.mapper,
    sleep,
    dryRun: dryRun !== "none",
    timeout: flags.duration("timeout") || A_MINUTE,
    signal,
  });
}

/** Says what prints: each object when it was applied, or all of them in the end. */
function printersOf(
  request: PrintRequest,
  dryRun: ApplyChoices["dryRun"],
  streams: Factory["streams"],
): Pick<ApplyCommandOptions, "printLine" | "printPruned" | "printWhole"> {
  const write = (text: string): void => void streams.out.write(text);
  const whole = request.output !== "" && request.output !== "name";
  return {
    printLine: (operation, object) => {
      if (!whole) printerFor(request, withDryRun(operation, dryRun)).print(object, write);
    },
    printPruned: (object) => printerFor(request, withDryRun("pruned", dryRun)).print(object, write),
    printWhole: whole ? (object) => listPrinter(request).print(object, write) : undefined,
  };
}

async function readPruneKinds(factory: Factory, texts: readonly string[]): Promise<readonly PruneKind[]> {
  return texts.length === 0 ? [] : parsePruneKinds(texts, await factory.mapper());
}

interface ApplySetSurroundings {
  readonly dryRun: "none" | "client" | "server";
  readonly fieldValidation: string;
  readonly log: (source: string, text: string) => void;
}

/** The set that --applyset names. Its parent's namespace is that of -n, never the kubeconfig's. */
async function readApplySet(
  factory: Factory,
  { flags }: Invocation,
  { dryRun, fieldValidation, log }: ApplySetSurroundings,
): Promise<ApplySet | undefined> {
  const reference = flags.has("applyset") ? flags.string("applyset") : "";
  if (reference === "") return undefined;
  const { namespace, enforced } = await factory.namespace();
  const parent = await parseParent(reference, await factory.mapper()).catch((error: unknown) => {
    const message = errorMessage(error);
    throw new Error(`invalid parent reference ${goQuote(reference)}: ${message}`, { cause: error });
  });
  return new ApplySet({
    parent: { ...parent, namespace: enforced && parent.mapping.namespaced ? namespace : "" },
    version: kubernetesRelease.gitVersion,
    mapper: factory.mapper,
    client: factory.restClient,
    dryRun,
    fieldValidation,
    warnOfConflict: (error, fieldManager) => {
      const message = errorMessage(error);
      log(
        "applyset.go:447",
        `WARNING: failed to update ApplySet: ${message}\nApplySet field manager ${fieldManager} should own these fields. Retrying with conflicts forced.`,
      );
    },
  });
}

/** For objects, and for the List of them that kubectl puts together itself: that one is printed as its Go type has it. */
function listPrinter(request: PrintRequest): Printer {
  const single = printerFor(request);
  const list = printerFor({ ...request, encode: encodeList });
  return { print: (object: KubeObject, out) => (isList(object) ? list : single).print(object, out) };
}

/** The fields of the List in the order of its type, of the objects in it in the order of their names. */
function encodeList({ kind, apiVersion, metadata, ...rest }: KubeObject): string {
  return encodeJson({ kind, apiVersion, metadata, ...(sortedByKey(rest) as object) });
}
