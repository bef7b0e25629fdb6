import { resolve } from "node:path";
import type { KubeconfigExec, KubeconfigUser } from "../../client/config/kubeconfig.js";
import { readEmbedded } from "./embed.js";
import type { Pairs } from "./pairs.js";

/** What set-credentials was given; undefined is "not given". */
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

/** The user after the changes; the one given stays as it is. */
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
