import { append } from "../../base/collections/append.js";
import { goQuote } from "../../base/text/go-quote.js";
import type { Command, Invocation } from "../../cli/command.js";
import type { Factory, Streams } from "../../cli/connect/factory.js";
import { hintAtMistyped } from "../../cli/advice/hints.js";
import {
  type DryRunStrategy,
  dryRunFlag,
  fieldManagerFlag,
  filenameFlags,
  readDryRun,
  readFilenames,
  selectorFlag,
} from "../../cli/flags/resource-flags.js";
import { allFlag, localFlag } from "../../cli/flags/selection-flags.js";
import { warnTo } from "../../cli/warn.js";
import { type Fields, text } from "../../machinery/meta/access.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import { readAll } from "../../resource/document-source.js";
import type { Info } from "../../resource/info.js";
import { changeAll, type ChangeOptions, outputFlags, typedPrint, find, loadTypedKinds } from "./change.js";
import { podSpecOf, selectContainers } from "./containers.js";
import { EnvLister } from "./env-list.js";
import { envFrom, changeEnv, type EnvChanges, type EnvVar, parseEnv, splitResourcesAndEnv } from "./parse-env.js";

export interface SetEnvOptions extends ChangeOptions {
  readonly changes: Pick<EnvChanges, "set" | "remove">;
  /** None of the operands names a variable. */
  readonly noOperands: boolean;
  readonly overwrite: boolean;
  /** Which containers, by name; may hold `*`. */
  readonly containers: string;
  /** Shows the variables, as they would be, instead of changing them. */
  readonly list: boolean;
  /** With `list`: shows what references stand for. */
  readonly resolve: boolean;
  readonly namespace: string;
  readonly warn: (text: string) => void;
  /** Called once, with the containers' names of the objects that have none of `containers`. */
  readonly hintAtContainers: (known: ReadonlySet<string>) => Promise<void>;
  readonly streams: Streams;
}

export function setEnvCommand(run = runSetEnv): Command {
  return {
    use: "env RESOURCE/NAME KEY_1=VAL_1 ... KEY_N=VAL_N",
    description: `Set, remove or list the environment variables of containers, in pods and in what makes pods: pod (po),
replicationcontroller (rc), deployment (deploy), daemonset (ds), statefulset (sts), cronjob (cj), replicaset (rs).

KEY=VALUE sets a variable, KEY- removes it, and "-e -" reads KEY=VALUE lines from stdin. --from takes every key of a
ConfigMap or a Secret.`,
    examples: `# Set a variable
{{program}} set env deployment/registry STORAGE_DIR=/local

# Show the variables of a deployment, and those of every pod
{{program}} set env deployment/sample-build --list
{{program}} set env pods --all --list

# Print what would become of a deployment
{{program}} set env deployment/sample-build STORAGE_DIR=/data -o yaml --dry-run=client

# Take variables from a secret, or from a config map with a prefix
{{program}} set env --from=secret/mysecret deployment/myapp
{{program}} set env --from=configmap/myconfigmap --prefix=MYSQL_ deployment/myapp

# Only one key of it
{{program}} set env --keys=my-example-key --from=configmap/myconfigmap deployment/myapp

# Remove a variable from the container "c1" of every deployment
{{program}} set env deployments --all --containers="c1" ENV-

# Some of this shell's own variables
env | grep RAILS_ | {{program}} set env -e - deployment/registry`,
    flags: [
      ...filenameFlags("File, directory or URL that names what to change"),
      {
        name: "containers",
        short: "c",
        type: "string",
        default: "*",
        usage: "Containers to change, by name; a name may hold '*'",
      },
      { name: "from", type: "string", usage: "ConfigMap or Secret, as TYPE/NAME, whose keys become variables" },
      { name: "prefix", type: "string", usage: "Put before the name of every variable" },
      { name: "env", short: "e", type: "stringArray", usage: "A variable, KEY=VALUE, or - for those on stdin" },
      { name: "keys", type: "stringSlice", usage: "With --from: only these keys" },
      { name: "list", type: "bool", usage: "Show the variables, changes included, instead of changing anything" },
      { name: "resolve", type: "bool", usage: "With --list: show the values that references stand for" },
      localFlag,
      allFlag,
      {
        name: "overwrite",
        type: "bool",
        default: "true",
        usage: "Change variables that have another value, rather than refuse",
      },
      fieldManagerFlag("kubectl-set"),
      selectorFlag,
      ...outputFlags,
      dryRunFlag,
    ],
    execute: async (factory, invocation) => run(await complete(factory, invocation)),
  };
}

async function complete(factory: Factory, invocation: Invocation): Promise<SetEnvOptions> {
  const { args, flags } = invocation;
  const [all, selector, local] = [flags.bool("all"), flags.string("selector"), flags.bool("local")];
  if (all && selector !== "") throw new Error("cannot set --all and --selector at the same time");
  const operands = splitResourcesAndEnv(args);
  if (operands === undefined) {
    throw new Error(`all resources must be specified before environment changes: ${args.join(" ")}`);
  }
  const { resources, env } = operands;
  const dryRun = readDryRun(flags, factory);
  const kinds = await loadTypedKinds({ retired: true });
  const print = typedPrint(factory, invocation, "env updated", dryRun, kinds);
  const { namespace } = await factory.namespace();
  validate(invocation, resources, dryRun);

  const files = readFilenames(flags);
  const warn = warnTo(factory.streams, factory.colours);
  const stdin = async (): Promise<string> => new TextDecoder().decode(await readAll(factory.streams.in));
  const parsed = await parseEnv([...flags.strings("env"), ...env], stdin);
  const set: EnvVar[] = [...parsed.set];
  if (parsed.readsStdin && files.filenames.includes("-")) {
    throw new Error("standard input cannot be used for multiple arguments");
  }
  const selection = { local, files, selector, all };
  const from = flags.string("from");
  if (from !== "") {
    const sources = await find(factory, kinds, { ...selection, resources: [from] });
    for (const { object = {} } of sources) append(set, envFrom(object, flags.strings("keys"), warn));
  }
  const prefix = flags.string("prefix");
  const infos: readonly Info[] = await find(factory, kinds, { ...selection, resources });
  return {
    infos,
    kinds,
    changes: { set: set.map((one) => ({ ...one, name: `${prefix}${one.name}` })), remove: parsed.remove },
    noOperands: env.length === 0,
    overwrite: flags.bool("overwrite"),
    containers: flags.string("containers"),
    list: flags.bool("list"),
    resolve: flags.bool("resolve"),
    local,
    dryRun,
    fieldManager: flags.string("field-manager"),
    namespace,
    client: factory.restClient,
    print,
    warn,
    hintAtContainers: (known) => hintAtMistyped({ typed: flags.string("containers"), known }, factory),
    streams: factory.streams,
  };
}

function validate({ flags }: Invocation, resources: readonly string[], dryRun: DryRunStrategy): void {
  if (flags.bool("local") && dryRun === "server") {
    throw new Error("cannot specify --local and --dry-run=server - did you mean --dry-run=client?");
  }
  if (flags.strings("filename").length === 0 && resources.length === 0) {
    throw new Error("one or more resources must be specified as <resource> <name> or <resource>/<name>");
  }
  if (flags.bool("list") && flags.string("output") !== "") {
    throw new Error("--list and --output may not be specified together");
  }
  if (flags.strings("keys").length > 0 && flags.string("from") === "") {
    throw new Error("when specifying --keys, a configmap or secret must be provided with --from");
  }
}

/** Changes the variables of all objects, or lists them. */
export async function runSetEnv(options: SetEnvOptions): Promise<void> {
  const passedOver = new Set<string>();
  if (options.list) await listAll(options, passedOver);
  else {
    await changeAll(
      options,
      (object) => {
        for (const container of containersOf(object, options, passedOver)) changeContainer(container, options);
        return object;
      },
      (message) => `failed to patch env update to pod template: ${message}`,
      { afterSending: () => requireVariable(options) },
    );
  }
  if (passedOver.size > 0) await options.hintAtContainers(passedOver);
}

function requireVariable({ changes, noOperands }: SetEnvOptions): void {
  if (changes.set.length === 0 && noOperands) throw new Error("at least one environment variable must be provided");
}

/** The containers to change. Where the object has none of them a warning says so, and `passedOver` gets the names of its containers. */
function containersOf(object: KubeObject, options: SetEnvOptions, passedOver: Set<string>): readonly Fields[] {
  const spec = podSpecOf(object);
  const containers = selectContainers(spec, options.containers);
  if (containers.length === 0) {
    const name = `${object.kind ?? ""}/${object.metadata?.name ?? ""}`;
    options.warn(`${name} does not have any containers matching ${goQuote(options.containers)}`);
    for (const other of selectContainers(spec, "*")) passedOver.add(text(other["name"]));
  }
  return containers;
}

function changeContainer(container: Fields, { changes, overwrite }: SetEnvOptions): void {
  const held = (container["env"] ?? []) as readonly EnvVar[];
  if (!overwrite) requireNoOverwrite(held, changes.set);
  container["env"] = changeEnv(held, changes);
}

function requireNoOverwrite(existing: readonly EnvVar[], set: readonly EnvVar[]): void {
  for (const { name, value = "" } of set) {
    const held = existing.find((one) => one.name === name);
    if (held === undefined || (held.value ?? "") === value) continue;
    throw new Error(`'${name}' already has a value (${held.value ?? ""}), and --overwrite is false`);
  }
}

/** What cannot be listed is passed over: the references that could not be resolved have been told. */
async function listAll(options: SetEnvOptions, passedOver: Set<string>): Promise<void> {
  const lister = new EnvLister(options);
  for (const { object = {} } of options.infos) {
    await listOne(structuredClone(object), lister, options, passedOver).catch(() => undefined);
  }
}

async function listOne(
  object: KubeObject,
  lister: EnvLister,
  options: SetEnvOptions,
  passedOver: Set<string>,
): Promise<void> {
  for (const container of containersOf(object, options, passedOver)) {
    changeContainer(container, options);
    await lister.list(object, container);
  }
}
