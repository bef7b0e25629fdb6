import { deleteObject } from "../../actions/delete-object.js";
import type { DeletedInfo } from "../../actions/wait/wait-until-gone.js";
import { waitForDeletion } from "../../cli/wait-for-deletion.js";
import type { Command } from "../../cli/command.js";
import { completeTypesAndNames } from "../../cli/completion/resource-completers.js";
import { cascadeFlag } from "../../cli/flags/change-flags.js";
import { dryRunFlag, filenameFlags, selectorFlag, withDryRun } from "../../cli/flags/resource-flags.js";
import { rawRequest } from "../../cli/raw-request.js";
import { isNotFound } from "../../machinery/errors/status-error.js";
import { deletionLine, qualifiedKind } from "../../printers/deletion-line.js";
import { type DeleteOptions, Helper } from "../../resource/helper.js";
import type { Info } from "../../resource/info.js";
import { complete, type DeleteCommandOptions } from "./options.js";
import type { Streams } from "../../cli/connect/factory.js";
import { firstLine } from "../../cli/first-line.js";

export function deleteCommand(run = runDelete): Command {
  return {
    use: "delete ([-f FILENAME] | [-k DIRECTORY] | TYPE [(NAME | -l label | --all)])",
    description: `Delete resources: those that files or stdin name, those given by type and name, or those of a type that a selector matches.

What is deleted may take its time to end; --grace-period, --now and --force shorten it. The command returns when
everything is gone, or at once with --wait=false. Changes that others make in the meantime are lost with the resource.`,
    examples: `# Delete the pod that pod.json names
{{program}} delete -f ./pod.json

# Delete pods and services called "baz" and "foo"
{{program}} delete pod,service baz foo

# Delete pods and services with the label name=myLabel
{{program}} delete pods,services -l name=myLabel

# Delete a pod with next to no delay
{{program}} delete pod foo --now

# Delete all pods of the namespace, after a question
{{program}} delete pods --all --interactive`,
    flags: [
      ...filenameFlags("File, directory or URL that names what to delete"),
      selectorFlag,
      {
        name: "field-selector",
        type: "string",
        usage: "Field selector: '=', '==' and '!='. The server knows a few fields of each type",
      },
      { name: "all", type: "bool", usage: "Everything of the given types in the namespace" },
      { name: "all-namespaces", short: "A", type: "bool", usage: "In all namespaces, whatever -n says" },
      { name: "force", type: "bool", usage: "Take it out of the API at once, without waiting for it to end" },
      cascadeFlag,
      { name: "now", type: "bool", usage: "The same as --grace-period=1" },
      {
        name: "grace-period",
        type: "int",
        default: "-1",
        usage: "Seconds given to end. Negative leaves it to the resource; 0 needs --force",
      },
      { name: "timeout", type: "duration", default: "0s", usage: "How long to wait until it is gone; zero is a week" },
      {
        name: "ignore-not-found",
        type: "bool",
        usage: "Count what is not there as deleted. The default with --all and with selectors",
      },
      { name: "wait", type: "bool", default: "true", usage: "Return when everything is gone, finalizers included" },
      { name: "output", short: "o", type: "string", usage: "Output mode. '-o name' prints type/name" },
      { name: "raw", type: "string", usage: "URI to DELETE as it is" },
      { name: "interactive", short: "i", type: "bool", usage: "Ask before anything is deleted" },
      dryRunFlag,
    ],
    execute: async (factory, invocation) => {
      const { raw, ...options } = await complete(factory, invocation);
      if (raw !== undefined) await rawRequest("DELETE", raw.uri, raw.filename, factory);
      else await run(options);
    },
    completeArgs: completeTypesAndNames,
  };
}

/** Deletes one after the other, going on after a failure; then waits for all of them. */
export async function runDelete(options: DeleteCommandOptions): Promise<void> {
  const { streams } = options;
  const agreed = options.interactive ? await confirmAll(options) : undefined;
  if (options.interactive && agreed === undefined) return;

  const result = await options.find();
  if (options.ignoreNotFound) result.ignoreErrors(isNotFound);
  const deleted: DeletedInfo[] = [];
  let warnClusterScope = options.warnClusterScope;
  await result.visit(async (info) => {
    if (agreed !== undefined && !agreed.has(place(info))) return;
    const entry: { info: Info; uid?: string | undefined } = { info };
    deleted.push(entry);
    if (warnClusterScope && !info.mapping.namespaced) {
      options.warn("deleting cluster-scoped resources, not scoped to the provided namespace");
      warnClusterScope = false;
    }
    if (options.dryRun !== "client") {
      const helper = new Helper(await options.client(), info.mapping, { dryRun: options.dryRun === "server" });
      entry.uid = await deleteObject(info, helper, deletion(options));
    }
    streams.out.write(outcomeLine(info, options));
  });
  if (deleted.length === 0) {
    streams.out.write("No resources found\n");
    await options.hintAtNamespace();
    return;
  }
  if (!options.wait || options.dryRun !== "none") return;
  await waitForDeletion(deleted, { ...options, client: await options.client() });
}

function deletion({ gracePeriod, propagationPolicy }: DeleteCommandOptions): DeleteOptions {
  return { propagationPolicy, ...(gracePeriod >= 0 && { gracePeriodSeconds: gracePeriod }) };
}

function outcomeLine(
  { mapping, namespace, name }: Info,
  { output, gracePeriod, dryRun }: DeleteCommandOptions,
): string {
  const deleted = { kind: mapping.kind, name, namespace: mapping.namespaced ? namespace : undefined };
  return deletionLine(deleted, output, gracePeriod === 0, withDryRun("", dryRun));
}

const place = ({ mapping: { resource }, namespace, name }: Info): string =>
  JSON.stringify([resource.group, resource.resource, namespace, name]);

/** What the user agreed to; undefined when that is nothing. */
async function confirmAll(options: DeleteCommandOptions): Promise<ReadonlySet<string> | undefined> {
  const preview = await options.find();
  if (options.ignoreNotFound) preview.ignoreErrors(isNotFound);
  const infos: Info[] = [];
  await preview.visit(async (info) => void infos.push(info));
  if (infos.length === 0) {
    options.streams.out.write("No resources found\n");
    await options.hintAtNamespace();
    return undefined;
  }
  const names = infos.map((info) => `${qualifiedKind(info.mapping.kind)}/${info.name}`);
  if (await confirm(names, options.streams)) return new Set(infos.map(place));
  options.streams.out.write("deletion is cancelled\n");
  return undefined;
}

/** Lists what is about to go and asks; only "y" agrees. */
export async function confirm(names: readonly string[], { in: input, out }: Streams): Promise<boolean> {
  out.write(`You are about to delete the following ${names.length} resource(s):\n`);
  for (const name of names) out.write(`${name}\n`);
  out.write("Do you want to continue? (y/N): ");
  return (await firstLine(input)).trim().toLowerCase() === "y";
}
