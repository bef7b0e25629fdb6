import { compareKeys } from "../../base/collections/key-order.js";
import type { Command, Invocation } from "../../cli/command.js";
import type { Factory } from "../../cli/connect/factory.js";
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
import type { KubeObject } from "../../machinery/meta/object.js";
import type { Info } from "../../resource/info.js";
import {
  changeAll,
  type ChangeOptions,
  outputFlags,
  typedPrint,
  find,
  loadTypedKinds,
  requireNoOperands,
} from "./change.js";

const RBAC = "rbac.authorization.k8s.io";

/** A subject in the form that bindings use. */
export interface Subject {
  readonly kind: "User" | "Group" | "ServiceAccount";
  readonly apiGroup?: string;
  readonly name: string;
  readonly namespace?: string;
}

export interface SetSubjectOptions extends ChangeOptions {
  /** Those that are to be bound, if they are not yet. */
  readonly subjects: readonly Subject[];
}

export function setSubjectCommand(run = runSetSubject): Command {
  return {
    use: "subject (-f FILENAME | TYPE NAME) [--user=username] [--group=groupname] [--serviceaccount=namespace:serviceaccountname] [--dry-run=server|client|none]",
    description:
      "Add users, groups and service accounts to those to whom a role binding or cluster role binding grants its role.",
    examples: `# Add a service account to a cluster role binding
{{program}} set subject clusterrolebinding admin --serviceaccount=namespace:serviceaccount1

# Add two users and a group to a role binding
{{program}} set subject rolebinding admin --user=user1 --user=user2 --group=group1

# Print what a file would become, without a server
{{program}} set subject --local -f binding.yaml --user=foo -o yaml`,
    flags: [
      ...outputFlags,
      ...filenameFlags("File, directory or URL that names what to change"),
      allFlag,
      selectorFlag,
      localFlag,
      dryRunFlag,
      { name: "user", type: "stringArray", usage: "A user to add; give it again for each further one" },
      { name: "group", type: "stringArray", usage: "A group to add; give it again for each further one" },
      {
        name: "serviceaccount",
        type: "stringArray",
        usage: "A service account to add, as NAMESPACE:NAME; give it again for each further one",
      },
      fieldManagerFlag("kubectl-set"),
    ],
    execute: async (factory, invocation) => run(await complete(factory, invocation)),
  };
}

async function complete(factory: Factory, invocation: Invocation): Promise<SetSubjectOptions> {
  const { args, flags } = invocation;
  const dryRun = readDryRun(flags, factory);
  const kinds = await loadTypedKinds({ retired: true });
  const print = typedPrint(factory, invocation, "subjects updated", dryRun, kinds);
  const local = flags.bool("local");
  requireNoOperands(local, args);
  const selection = { local, files: readFilenames(flags), selector: flags.string("selector"), all: flags.bool("all") };
  const infos = await find(factory, kinds, { ...selection, resources: args });
  validate(invocation, infos, dryRun);
  const { namespace } = await factory.namespace();
  return {
    infos,
    kinds,
    subjects: readSubjects(invocation, namespace),
    local,
    dryRun,
    fieldManager: flags.string("field-manager"),
    client: factory.restClient,
    print,
  };
}

function validate({ flags }: Invocation, infos: readonly Info[], dryRun: DryRunStrategy): void {
  if (flags.bool("local") && dryRun === "server") {
    throw new Error("cannot specify --local and --dry-run=server - did you mean --dry-run=client?");
  }
  if (flags.bool("all") && flags.string("selector") !== "") {
    throw new Error("cannot set --all and --selector at the same time");
  }
  const given = ["user", "group", "serviceaccount"].flatMap((name) => flags.strings(name));
  if (given.length === 0) throw new Error("you must specify at least one value of user, group or serviceaccount");
  for (const account of flags.strings("serviceaccount")) {
    const parts = account.split(":");
    if (parts.length !== 2 || parts[1] === "") throw new Error("serviceaccount must be <namespace>:<name>");
    if (parts[0] === "" && infos.some(({ object }) => isBinding(object, "ClusterRoleBinding"))) {
      throw new Error("serviceaccount must be <namespace>:<name>, namespace must be specified");
    }
  }
}

/** Each once, by the alphabet: users, then groups, then service accounts. */
function readSubjects({ flags }: Invocation, namespace: string): readonly Subject[] {
  const names = (flag: string): readonly string[] => [...new Set(flags.strings(flag))].sort(compareKeys);
  return [
    ...names("user").map((name): Subject => ({ kind: "User", apiGroup: RBAC, name })),
    ...names("group").map((name): Subject => ({ kind: "Group", apiGroup: RBAC, name })),
    ...names("serviceaccount").map((account): Subject => {
      const [of = "", name = ""] = account.split(":");
      return { kind: "ServiceAccount", name, namespace: of === "" ? namespace : of };
    }),
  ];
}

export async function runSetSubject(options: SetSubjectOptions): Promise<void> {
  await changeAll(
    options,
    (object) => addSubjects(object, options.subjects),
    (message) => `failed to patch subjects to rolebinding: ${message}`,
  );
}

/** undefined when all of them are there already. */
function addSubjects(object: KubeObject, wanted: readonly Subject[]): KubeObject | undefined {
  if (!isBinding(object, "RoleBinding") && !isBinding(object, "ClusterRoleBinding")) {
    throw new Error("setting subjects is only supported for RoleBinding/ClusterRoleBinding");
  }
  const held = (object["subjects"] ?? []) as readonly Subject[];
  const added = wanted.filter((subject) => !held.some((one) => isSame(one, subject)));
  return added.length === 0 ? undefined : { ...object, subjects: [...held, ...added] };
}

const isBinding = (object: KubeObject | undefined, kind: string): boolean =>
  object?.kind === kind && object.apiVersion === `${RBAC}/v1`;

const isSame = (a: Subject, b: Subject): boolean =>
  a.kind === b.kind &&
  a.name === b.name &&
  (a.apiGroup ?? "") === (b.apiGroup ?? "") &&
  (a.namespace ?? "") === (b.namespace ?? "");
