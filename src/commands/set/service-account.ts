import type { Command, Invocation } from "../../cli/command.js";
import type { Factory } from "../../cli/connect/factory.js";
import { readRecord, recordFlag } from "../../cli/flags/change-flags.js";
import {
  dryRunFlag,
  fieldManagerFlag,
  filenameFlags,
  readDryRun,
  readFilenames,
} from "../../cli/flags/resource-flags.js";
import { allFlag, localFlag } from "../../cli/flags/selection-flags.js";
import { withChangeCause } from "../../polymorphic-helpers/change-cause.js";
import { changeAll, type ChangeOptions, outputFlags, typedPrint, find, loadTypedKinds } from "./change.js";
import { podSpecOf } from "./containers.js";

export interface SetServiceAccountOptions extends ChangeOptions {
  readonly serviceAccount: string;
  /** Why, for --record. */
  readonly cause: string | undefined;
}

export function setServiceAccountCommand(run = runSetServiceAccount): Command {
  return {
    use: "serviceaccount (-f FILENAME | TYPE NAME) SERVICE_ACCOUNT",
    aliases: ["sa"],
    description: `Change the service account with which pods run, in what makes pods: replicationcontroller (rc), deployment (deploy),
daemonset (ds), job, replicaset (rs), statefulset.`,
    examples: `# The service account of a deployment
{{program}} set serviceaccount deployment nginx-deployment serviceaccount1

# Print what a file would become, without a server
{{program}} set sa -f nginx-deployment.yaml serviceaccount1 --local --dry-run=client -o yaml`,
    flags: [
      ...outputFlags,
      recordFlag,
      ...filenameFlags("File, directory or URL that names what to change"),
      allFlag,
      localFlag,
      dryRunFlag,
      fieldManagerFlag("kubectl-set"),
    ],
    execute: async (factory, invocation) => run(await complete(factory, invocation)),
  };
}

async function complete(factory: Factory, invocation: Invocation): Promise<SetServiceAccountOptions> {
  const { args, flags } = invocation;
  const dryRun = readDryRun(flags, factory);
  const local = flags.bool("local");
  if (local && dryRun === "server") {
    throw new Error("cannot specify --local and --dry-run=server - did you mean --dry-run=client?");
  }
  const kinds = await loadTypedKinds({ retired: true });
  const print = typedPrint(factory, invocation, "serviceaccount updated", dryRun, kinds);
  const serviceAccount = args.at(-1);
  if (serviceAccount === undefined) throw new Error("serviceaccount is required");
  const selection = { local, files: readFilenames(flags), selector: "", all: flags.bool("all") };
  return {
    infos: await find(factory, kinds, { ...selection, resources: args.slice(0, -1) }),
    kinds,
    serviceAccount,
    local,
    dryRun,
    fieldManager: flags.string("field-manager"),
    cause: readRecord(invocation),
    client: factory.restClient,
    print,
  };
}

/** Changes the service account. It sends a patch even if nothing changes. */
export async function runSetServiceAccount(options: SetServiceAccountOptions): Promise<void> {
  await changeAll(
    options,
    (object) => {
      podSpecOf(object)["serviceAccountName"] = options.serviceAccount;
      return withChangeCause(object, options.cause);
    },
    (message) => `failed to patch ServiceAccountName ${message}`,
    { sendAll: true },
  );
}
