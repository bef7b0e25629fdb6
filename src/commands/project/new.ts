import { basename, relative, resolve } from "node:path";
import { createInterface } from "node:readline/promises";
import type { Command, Invocation } from "../../cli/command.js";
import type { Factory, Streams } from "../../cli/connect/factory.js";
import { usageError } from "../../cli/errors.js";
import { ownBuild } from "../../cli/own-build.js";
import { writeProjectFiles } from "../../project/project-files.js";
import { projectNames, type ProjectNames } from "../../project/project-names.js";

export interface ProjectNewOptions {
  readonly folder: string;
  /** The folder as it is shown: from where the command runs. */
  readonly shown: string;
  readonly names: () => Promise<ProjectNames>;
  readonly version: string;
  readonly out: Pick<Streams["out"], "write">;
}

export function projectNewCommand(run = runProjectNew): Command {
  return {
    use: "new operator FOLDER",
    description: `Begin a project: an operator in TypeScript with a kind of its own, a controller, defaulting and validating webhooks, tests on a Kubernetes API in their process, manifests, a Dockerfile and a CI file.
What is not given by flags is asked for on a terminal. Nothing is overwritten.`,
    examples: `  # An operator of shelves
  {{program}} project new operator library --group=library.example.com --kind=Shelf --plural=shelves
  cd library && npm install && npm test`,
    flags: [
      {
        name: "name",
        type: "string",
        default: "",
        usage: "The name of the package, the image and the objects. Default: that of the folder",
      },
      { name: "group", type: "string", default: "", usage: "The API group of the kind: a domain of yours" },
      { name: "kind", type: "string", default: "", usage: "The kind" },
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

function complete({ cwd, streams }: Factory, invocation: Invocation): ProjectNewOptions {
  const { args, flags } = invocation;
  const [template, folder, ...more] = args;
  if (template !== "operator" || folder === undefined || more.length > 0) {
    throw usageError(invocation, "give what to begin and where: new operator FOLDER");
  }
  const path = resolve(cwd, folder);
  const given = {
    name: flags.string("name") || basename(path),
    group: flags.string("group"),
    kind: flags.string("kind"),
    version: flags.string("api-version"),
    plural: flags.string("plural"),
    namespaced: !flags.bool("cluster-scoped"),
  };
  const missing = (["group", "kind"] as const).filter((flag) => given[flag] === "");
  if (missing.length > 0 && streams.in.isTTY !== true) {
    throw usageError(invocation, `give ${missing.map((flag) => `--${flag}`).join(" and ")}`);
  }
  return {
    folder: path,
    shown: relative(cwd, path) || ".",
    names: async () =>
      projectNames({ ...given, ...(missing.length > 0 && (await ask(streams, missing, invocation.signal))) }),
    version: ownBuild.version,
    out: streams.out,
  };
}

const QUESTIONS = {
  group: "The API group of your kind, a domain of yours (library.example.com): ",
  kind: "The kind (Shelf): ",
} as const;

async function ask(
  streams: Streams,
  missing: readonly (keyof typeof QUESTIONS)[],
  signal: AbortSignal,
): Promise<Record<string, string>> {
  const terminal = createInterface({ input: streams.in, output: streams.err });
  try {
    const answers: Record<string, string> = {};
    for (const flag of missing) answers[flag] = (await terminal.question(QUESTIONS[flag], { signal })).trim();
    return answers;
  } finally {
    terminal.close();
  }
}

/** Writes the project, and says what comes next. */
export async function runProjectNew({ folder, shown, names, version, out }: ProjectNewOptions): Promise<void> {
  const known = await names();
  const { operatorFiles } = await import("../../project/templates/operator-files.js");
  const files = operatorFiles(known, version);
  await writeProjectFiles(folder, files);
  out.write(`${known.name} with ${Object.keys(files).length} files is in ${shown}. Next:\n\n`);
  out.write(`  cd ${shown}\n  npm install\n  npm test\n  npm run dev\n`);
}
