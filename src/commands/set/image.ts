import { goQuote } from "../../base/text/go-quote.js";
import type { Command, Invocation } from "../../cli/command.js";
import { completeListedTypes } from "../../cli/completion/listed-types.js";
import type { Factory } from "../../cli/connect/factory.js";
import { readRecord, recordFlag } from "../../cli/flags/change-flags.js";
import {
  dryRunFlag,
  fieldManagerFlag,
  filenameFlags,
  readDryRun,
  readFilenames,
  selectorFlag,
} from "../../cli/flags/resource-flags.js";
import { allFlag, localFlag } from "../../cli/flags/selection-flags.js";
import { parsePairs, splitResourcesAndPairs } from "../../cli/pairs.js";
import { withChangeCause } from "../../polymorphic-helpers/change-cause.js";
import { children } from "../../machinery/meta/access.js";
import { throwAll } from "../../resource/visitor.js";
import {
  changeAll,
  type ChangeOptions,
  outputFlags,
  typedPrint,
  find,
  loadTypedKinds,
  requireNoOperands,
} from "./change.js";
import { noContainerNamed, podSpecOf } from "./containers.js";

export interface SetImageOptions extends ChangeOptions {
  /** By container; "*" is every one. */
  readonly images: ReadonlyMap<string, string>;
  /** Why, for --record. */
  readonly cause: string | undefined;
}

const TYPES = [
  "daemonsets",
  "deployments",
  "pods",
  "cronjobs",
  "replicasets",
  "replicationcontrollers",
  "statefulsets",
];

export function setImageCommand(run = runSetImage): Command {
  return {
    use: "image (-f FILENAME | TYPE NAME) CONTAINER_NAME_1=CONTAINER_IMAGE_1 ... CONTAINER_NAME_N=CONTAINER_IMAGE_N",
    description: `Change the images of containers, in pods and in what makes pods: pod (po), replicationcontroller (rc), deployment
(deploy), daemonset (ds), statefulset (sts), cronjob (cj), replicaset (rs). The name "*" stands for every container.`,
    examples: `# Another image for the container "nginx", and one for "busybox"
{{program}} set image deployment/nginx busybox=busybox nginx=nginx:1.9.1

# In every deployment and replication controller
{{program}} set image deployments,rc nginx=nginx:1.9.1 --all

# In every container of the daemon set "abc"
{{program}} set image daemonset abc *=nginx:1.9.1

# Print what a file would become, without a server
{{program}} set image -f path/to/file.yaml nginx=nginx:1.9.1 --local -o yaml`,
    flags: [
      ...outputFlags,
      recordFlag,
      ...filenameFlags("File, directory or URL that names what to change"),
      allFlag,
      localFlag,
      dryRunFlag,
      fieldManagerFlag("kubectl-set"),
      selectorFlag,
    ],
    execute: async (factory, invocation) => run(await complete(factory, invocation)),
    completeArgs: completeListedTypes(TYPES, { repeat: false }),
  };
}

async function complete(factory: Factory, invocation: Invocation): Promise<SetImageOptions> {
  const { args, flags } = invocation;
  const dryRun = readDryRun(flags, factory);
  const kinds = await loadTypedKinds({ retired: true });
  const print = typedPrint(factory, invocation, "image updated", dryRun, kinds);
  const { resources, pairs } = splitResourcesAndPairs(args, "image");
  const { set: images } = parsePairs(pairs, "image", false);
  const local = flags.bool("local");
  const all = flags.bool("all");
  const selector = flags.string("selector");
  const files = readFilenames(flags);
  requireNoOperands(local, resources);
  const infos = await find(factory, kinds, { local, files, resources, selector, all });

  const faults: Error[] = [];
  if (all && selector !== "") faults.push(new Error("cannot set --all and --selector at the same time"));
  if (resources.length === 0 && files.filenames.length === 0 && (files.kustomize ?? "") === "") {
    faults.push(new Error("one or more resources must be specified as <resource> <name> or <resource>/<name>"));
  }
  if (images.size === 0) faults.push(new Error("at least one image update is required"));
  else if (images.size > 1 && images.has("*")) {
    faults.push(
      new Error(
        "all containers are already specified by *, but saw more than one container_name=container_image pairs",
      ),
    );
  }
  if (local && dryRun === "server") {
    faults.push(new Error("cannot specify --local and --dry-run=server - did you mean --dry-run=client?"));
  }
  throwAll(faults);
  return {
    infos,
    kinds,
    images,
    local,
    dryRun,
    fieldManager: flags.string("field-manager"),
    cause: readRecord(invocation),
    client: factory.restClient,
    print,
  };
}

export async function runSetImage(options: SetImageOptions): Promise<void> {
  await changeAll(
    options,
    (object, fail) => {
      const spec = podSpecOf(object);
      const containers = [...children(spec, "initContainers"), ...children(spec, "containers")];
      for (const [name, image] of options.images) {
        const found = containers.filter((container) => name === "*" || container["name"] === name);
        for (const container of found) container["image"] = image;
        if (found.length === 0) fail(noContainerNamed(containers, name, goQuote(name)));
      }
      return withChangeCause(object, options.cause);
    },
    (message) => `failed to patch image update to pod template: ${message}`,
  );
}
