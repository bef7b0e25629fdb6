import { resolve } from "node:path";
import { goQuote } from "../../base/text/go-quote.js";
import type { FlagSpec, FlagType } from "../../component/flags/flag-set.js";
import type { Command, Invocation } from "../../cli/command.js";
import type { Streams } from "../../cli/connect/factory.js";
import { accessOf, type KubeconfigAccess, unexpectedArgs } from "../../cli/connect/kubeconfig-access.js";
import { requireEmbeddable, readEmbedded } from "./embed.js";
import type { KubeconfigExec, KubeconfigUser } from "../../client/config/kubeconfig.js";

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

/** The flags of set-credentials; undefined for a flag that was not given. */
export interface CredentialChanges {
  readonly cwd: string;
  readonly clientCertificate: string | undefined;
  readonly clientKey: string | undefined;
  readonly embed: boolean;
  readonly token: string | undefined;
  readonly username: string | undefined;
  readonly password: string | undefined;
  readonly authProvider: string | undefined;
  readonly authProviderArgs: Pairs;
  readonly execCommand: string | undefined;
  readonly execApiVersion: string | undefined;
  readonly execArgs: readonly string[];
  readonly execEnv: Pairs;
  readonly execInteractiveMode: string | undefined;
  readonly execProvideClusterInfo: boolean | undefined;
}

/** Returns the user after the changes; `existing` is not changed. */
export function changedUser(existing: KubeconfigUser, changes: CredentialChanges): KubeconfigUser {
  const user = { ...existing };
  setFile(user, "client-certificate", changes.clientCertificate, changes);
  setFile(user, "client-key", changes.clientKey, changes);
  setLogin(user, changes);
  setAuthProvider(user, changes);
  const exec = changedExec(user.exec, changes);
  if (exec !== undefined) user.exec = exec;
  return user;
}

function setFile(
  user: KubeconfigUser,
  field: "client-certificate" | "client-key",
  path: string | undefined,
  { embed, cwd }: CredentialChanges,
): void {
  if (path === undefined) return;
  delete user[field];
  delete user[`${field}-data`];
  if (!embed) {
    user[field] = resolve(cwd, path);
    return;
  }
  const data = readEmbedded(path, cwd);
  if (data !== undefined) user[`${field}-data`] = data;
}

/** A token that was set takes basic authentication away, and the reverse. */
function setLogin(user: KubeconfigUser, { token, username, password }: CredentialChanges): void {
  if (token !== undefined) user.token = token;
  if (username !== undefined) user.username = username;
  if (password !== undefined) user.password = password;
  const basic = Boolean(username) || Boolean(password);
  if (token && !basic) {
    delete user.username;
    delete user.password;
  }
  if (basic && !token) delete user.token;
}

function setAuthProvider(user: KubeconfigUser, { authProvider, authProviderArgs }: CredentialChanges): void {
  let provider = user["auth-provider"];
  if (authProvider !== undefined && provider?.name !== authProvider) provider = { name: authProvider, config: {} };
  if (provider === undefined) return;
  const config = new Map(Object.entries(provider.config));
  for (const key of authProviderArgs.remove) config.delete(key);
  for (const [key, value] of authProviderArgs.set) config.set(key, value);
  user["auth-provider"] = { name: provider.name, config: Object.fromEntries(config) };
}

/** The other exec flags count only where there is a plugin; a new command forgets the old one's arguments. */
function changedExec(existing: KubeconfigExec | undefined, changes: CredentialChanges): KubeconfigExec | undefined {
  const { execCommand, execApiVersion, execArgs, execEnv, execInteractiveMode, execProvideClusterInfo } = changes;
  if (existing === undefined && execCommand === undefined) return undefined;
  const base: KubeconfigExec = existing ?? { command: "", args: null, env: null, provideClusterInfo: false };
  const env = changedEnv(base.env, execEnv);
  return {
    ...base,
    ...(execCommand !== undefined && { command: execCommand, args: null }),
    ...(execApiVersion !== undefined && { apiVersion: execApiVersion }),
    ...(execArgs.length > 0 && { args: execArgs }),
    ...(execInteractiveMode !== undefined && { interactiveMode: execInteractiveMode }),
    ...(execProvideClusterInfo !== undefined && { provideClusterInfo: execProvideClusterInfo }),
    env,
  };
}

/** `set` non-empty or `remove` used means the flag was given; then even nothing left is a list, not null. */
function changedEnv(env: KubeconfigExec["env"], { set, remove }: Pairs): KubeconfigExec["env"] {
  if (set.size === 0 && remove.length === 0) return env;
  const kept = (env ?? []).filter(({ name }) => !remove.includes(name));
  const names = new Set(kept.map(({ name }) => name));
  const updated = kept.map(({ name, value }) => ({ name, value: set.get(name) ?? value }));
  const added = [...set].filter(([name]) => !names.has(name)).map(([name, value]) => ({ name, value }));
  return [...updated, ...added];
}

export interface Pairs {
  readonly set: ReadonlyMap<string, string>;
  readonly remove: readonly string[];
}

/** Reads `key=value` and `key-` (remove). @throws kubectl's text, naming the flag */
export function parsePairs(values: readonly string[], flag: string): Pairs {
  const set = new Map<string, string>();
  const remove: string[] = [];
  const invalid: string[] = [];
  for (const value of values) {
    const equals = value.indexOf("=");
    if (equals > 0) set.set(value.slice(0, equals), value.slice(equals + 1));
    else if (value.endsWith("-") && value !== "-") remove.push(value.slice(0, -1));
    else invalid.push(value);
  }
  if (invalid.length > 0) throw new Error(`invalid ${flag} format: ${invalid.join(", ")}`);
  return { set, remove };
}
