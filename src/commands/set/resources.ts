import type { Command, Invocation } from "../../cli/command.js";
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
import { withChangeCause } from "../../polymorphic-helpers/change-cause.js";
import { ensureChild } from "../../machinery/meta/access.js";
import { canonicalizeQuantity } from "../../machinery/text/quantity/quantity.js";
import {
  changeAll,
  type ChangeOptions,
  outputFlags,
  typedPrint,
  find,
  loadTypedKinds,
  requireNoOperands,
} from "./change.js";
import { noContainerNamed, podSpecOf, selectContainers } from "./containers.js";

type Quantities = Readonly<Record<string, string>>;

export interface SetResourcesOptions extends ChangeOptions {
  /** Undefined: stays as it is. */
  readonly limits: Quantities | undefined;
  readonly requests: Quantities | undefined;
  /** Which containers, by name; may hold `*`. */
  readonly containers: string;
  /** Why, for --record. */
  readonly cause: string | undefined;
}

export function setResourcesCommand(run = runSetResources): Command {
  return {
    use: "resources (-f FILENAME | TYPE NAME)  ([--limits=LIMITS & --requests=REQUESTS]",
    description: `Set what containers request of a node (CPU, memory) and what limits they have, in pods and in what makes pods. A pod
gets at least what it requests, and at most its limits; where a limit is set and no request, the server makes the
request the limit.

"{{program}} api-resources" lists the types there are.`,
    examples: `# Limits for the container "nginx"
{{program}} set resources deployment nginx -c=nginx --limits=cpu=200m,memory=512Mi

# Requests and limits for every container
{{program}} set resources deployment nginx --limits=cpu=200m,memory=512Mi --requests=cpu=100m,memory=256Mi

# Take them away again
{{program}} set resources deployment nginx --limits=cpu=0,memory=0 --requests=cpu=0,memory=0

# Print what a file would become, without a server
{{program}} set resources -f path/to/file.yaml --limits=cpu=200m,memory=512Mi --local -o yaml`,
    flags: [
      ...outputFlags,
      recordFlag,
      ...filenameFlags("File, directory or URL that names what to change"),
      allFlag,
      selectorFlag,
      {
        name: "containers",
        short: "c",
        type: "string",
        default: "*",
        usage: "Containers to change, by name; a name may hold '*'",
      },
      localFlag,
      dryRunFlag,
      { name: "limits", type: "string", usage: "The most it may use: 'cpu=100m,memory=256Mi'" },
      { name: "requests", type: "string", usage: "What it asks for: 'cpu=100m,memory=256Mi'" },
      fieldManagerFlag("kubectl-set"),
    ],
    execute: async (factory, invocation) => run(await complete(factory, invocation)),
  };
}

async function complete(factory: Factory, invocation: Invocation): Promise<SetResourcesOptions> {
  const { args, flags } = invocation;
  const dryRun = readDryRun(flags, factory);
  const kinds = await loadTypedKinds({ retired: true });
  const print = typedPrint(factory, invocation, "resource requirements updated", dryRun, kinds);
  const local = flags.bool("local");
  const all = flags.bool("all");
  const selector = flags.string("selector");
  requireNoOperands(local, args);
  const files = readFilenames(flags);
  const infos = await find(factory, kinds, { local, files, resources: args, selector, all });

  if (local && dryRun === "server") {
    throw new Error("cannot specify --local and --dry-run=server - did you mean --dry-run=client?");
  }
  if (all && selector !== "") throw new Error("cannot set --all and --selector at the same time");
  const [limits, requests] = [flags.string("limits"), flags.string("requests")];
  if (limits === "" && requests === "") {
    throw new Error("you must specify an update to requests or limits (in the form of --requests/--limits)");
  }
  return {
    infos,
    kinds,
    limits: parseQuantities(limits),
    requests: parseQuantities(requests),
    containers: flags.string("containers"),
    local,
    dryRun,
    fieldManager: flags.string("field-manager"),
    cause: readRecord(invocation),
    client: factory.restClient,
    print,
  };
}

/** "cpu=100m,memory=256Mi"; undefined for "". */
function parseQuantities(text: string): Quantities | undefined {
  if (text === "") return undefined;
  const entries = text.split(",").map((statement) => {
    const [name = "", value = "", ...more] = statement.split("=");
    if (!statement.includes("=") || more.length > 0) {
      throw new Error(`invalid argument syntax ${statement}, expected <resource>=<value>`);
    }
    return [name, canonicalizeQuantity(value)] as const;
  });
  return Object.fromEntries(entries);
}

export async function runSetResources(options: SetResourcesOptions): Promise<void> {
  const { limits, requests } = options;
  await changeAll(
    options,
    (object, fail) => {
      const spec = podSpecOf(object);
      const containers = selectContainers(spec, options.containers);
      if (containers.length === 0) {
        fail(noContainerNamed(selectContainers(spec, "*"), options.containers));
        return undefined;
      }
      for (const container of containers) {
        const resources = ensureChild(container, "resources");
        if (limits !== undefined) Object.assign(ensureChild(resources, "limits"), limits);
        if (requests !== undefined) Object.assign(ensureChild(resources, "requests"), requests);
      }
      return withChangeCause(object, options.cause);
    },
    (message) => `failed to patch resources update to pod template ${message}`,
  );
}
