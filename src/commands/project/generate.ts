import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { errorCode } from "../../base/files/path-error.js";
import type { Command, Invocation } from "../../cli/command.js";
import type { Factory, Streams } from "../../cli/connect/factory.js";
import { usageError } from "../../cli/errors.js";
import { generatedManifests, type WebhookPlace } from "../../project/generated-manifests.js";
import { type ProjectFiles, projectFolder } from "../../project/project-files.js";

/** What can be written, by the folder below config that it goes to. */
const PARTS = ["crd", "rbac", "webhook"] as const;

export interface GenerateOptions {
  readonly folder: string;
  readonly to: string;
  readonly parts: readonly string[];
  readonly verify: boolean;
  readonly webhookUrl: string;
  readonly out: Pick<Streams["out"], "write">;
}

export function projectGenerateCommand(run = runProjectGenerate): Command {
  return {
    use: "generate [crd|rbac|webhook]...",
    description: `Write the manifests that follow from the code of a project: the CustomResourceDefinitions of its kinds, the roles of its rights, the configurations of its webhooks. The built modules
in dist are run; no server is asked. The same code gives the same bytes. Files that follow from nothing any more are removed from config/crd.

With --verify nothing is written, and the exit code is 1 where a file is not as the code says.`,
    examples: `  # Everything, into config
  npm run build && {{program}} project generate

  # In CI: are the manifests those of the code?
  {{program}} project generate --verify`,
    flags: [
      { name: "verify", type: "bool", usage: "Write nothing, and fail where a file is not as the code says" },
      { name: "to", type: "string", default: "config", usage: "The `folder` that the manifests go to" },
      {
        name: "webhook-url",
        type: "string",
        default: "",
        usage: "The `url` by which the API server finds the webhooks, in place of their Service",
      },
    ],
    execute: (factory, invocation) => run(complete(factory, invocation)),
  };
}

function complete({ cwd, streams }: Factory, invocation: Invocation): GenerateOptions {
  const { args, flags } = invocation;
  const unknown = args.find((arg) => !PARTS.some((part) => part === arg));
  if (unknown !== undefined) throw usageError(invocation, `${unknown} is not one of ${PARTS.join(", ")}`);
  const folder = projectFolder(cwd);
  return {
    folder,
    to: resolve(folder, flags.string("to")),
    parts: args.length === 0 ? PARTS : args,
    verify: flags.bool("verify"),
    webhookUrl: flags.string("webhook-url"),
    out: streams.out,
  };
}

/** Writes or compares the manifests. Throws an Error that names each stale file. */
export async function runProjectGenerate({
  folder,
  to,
  parts,
  verify,
  webhookUrl,
  out,
}: GenerateOptions): Promise<void> {
  const { loadProject } = await import("../../project/load-project.js");
  const project = await loadProject(folder);
  const service = { namespace: `${project.name}-system`, service: `${project.name}-webhook` };
  const place: WebhookPlace = webhookUrl === "" ? service : { url: webhookUrl };
  const all = generatedManifests(project, place);
  const wanted = Object.fromEntries(Object.entries(all).filter(([path]) => parts.includes(path.split("/")[0] ?? "")));
  const stale = await staleFiles(to, wanted);
  if (verify) {
    if (stale.length === 0) return;
    const lines = stale.map((path) => `  ${join(to, path)}\n`).join("");
    throw new Error(`these manifests are not as the code says:\n${lines}Write them anew, by npm run manifests`);
  }
  for (const path of stale) {
    const target = join(to, path);
    const text = wanted[path];
    if (text === undefined) {
      await rm(target);
      out.write(`${target} removed\n`);
    } else {
      await mkdir(dirname(target), { recursive: true });
      await writeFile(target, text);
      out.write(`${target} written\n`);
    }
  }
}

/** The paths of files that are missing or differ, and of definitions that nothing declares any more. */
async function staleFiles(folder: string, wanted: ProjectFiles): Promise<readonly string[]> {
  const stale: string[] = [];
  for (const [path, text] of Object.entries(wanted)) if ((await textAt(join(folder, path))) !== text) stale.push(path);
  if (!("crd/kustomization.yaml" in wanted)) return stale;
  const there = await readdir(join(folder, "crd")).catch(() => []);
  return [
    ...stale,
    ...there.map((name) => `crd/${name}`).filter((path) => path.endsWith(".yaml") && !(path in wanted)),
  ];
}

async function textAt(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if (errorCode(error) === "ENOENT") return undefined;
    throw error;
  }
}
