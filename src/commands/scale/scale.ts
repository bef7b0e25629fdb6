import { type ScaleOptions, scaleObject, waitForReplicas } from "../../actions/scale-object.js";
import type { Command, Invocation } from "../../cli/command.js";
import { completeListedTypes } from "../../cli/completion/listed-types.js";
import type { Factory } from "../../cli/connect/factory.js";
import { printFlags, readPrintRequest } from "../../cli/flags/print-flags.js";
import { readRecord, recordFlag } from "../../cli/flags/change-flags.js";
import {
  type DryRunStrategy,
  dryRunFlag,
  filenameFlags,
  readDryRun,
  readFilenames,
  selectorFlag,
  withDryRun,
} from "../../cli/flags/resource-flags.js";
import { allFlag } from "../../cli/flags/selection-flags.js";
import { changeCausePatch } from "../../polymorphic-helpers/change-cause.js";
import { type Fields, isFields } from "../../machinery/meta/access.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import { printerFor } from "../../printers/formats.js";
import type { Result } from "../../resource/builder.js";
import { sortedJson } from "../../resource/encode-json.js";
import { Helper } from "../../resource/helper.js";
import type { Info } from "../../resource/info.js";
import { sleep } from "../../resource/url-source.js";

export interface ScaleCommandOptions {
  readonly scale: () => Promise<ScaleOptions>;
  readonly replicas: number;
  /** "": whatever the object's version is. */
  readonly resourceVersion: string;
  readonly dryRun: DryRunStrategy;
  /** How long to wait for the size, in milliseconds; 0: not at all. */
  readonly timeout: number;
  /** Why, for --record. */
  readonly cause: string | undefined;
  readonly find: () => Promise<Result>;
  readonly print: (object: KubeObject) => void;
}

export function scaleCommand(run = runScale): Command {
  return {
    use: "scale [--resource-version=version] [--current-replicas=count] --replicas=COUNT (-f FILENAME | TYPE NAME)",
    description: `Set how many pods a deployment, replica set, replication controller or stateful set has.

With --current-replicas or --resource-version it is only done when that is how the resource is, and nobody can change it
in between.`,
    examples: `# Scale a replica set to 3
{{program}} scale --replicas=3 rs/foo

# What foo.yaml names
{{program}} scale --replicas=3 -f foo.yaml

# Only if it has 2 now
{{program}} scale --current-replicas=2 --replicas=3 deployment/mysql

# Several
{{program}} scale --replicas=5 rc/example1 rc/example2 rc/example3

# A stateful set
{{program}} scale --replicas=3 statefulset/web`,
    flags: [
      recordFlag,
      ...printFlags,
      allFlag,
      { name: "resource-version", type: "string", usage: "Scale only if the resource still has this version" },
      {
        name: "current-replicas",
        type: "int",
        default: "-1",
        usage: "Scale only if the resource has this size now. -1 for any size",
      },
      { name: "replicas", type: "int", required: true, usage: "The new size" },
      {
        name: "timeout",
        type: "duration",
        default: "0s",
        usage: "How long to wait until the size is reached, with a unit (1s, 2m, 3h). Zero does not wait",
      },
      ...filenameFlags("File, directory or URL that names what to scale"),
      dryRunFlag,
      selectorFlag,
    ],
    execute: async (factory, invocation) => run(await complete(factory, invocation)),
    completeArgs: completeListedTypes(["deployment", "replicaset", "replicationcontroller", "statefulset"]),
  };
}

async function complete(factory: Factory, invocation: Invocation): Promise<ScaleCommandOptions> {
  const { args, flags } = invocation;
  const dryRun = readDryRun(flags, factory);
  const printer = printerFor(readPrintRequest(flags, factory), withDryRun("scaled", dryRun));
  const { namespace, enforced } = await factory.namespace();
  await factory.clientConfig();
  const replicas = flags.number("replicas");
  const currentReplicas = flags.number("current-replicas");
  const resourceVersion = flags.string("resource-version");
  if (replicas < 0) {
    throw new Error("The --replicas=COUNT flag is required, and COUNT must be greater than or equal to 0");
  }
  if (currentReplicas < -1) throw new Error("The --current-replicas must specify an integer of -1 or greater");
  const anySize = currentReplicas === -1;
  const precondition =
    anySize && resourceVersion === ""
      ? undefined
      : { replicas: anySize ? undefined : currentReplicas, resourceVersion };
  return {
    scale: async () => ({
      client: await factory.restClient(),
      replicas,
      precondition,
      dryRun: dryRun === "server",
      sleep,
    }),
    replicas,
    resourceVersion,
    dryRun,
    timeout: dryRun === "none" ? flags.duration("timeout") : 0,
    cause: readRecord(invocation),
    find: async () => {
      const builder = await factory.builder();
      return builder
        .continueOnError()
        .namespaceParam(namespace)
        .defaultNamespace()
        .filenames(enforced, readFilenames(flags))
        .typeOrNameArgs(flags.bool("all"), args)
        .flatten()
        .labelSelector(flags.string("selector"))
        .do();
    },
    print: (object) => printer.print(object, (text) => factory.streams.out.write(text)),
  };
}

/** Scales the objects one after the other up to the first failure, then throws for those that were not found. */
export async function runScale(options: ScaleCommandOptions): Promise<void> {
  const result = await options.find();
  const { infos, error } = await result.gather();
  if (options.resourceVersion !== "" && infos.length > 1) {
    throw new Error("cannot use --resource-version with multiple resources");
  }
  if (infos.length === 0) throw error ?? new Error("no objects passed to scale");
  for (const info of infos) await scaleOne(info, options);
  if (error !== undefined) throw error;
}

async function scaleOne(info: Info, options: ScaleCommandOptions): Promise<void> {
  if (options.dryRun === "client") {
    options.print(withReplicas(info, options.replicas));
    return;
  }
  const scale = await options.scale();
  const size = await scaleObject(info, scale);
  if (options.timeout !== 0) await waitForReplicas(info, scale, options.timeout);
  const object = withReplicas(info, size);
  if (options.cause !== undefined) {
    const patch = new TextEncoder().encode(sortedJson(changeCausePatch(object, options.cause)));
    const helper = new Helper(scale.client, info.mapping);
    // That it is not recorded does not make the scaling fail.
    await helper.patch(info.namespace, info.name, "merge", patch).catch(() => undefined);
  }
  options.print(object);
}

/** What it looks like now; only the built-in types are known to have their size there. */
function withReplicas({ object = {}, mapping }: Info, replicas: number): KubeObject {
  if (mapping.kind.group !== "apps" && mapping.kind.group !== "") return object;
  const spec: Fields = isFields(object["spec"]) ? object["spec"] : {};
  return { ...object, spec: { ...spec, replicas } };
}
