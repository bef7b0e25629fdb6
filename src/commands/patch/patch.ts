import { resolve } from "node:path";
import { goQuote } from "../../base/text/go-quote.js";
import { withMistyped } from "../../base/text/mistyped.js";
import { PathError } from "../../base/files/path-error.js";
import type { Command, Invocation } from "../../cli/command.js";
import { completeTypesAndNames, offerWords } from "../../cli/completion/resource-completers.js";
import type { Factory } from "../../cli/connect/factory.js";
import { printFlags, readPrintRequest } from "../../cli/flags/print-flags.js";
import { readRecord, recordFlag } from "../../cli/flags/change-flags.js";
import {
  type DryRunStrategy,
  dryRunFlag,
  fieldManagerFlag,
  filenameFlags,
  readDryRun,
  readFilenames,
} from "../../cli/flags/resource-flags.js";
import { localFlag, SUBRESOURCES, subresourceFlag } from "../../cli/flags/selection-flags.js";
import type { RestClient } from "../../client/rest/rest-client.js";
import { changeCausePatch } from "../../polymorphic-helpers/change-cause.js";
import { isUnsupportedMediaType } from "../../machinery/errors/status-error.js";
import { formatGroupVersion, type GroupVersionKind } from "../../machinery/meta/gvk.js";
import { type JsonValue, isJsonObject, type JsonObject } from "../../machinery/meta/json.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import { deepEqual } from "../../machinery/patch/json-values.js";
import { printerFor } from "../../printers/formats.js";
import type { Result } from "../../resource/builder.js";
import { sortedJson } from "../../resource/encode-json.js";
import { Helper } from "../../resource/helper.js";
import type { Info } from "../../resource/info.js";
import { builtInPatchSchema } from "../../actions/apply/three-way-patch.js";
import { decodeJson } from "../../machinery/wire/json/json-decoder.js";
import { applyJsonPatch } from "../../machinery/patch/json-patch.js";
import { applyMergePatch } from "../../machinery/patch/merge-patch.js";
import { strategicMergePatch } from "../../machinery/patch/strategic-merge.js";

export type PatchKind = "json" | "merge" | "strategic";

const MEDIA_TYPES: Readonly<Record<PatchKind, string>> = {
  json: "application/json-patch+json",
  merge: "application/merge-patch+json",
  strategic: "application/strategic-merge-patch+json",
};

export interface PatchOptions {
  readonly type: PatchKind;
  /** As it is sent. */
  readonly patch: string;
  readonly local: boolean;
  readonly dryRun: DryRunStrategy;
  readonly fieldManager: string;
  readonly subresource: string;
  /** Why, for --record. */
  readonly cause: string | undefined;
  readonly find: () => Promise<Result>;
  readonly client: () => Promise<RestClient>;
  readonly print: (object: KubeObject, operation: string) => void;
}

export function patchCommand(run = runPatch): Command {
  return {
    use: "patch (-f FILENAME | TYPE NAME) [-p PATCH|--patch-file FILE]",
    description: `Change fields of a resource by a strategic merge patch, a JSON merge patch or a JSON patch, in JSON or YAML.

A strategic merge patch merges lists by the key of their items (containers by name); custom resources do not take it.`,
    examples: `# Make a node unschedulable
{{program}} patch node k8s-node-1 -p '{"spec":{"unschedulable":true}}'

# The same in YAML
{{program}} patch node k8s-node-1 -p $'spec:\\n unschedulable: true'

# The node that node.json names
{{program}} patch -f node.json -p '{"spec":{"unschedulable":true}}'

# The image of one container, found by its name
{{program}} patch pod valid-pod -p '{"spec":{"containers":[{"name":"web","image":"nginx:1.27"}]}}'

# The image of the first container
{{program}} patch pod valid-pod --type=json -p='[{"op": "replace", "path": "/spec/containers/0/image", "value":"nginx:1.27"}]'

# The replicas of a deployment, by its scale
{{program}} patch deployment nginx-deployment --subresource=scale --type=merge -p '{"spec":{"replicas":2}}'`,
    flags: [
      recordFlag,
      ...printFlags,
      { name: "patch", short: "p", type: "string", usage: "The patch" },
      { name: "patch-file", type: "string", usage: "File that holds the patch" },
      { name: "type", type: "string", default: "strategic", usage: "What the patch is: one of [json merge strategic]" },
      dryRunFlag,
      ...filenameFlags("File, directory or URL that names what to patch"),
      localFlag,
      fieldManagerFlag("kubectl-patch"),
      subresourceFlag,
    ],
    execute: async (factory, invocation) => run(await complete(factory, invocation)),
    completeArgs: completeTypesAndNames,
    completeFlags: { subresource: offerWords(SUBRESOURCES) },
  };
}

async function complete(factory: Factory, invocation: Invocation): Promise<PatchOptions> {
  const { args, flags } = invocation;
  const dryRun = readDryRun(flags, factory);
  const { namespace, enforced } = await factory.namespace();
  const local = flags.bool("local");
  const type = validate(invocation, dryRun);
  const subresource = flags.string("subresource");
  return {
    type,
    patch: await readPatch(invocation, factory),
    local,
    dryRun,
    fieldManager: flags.string("field-manager"),
    subresource,
    cause: readRecord(invocation),
    find: async () => {
      const builder = await factory.builder();
      return builder
        .local(local)
        .continueOnError()
        .namespaceParam(namespace)
        .defaultNamespace()
        .filenames(enforced, readFilenames(flags))
        .subresource(subresource)
        .typeOrNameArgs(false, args)
        .flatten()
        .do();
    },
    client: factory.restClient,
    print: (object, operation) =>
      printerFor(readPrintRequest(flags, factory), operation).print(object, (text) => factory.streams.out.write(text)),
  };
}

function validate({ args, flags }: Invocation, dryRun: DryRunStrategy): PatchKind {
  const [patch, file] = [flags.string("patch"), flags.string("patch-file")];
  if (patch !== "" && file !== "") throw new Error("cannot specify --patch and --patch-file together");
  if (patch === "" && file === "") {
    throw new Error("must specify --patch or --patch-file containing the contents of the patch");
  }
  const local = flags.bool("local");
  if (local && args.length > 0) throw new Error("cannot specify --local and server resources");
  if (local && dryRun === "server") {
    throw new Error("cannot specify --local and --dry-run=server - did you mean --dry-run=client?");
  }
  const given = flags.string("type");
  const type = given === "" ? "strategic" : given.toLowerCase();
  if (type === "json" || type === "merge" || type === "strategic") return type;
  const error = new Error(`--type must be one of [json merge strategic], not ${goQuote(given)}`);
  throw withMistyped(error, () => ({ typed: type, known: ["json", "merge", "strategic"] }));
}

/** JSON stays as it was written, YAML becomes JSON. */
async function readPatch({ flags }: Invocation, factory: Factory): Promise<string> {
  const given = flags.string("patch");
  const file = flags.string("patch-file");
  const text = file === "" ? given : readPatchFile(file, factory);
  if (/^\s*\{/.test(text)) return text;
  const { parseYaml } = await import("../../machinery/text/yaml/read.js");
  try {
    return sortedJson(parseYaml(text));
  } catch (error) {
    const problem = (error as Error).message.replace("error converting YAML to JSON: ", "");
    throw new Error(`unable to parse ${goQuote(given)}: ${problem}`, { cause: error });
  }
}

function readPatchFile(path: string, { cwd, files }: Factory): string {
  try {
    return files.readFileSync(resolve(cwd, path)).toString("utf8");
  } catch (error) {
    throw new Error(`unable to read patch file: ${new PathError("open", path, error).message}`, { cause: error });
  }
}

/** Patches the objects one after the other, and continues after a failure. */
export async function runPatch(options: PatchOptions): Promise<void> {
  const result = await options.find();
  let count = 0;
  await result.visit(async (info) => {
    count++;
    if (options.local || options.dryRun === "client") {
      const before = info.object ?? {};
      const after = await patchLocally(before, options.type, options.patch, info.mapping.kind);
      return options.print(after, operationOf(before, after));
    }
    const helper = new Helper(await options.client(), info.mapping, {
      dryRun: options.dryRun === "server",
      fieldManager: options.fieldManager,
      subresource: options.subresource,
    });
    const patched = await send(info, helper, options);
    const operation = operationOf(info.object, patched);
    options.print(await record(info, patched, helper, options), operation);
  });
  if (count === 0) throw new Error("no objects passed to patch");
}

async function send(info: Info, helper: Helper, { type, patch }: PatchOptions): Promise<KubeObject> {
  return helper.patch(info.namespace, info.name, type, encode(patch)).catch((error: unknown) => {
    if (!isUnsupportedMediaType(error)) throw error;
    const text = `${MEDIA_TYPES[type]} is not supported by ${formatKind(info.mapping.kind)}: ${error.message}`;
    throw new Error(text, { cause: error });
  });
}

/** Writes the change cause by a second patch. Where the server refuses that one, the command says nothing, and answers with the first one's object. */
async function record(info: Info, patched: KubeObject, helper: Helper, { cause }: PatchOptions): Promise<KubeObject> {
  if (cause === undefined) return patched;
  const patch = sortedJson(changeCausePatch(patched, cause));
  return helper.patch(info.namespace, info.name, "merge", encode(patch)).catch(() => patched);
}

const operationOf = (before: KubeObject | undefined, after: KubeObject): string =>
  deepEqual(before, after) ? "patched (no change)" : "patched";

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);

/** "apps/v1, Kind=Deployment" */
const formatKind = (kind: GroupVersionKind): string => `${formatGroupVersion(kind)}, Kind=${kind.kind}`;

/** Applies the patch without a server. Throws where the patch does not apply. */
export async function patchLocally(
  object: KubeObject,
  type: "json" | "merge" | "strategic",
  patch: string,
  kind: GroupVersionKind,
): Promise<KubeObject> {
  const before = object as JsonObject;
  const patched = await apply(before, type, patch, kind);
  if (Array.isArray(patched)) {
    throw new Error("json: cannot unmarshal array into Go value of type unstructured.detector");
  }
  const named = isJsonObject(patched) && typeof patched["kind"] === "string" && patched["kind"] !== "";
  if (!named) throw new Error(`Object 'Kind' is missing in '${sortedJson(patched)}'`);
  return patched;
}

async function apply(before: JsonObject, type: string, patch: string, kind: GroupVersionKind): Promise<JsonValue> {
  if (type === "json") return applyJsonPatch(before, parse(patch, "json"));
  if (type === "merge") {
    const value = parse(patch, "merge");
    // A list takes the place of the whole document.
    return Array.isArray(value) ? value : applyMergePatch(before, value);
  }
  const schema = await builtInPatchSchema(kind);
  if (schema === undefined) {
    const name = `${formatGroupVersion(kind)}, Kind=${kind.kind}`;
    throw new Error(`strategic merge patch is not supported for ${name} locally, try --type merge`);
  }
  const value = parse(patch, "strategic");
  if (!isJsonObject(value)) throw new Error("invalid JSON document");
  return strategicMergePatch(before, value, schema);
}

function parse(patch: string, type: "json" | "merge" | "strategic"): JsonValue {
  try {
    return decodeJson(patch).value;
  } catch (error) {
    if (type === "json") throw error;
    throw new Error(type === "merge" ? "Invalid JSON Patch" : "invalid JSON document", { cause: error });
  }
}
