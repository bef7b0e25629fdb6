import { readdir, readFile } from "node:fs/promises";
import { join, relative } from "node:path";
import type { Command, Invocation } from "../../cli/command.js";
import type { Factory, Streams } from "../../cli/connect/factory.js";
import { usageError } from "../../cli/errors.js";
import { compareKeys } from "../../base/collections/key-order.js";
import { addToLists } from "../../project/add-to-lists.js";
import { projectFolder, writeProjectFiles } from "../../project/project-files.js";
import { projectNames } from "../../project/project-names.js";

export interface ProjectAddOptions {
  readonly folder: string;
  readonly kind: string;
  /** "": that of the kinds that are there. */
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly namespaced: boolean;
  readonly streams: Pick<Streams, "out" | "err">;
}

export function projectAddCommand(run = runProjectAdd): Command {
  return {
    use: "add kind KIND",
    description: `Add a kind to an operator: its declaration, controller, webhooks, test and sample are new files, and the files that list the kinds get a line for it. What a person has written stays; where a list does not look as it did, the
lines to add are printed.`,
    examples: "  {{program}} project add kind Reader",
    flags: [
      {
        name: "group",
        type: "string",
        default: "",
        usage: "The API group of the kind. Default: that of the kinds that are there",
      },
      { name: "api-version", type: "string", default: "v1", usage: "The version of the kind" },
      {
        name: "plural",
        type: "string",
        default: "",
        usage: "The plural of the kind in lower case. Default: a guess, as boxes or policies",
      },
      { name: "cluster-scoped", type: "bool", usage: "Objects of the kind are in no namespace" },
    ],
    execute: (factory, invocation) => run(complete(factory, invocation)),
  };
}

function complete({ cwd, streams }: Factory, invocation: Invocation): ProjectAddOptions {
  const { args, flags } = invocation;
  const [what, kind, ...more] = args;
  if (what !== "kind" || kind === undefined || more.length > 0) {
    throw usageError(invocation, "give what to add: add kind KIND");
  }
  return {
    folder: projectFolder(cwd),
    kind,
    group: flags.string("group"),
    version: flags.string("api-version"),
    plural: flags.string("plural"),
    namespaced: !flags.bool("cluster-scoped"),
    streams,
  };
}

/** Adds the kind, and tells what was written. Throws an Error, having written nothing, where one of its files is there. */
export async function runProjectAdd({ folder, streams: { out, err }, ...given }: ProjectAddOptions): Promise<void> {
  const { name = "" } = JSON.parse(await readFile(join(folder, "package.json"), "utf8")) as { name?: string };
  const group = given.group === "" ? await groupIn(folder) : given.group;
  const names = projectNames({ ...given, name: name.replace(/^@[^/]*\//, ""), group });
  const { kindFiles } = await import("../../project/templates/operator-files.js");
  const files = kindFiles(names);
  await writeProjectFiles(folder, files);
  for (const path of Object.keys(files)) out.write(`${path} written\n`);
  const byHand = await addToLists(folder, names);
  if (byHand.length > 0) err.write(`Add these lines by hand:\n\n${byHand.join("\n")}`);
}

/** The API group of the first kind that the project declares. */
async function groupIn(folder: string): Promise<string> {
  const api = join(folder, "src/api");
  const files = await readdir(api).catch(() => []);
  for (const file of files.toSorted(compareKeys)) {
    const [, group] = /\bkind\(\s*"([^"]+)"/.exec(await readFile(join(api, file), "utf8")) ?? [];
    if (group !== undefined) return group;
  }
  throw new Error(`${relative(folder, api)} has no kind whose group the new one could have: give --group`);
}
