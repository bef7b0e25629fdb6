import { requestClientCertificate } from "../../actions/request-client-certificate.js";
import type { Command, Invocation } from "../../cli/command.js";
import { usageError } from "../../cli/errors.js";
import type { Factory, Streams } from "../../cli/connect/factory.js";
import type { Kubeconfig } from "../../client/config/kubeconfig.js";
import { addUserContext, kubeconfigOfUser } from "../../client/config/kubeconfig-additions.js";
import type { RestClient } from "../../client/rest/rest-client.js";
import { failPlainly } from "./storage-flag.js";

export interface ClusterUserOptions {
  readonly user: string;
  readonly groups: readonly string[];
  readonly asContext: boolean;
  /** The context of the cluster that the user is made for. */
  readonly context: string;
  readonly config: Kubeconfig;
  /** The file that --kubeconfig names; "" without it. */
  readonly kubeconfig: string;
  readonly client: RestClient;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
}

export function clusterUserCommand(run = makeUser): Command {
  return {
    use: "user NAME [--group=GROUP]... [--as-context]",
    description: `Make a user of the cluster in use: a key, and a certificate that the cluster signs.

The user may do what roles and bindings allow its name and its groups, and nothing at first. Without --as-context the kubeconfig of the user is
printed. The cluster has to sign certificates for clients, as embedded ones do; asking for one needs rights over certificates.`,
    examples: `# What may jane do, who is a developer?
{{program}} cluster user jane --group=developers --as-context
{{program}} create clusterrolebinding developers --clusterrole=view --group=developers
{{program}} auth can-i --list --context=jane@kubets-default

# A kubeconfig to hand over
{{program}} cluster user robot >robot.kubeconfig`,
    flags: [
      { name: "group", type: "stringArray", default: "[]", usage: "A group that the user is in; may be repeated." },
      {
        name: "as-context",
        type: "bool",
        default: "false",
        usage: "Write a context NAME@CONTEXT for the user to the kubeconfig. The current context stays.",
      },
    ],
    validateArgs: (invocation) => {
      const { args } = invocation;
      if (args.length !== 1) throw usageError(invocation, `give one user name, not ${args.length}`);
      if (args[0] === "") throw usageError(invocation, "the user name is empty");
    },
    execute: (factory, invocation) =>
      failPlainly(async () => run(await complete(factory, invocation), factory.streams, invocation.signal)),
  };
}

async function complete(factory: Factory, { args, flags }: Invocation): Promise<ClusterUserOptions> {
  const config = await factory.rawConfig();
  const given = flags.string("context");
  return {
    user: args[0] ?? "",
    groups: flags.strings("group"),
    asContext: flags.bool("as-context"),
    context: given === "" ? config.currentContext : given,
    config,
    kubeconfig: flags.string("kubeconfig"),
    client: await factory.restClient(),
    env: factory.env,
    cwd: factory.cwd,
  };
}

async function makeUser(
  options: ClusterUserOptions,
  { out }: Pick<Streams, "out">,
  signal: AbortSignal,
): Promise<void> {
  const { user, groups, context, config, client: rest } = options;
  const name = `${user}@${context}`;
  // What would be wrong with the kubeconfig is found before the cluster is asked.
  kubeconfigOfUser(config, context, name, { certificate: "", key: "" });
  const credentials = await requestClientCertificate({ rest }, { user, groups, signal });
  if (!options.asContext) return void out.write(kubeconfigOfUser(config, context, name, credentials));
  const file = await addUserContext(context, name, credentials, options.kubeconfig, options);
  out.write(`context "${name}" written to ${file}\n`);
}
