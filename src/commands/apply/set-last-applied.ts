import { annotationPatch } from "../../actions/apply/apply-annotation.js";
import { describeInfo } from "../../actions/apply/apply-object.js";
import { lastApplied } from "../../actions/apply/last-applied.js";
import { withSource } from "../../actions/source-error.js";
import type { Command, Invocation } from "../../cli/command.js";
import type { Factory } from "../../cli/connect/factory.js";
import { printFlags, readPrintRequest } from "../../cli/flags/print-flags.js";
import { dryRunFlag, type DryRunStrategy, readDryRun, withDryRun } from "../../cli/flags/resource-flags.js";
import { substanceOf } from "../../actions/edit/edited-text.js";
import type { RestClient } from "../../client/rest/rest-client.js";
import { isNotFound } from "../../machinery/errors/status-error.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import { printerFor } from "../../printers/formats.js";
import type { Result } from "../../resource/builder.js";
import { Helper } from "../../resource/helper.js";
import type { Info } from "../../resource/info.js";
import { retrieveWith } from "../../resource/retrieve.js";

export interface SetLastAppliedOptions {
  readonly find: () => Promise<Result>;
  readonly client: () => Promise<RestClient>;
  readonly dryRun: DryRunStrategy;
  /** Also where nothing was recorded before. */
  readonly createAnnotation: boolean;
  readonly print: (object: KubeObject) => void;
  readonly write: (text: string) => void;
}

export function setLastAppliedCommand(run = runSetLastApplied): Command {
  return {
    use: "set-last-applied -f FILENAME",
    description: `Record files as what was applied to their resources last, and change nothing else of them: the next apply then compares
with these files.`,
    examples: `# Record a file as what was applied last
{{program}} apply set-last-applied -f deploy.yaml

# Record every file of a folder
{{program}} apply set-last-applied -f path/

# Also where nothing was recorded so far
{{program}} apply set-last-applied -f deploy.yaml --create-annotation=true`,
    flags: [
      ...printFlags,
      dryRunFlag,
      { name: "create-annotation", type: "bool", usage: "Make the annotation where a resource has none" },
      { name: "filename", short: "f", type: "stringSlice", usage: "File, directory or URL with the configurations" },
    ],
    execute: async (factory, invocation) => run(complete(factory, invocation)),
  };
}

function complete(factory: Factory, { flags }: Invocation): SetLastAppliedOptions {
  const dryRun = readDryRun(flags, factory);
  const printer = printerFor(readPrintRequest(flags, factory), withDryRun("configured", dryRun));
  const write = (text: string): void => void factory.streams.out.write(text);
  return {
    find: async () => {
      const { namespace, enforced } = await factory.namespace();
      const builder = await factory.builder();
      return builder
        .namespaceParam(namespace)
        .defaultNamespace()
        .filenames(enforced, { filenames: flags.strings("filename"), recursive: false })
        .flatten()
        .do();
    },
    client: factory.restClient,
    dryRun,
    createAnnotation: flags.bool("create-annotation"),
    print: (object) => printer.print(object, write),
    write,
  };
}

interface Change {
  readonly info: Info;
  readonly patch: string;
}

/** Validates all objects before it changes the first one. */
export async function runSetLastApplied(options: SetLastAppliedOptions): Promise<void> {
  const changes: Change[] = [];
  const result = await options.find();
  await result.visit(async (info) => {
    const { patch, configuration } = annotationPatch(info.object ?? {});
    const recorded = await recordedOf(info, options);
    if (substanceOf(recorded ?? "") === substanceOf(configuration)) {
      options.write(`set-last-applied ${info.name}: no changes required.\n`);
    } else changes.push({ info, patch });
  });
  for (const { info, patch } of changes) options.print(await send(info, patch, options));
}

/** What is recorded now; `info` then holds the live object. */
async function recordedOf(
  info: Info,
  { client, createAnnotation }: SetLastAppliedOptions,
): Promise<string | undefined> {
  const described = describeInfo(info);
  await retrieveWith(client)(info).catch((error: unknown) => {
    if (isNotFound(error)) throw error;
    throw withSource(`retrieving current configuration of:\n${described}\nfrom server for:`, info.source, error);
  });
  const recorded = lastApplied(info.object ?? {});
  if (recorded === undefined && !createAnnotation) {
    throw new Error(
      `no last-applied-configuration annotation found on resource: ${info.name}, to create the annotation, run the command with --create-annotation`,
    );
  }
  return recorded;
}

async function send(info: Info, patch: string, { client, dryRun }: SetLastAppliedOptions): Promise<KubeObject> {
  if (dryRun === "client") return info.object ?? {};
  const helper = new Helper(await client(), info.mapping, { dryRun: dryRun === "server" });
  return helper.patch(info.namespace, info.name, "merge", new TextEncoder().encode(patch));
}
