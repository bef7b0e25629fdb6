import type { CommandFiles } from "../../base/files/command-files.js";
import { dirname, isAbsolute, join, resolve } from "node:path";
import { encodeKubeconfig } from "../../client/config/encode-kubeconfig.js";
import type { Kubeconfig, KubeconfigCluster, KubeconfigUser } from "../../client/config/kubeconfig.js";
import type { Command, Invocation } from "../../cli/command.js";
import { usageError } from "../../cli/errors.js";
import type { Factory } from "../../cli/connect/factory.js";
import { printFlags, readPrintRequest } from "../../cli/flags/print-flags.js";
import { encodeJson } from "../../machinery/wire/json/json-encoder.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import { printerFor } from "../../printers/formats.js";
import { accessOf } from "../../cli/connect/kubeconfig-access.js";
import { PathError } from "../../base/files/path-error.js";

export interface ViewOptions {
  readonly load: () => Promise<Kubeconfig>;
  /** --context, for --minify; "" keeps the current one. */
  readonly context: string;
  readonly minify: boolean;
  readonly flatten: boolean;
  readonly raw: boolean;
  readonly cwd: string;
  readonly files: CommandFiles;
  readonly print: (object: KubeObject) => void;
}

export function viewCommand(run = runView): Command {
  return {
    use: "view [flags]",
    description: `Show the merged kubeconfig, or one file of it. Secrets and certificates are hidden unless --raw or --flatten is given.

 --output jsonpath={...} takes single values out of it.`,
    examples: `# Show the merged kubeconfig
{{program}} config view

# Show it with its certificates and secrets
{{program}} config view --raw

# Get the password of the user e2e
{{program}} config view -o jsonpath='{.users[?(@.name == "e2e")].user.password}'`,
    flags: [
      ...printFlags.map((spec) => (spec.name === "output" ? { ...spec, default: "yaml" } : spec)),
      { name: "flatten", type: "bool", usage: "Put the files it names into it, so that it can be carried elsewhere" },
      { name: "merge", type: "bool", default: "true", usage: "Merge all the kubeconfig files" },
      { name: "minify", type: "bool", usage: "Leave out all that the current context does not use" },
      { name: "raw", type: "bool", usage: "Show certificates and secrets" },
    ],
    outputMustArrive: true,
    execute: async (factory, invocation) => run(complete(factory, invocation)),
  };
}

function complete(factory: Factory, invocation: Invocation): ViewOptions {
  const { args, flags } = invocation;
  if (args.length > 0) throw usageError(invocation, `unexpected arguments: [${args.join(" ")}]`);
  const print = printTo(factory, invocation);
  const access = accessOf(factory, invocation);
  if (!flags.bool("merge") && access.sources.explicitPath === "") {
    throw new Error("if merge==false a precise file must be specified");
  }
  return {
    load: () => access.start(),
    context: flags.string("context"),
    minify: flags.bool("minify"),
    flatten: flags.bool("flatten"),
    raw: flags.bool("raw"),
    cwd: factory.cwd,
    files: factory.files,
    print,
  };
}

/** Fields stay in their own order, where a format shows one. */
function printTo(factory: Factory, { flags }: Invocation): (object: KubeObject) => void {
  const request = { ...readPrintRequest(flags, factory), encode: (object: KubeObject) => encodeJson(object) };
  const byTemplate = request.template !== "" && !flags.changed("output");
  const printer = printerFor(byTemplate ? { ...request, output: "" } : request);
  return (object) => printer.print(object, (text) => void factory.streams.out.write(text));
}

export async function runView(options: ViewOptions): Promise<void> {
  let config = await options.load();
  if (options.minify) config = minified(config, options.context);
  if (options.flatten) config = flattened(config, options);
  else if (!options.raw) config = redacted(config);
  options.print(encodeKubeconfig(config));
}

/** Returns the part of a config that the context uses. @throws when the context does not exist, or names an entry that does not */
export function minified(config: Kubeconfig, context: string): Kubeconfig {
  const current = context === "" ? config.currentContext : context;
  if (current === "") throw new Error("current-context must exist in order to minify");
  const entry = config.contexts.get(current);
  if (entry === undefined) throw new Error(`cannot locate context ${current}`);
  return {
    ...config,
    currentContext: current,
    contexts: new Map([[current, entry]]),
    clusters: only(config.clusters, entry.cluster, "cluster"),
    users: only(config.users, entry.user, "user"),
  };
}

function only<T>(entries: ReadonlyMap<string, T>, name: string | undefined, what: string): Map<string, T> {
  if (name === undefined || name === "") return new Map();
  const entry = entries.get(name);
  if (entry === undefined) throw new Error(`cannot locate ${what} ${name}`);
  return new Map([[name, entry]]);
}

type Place = Pick<ViewOptions, "cwd" | "files">;

/**
 * Returns the config with the content of the files that its entries name. @throws when a file cannot be read, or an entry has both
 * a file and its content
 */
export function flattened(config: Kubeconfig, place: Place): Kubeconfig {
  return {
    ...config,
    users: map(config.users, (user) => {
      const copy = { ...user };
      flatten(copy, "client-certificate", place);
      flatten(copy, "client-key", place);
      return copy;
    }),
    clusters: map(config.clusters, (cluster) => {
      const copy = { ...cluster };
      flatten(copy, "certificate-authority", place);
      return copy;
    }),
  };
}

type Files = Partial<Record<string, unknown>> & Pick<KubeconfigCluster, "origin">;

function flatten(entry: Files, field: string, { cwd, files }: Place): void {
  const path = entry[field];
  if (typeof path !== "string" || path === "") return;
  const data = entry[`${field}-data`];
  if (data instanceof Uint8Array && data.length > 0) throw new Error("cannot have values for both path and contents");
  const full = isAbsolute(path) ? path : join(resolve(cwd, dirname(entry.origin)), path);
  try {
    entry[`${field}-data`] = new Uint8Array(files.readFileSync(full));
  } catch (error) {
    throw new PathError("open", full, error);
  }
  delete entry[field];
}

/** What base64 shows as the words "DATA+OMITTED". */
const OMITTED = new Uint8Array(Buffer.from("DATA+OMITTED", "base64"));

const HIDDEN = "REDACTED";

/** Replaces secrets and certificates by placeholders. */
export function redacted(config: Kubeconfig): Kubeconfig {
  return {
    ...config,
    users: map(config.users, (user) => {
      const copy: KubeconfigUser = { ...user };
      for (const field of ["client-certificate-data", "client-key-data"] as const) {
        if (copy[field] !== undefined && copy[field].length > 0) copy[field] = OMITTED;
      }
      if (copy.token) copy.token = HIDDEN;
      if (copy.password) copy.password = HIDDEN;
      return copy;
    }),
    clusters: map(config.clusters, (cluster) => {
      const data = cluster["certificate-authority-data"];
      return data === undefined || data.length === 0 ? cluster : { ...cluster, "certificate-authority-data": OMITTED };
    }),
  };
}

function map<T>(entries: ReadonlyMap<string, T>, change: (entry: T) => T): Map<string, T> {
  return new Map([...entries].map(([name, entry]) => [name, change(entry)]));
}
