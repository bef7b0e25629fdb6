import { goQuote } from "../../base/text/go-quote.js";
import type { FlagSpec, FlagType } from "../../component/flags/flag-set.js";
import type { Command, Invocation } from "../../cli/command.js";
import type { Streams } from "../../cli/connect/factory.js";
import { accessOf, type KubeconfigAccess, unexpectedArgs } from "../../cli/connect/kubeconfig-access.js";
import { type CredentialChanges, changedUser } from "./changed-user.js";
import { requireEmbeddable } from "./embed.js";
import { parsePairs } from "./pairs.js";

export interface SetCredentialsOptions {
  readonly access: KubeconfigAccess;
  readonly name: string;
  readonly changes: CredentialChanges;
}

const MODES = ["IfAvailable", "Always", "Never"];

const flag = (name: string, usage: string, type: FlagType = "string"): FlagSpec => ({ name, type, usage });

export function setCredentialsCommand(run = runSetCredentials): Command {
  return {
    use: "set-credentials NAME [--client-certificate=path/to/certfile] [--client-key=path/to/keyfile] [--token=bearer_token] [--username=basic_user] [--password=basic_password] [--auth-provider=provider_name] [--auth-provider-arg=key=value] [--exec-command=exec_command] [--exec-api-version=exec_api_version] [--exec-arg=arg] [--exec-env=key=value]",
    description: `Set a user of the kubeconfig.

A user of that name keeps what is not given. A bearer token and basic authentication exclude each other: setting one takes the other away.`,
    examples: `# Change the client key of the user cluster-admin and nothing else
{{program}} config set-credentials cluster-admin --client-key=~/.kube/admin.key

# Use basic authentication
{{program}} config set-credentials cluster-admin --username=admin --password=secret

# Put a client certificate into the kubeconfig itself
{{program}} config set-credentials cluster-admin --client-certificate=~/.kube/admin.crt --embed-certs=true

# Get credentials from a program
{{program}} config set-credentials cluster-admin --exec-command=/path/to/program --exec-api-version=client.authentication.k8s.io/v1

# Give that program an argument and a variable, and take another variable away
{{program}} config set-credentials cluster-admin --exec-arg=login --exec-env=REGION=eu --exec-env=DEBUG-`,
    flags: [
      flag("auth-provider", "Auth provider of the user"),
      flag("auth-provider-arg", "'key=value' for the auth provider; 'key-' takes one away", "stringSlice"),
      flag("client-certificate", "File with the client certificate of the user"),
      flag("client-key", "File with the key of the client certificate"),
      flag("embed-certs", "Put certificate and key into the kubeconfig itself", "bool"),
      flag("exec-api-version", "API version of the exec credential plugin"),
      flag("exec-arg", "Arguments of the exec credential plugin; they replace those it had", "stringSlice"),
      flag("exec-command", "Command of the exec credential plugin"),
      flag(
        "exec-env",
        "'key=value' in the environment of the exec credential plugin; 'key-' takes one away",
        "stringArray",
      ),
      flag("exec-interactive-mode", "InteractiveMode of the exec credential plugin: IfAvailable, Always or Never"),
      flag("exec-provide-cluster-info", "ProvideClusterInfo of the exec credential plugin", "bool"),
      flag("password", "Password for basic authentication"),
      flag("token", "Bearer token of the user"),
      flag("username", "User name for basic authentication"),
    ],
    execute: async (factory, invocation) =>
      run(await complete(invocation, accessOf(factory, invocation)), factory.streams),
  };
}

async function complete(invocation: Invocation, access: KubeconfigAccess): Promise<SetCredentialsOptions> {
  const { args, flags } = invocation;
  const [name = ""] = args;
  if (args.length !== 1) throw await unexpectedArgs(invocation, "unexpected");
  const text = (flagName: string): string | undefined => (flags.changed(flagName) ? flags.string(flagName) : undefined);
  const changes: CredentialChanges = {
    cwd: access.sources.cwd,
    clientCertificate: text("client-certificate"),
    clientKey: text("client-key"),
    embed: flags.bool("embed-certs"),
    token: text("token"),
    username: text("username"),
    password: text("password"),
    authProvider: text("auth-provider"),
    authProviderArgs: await pairs(invocation, "auth-provider-arg"),
    execCommand: text("exec-command"),
    execApiVersion: text("exec-api-version"),
    execArgs: flags.strings("exec-arg"),
    execEnv: await pairs(invocation, "exec-env"),
    execInteractiveMode: text("exec-interactive-mode"),
    execProvideClusterInfo: flags.changed("exec-provide-cluster-info")
      ? flags.bool("exec-provide-cluster-info")
      : undefined,
  };
  validate(name, changes);
  return { access, name, changes };
}

async function pairs(invocation: Invocation, name: string): Promise<ReturnType<typeof parsePairs>> {
  try {
    return parsePairs(invocation.flags.strings(name), name);
  } catch (error) {
    await invocation.printHelp();
    throw error;
  }
}

function validate(name: string, changes: CredentialChanges): void {
  if (name === "") throw new Error("you must specify a non-empty user name");
  const { token = "", username = "", password = "", clientCertificate = "", clientKey = "" } = changes;
  if (token !== "" && (username !== "" || password !== "")) {
    throw new Error(
      "you cannot specify more than one authentication method at the same time: --token, --username/--password",
    );
  }
  if (changes.embed) {
    if (clientCertificate === "" && clientKey === "") {
      throw new Error("you must specify a --client-certificate or --client-key to embed");
    }
    if (clientCertificate !== "") requireEmbeddable("client-certificate", clientCertificate, changes.cwd);
    if (clientKey !== "") requireEmbeddable("client-key", clientKey, changes.cwd);
  }
  if (changes.execInteractiveMode !== undefined && !MODES.includes(changes.execInteractiveMode)) {
    throw new Error("invalid interactive mode type, can be only IfAvailable, Never, Always");
  }
}

export async function runSetCredentials(
  { access, name, changes }: SetCredentialsOptions,
  streams: Streams,
): Promise<void> {
  const config = await access.start();
  config.users.set(name, changedUser(config.users.get(name) ?? { origin: "" }, changes));
  await access.modify(config, true);
  streams.out.write(`User ${goQuote(name)} set.\n`);
}
