import { resolve } from "node:path";
import { type CommandFiles, machineFiles } from "../../base/files/command-files.js";
import { errorMessage } from "../../base/text/error-message.js";
import { goQuote } from "../../base/text/go-quote.js";
import { withMistyped } from "../../base/text/mistyped.js";
import { PathError } from "../../base/files/path-error.js";
import { ConfigurationInvalidError, ContextNotFoundError } from "./config-errors.js";
import type { EffectiveEntries } from "./effective-entries.js";
import type { Kubeconfig, KubeconfigCluster, KubeconfigUser } from "./kubeconfig.js";
import { parseProxyUrl } from "./server-url.js";

/** Throws all errors of the entries in use. Unused entries are not checked. */
export function validateEntries(
  config: Kubeconfig,
  entries: EffectiveEntries,
  cwd: string,
  files: CommandFiles = machineFiles,
): void {
  const place = { cwd, files };
  const errors: Error[] = [];
  const { contextName, clusterName, cluster, userName, user } = entries;
  if (contextName !== "" && !config.contexts.has(contextName)) errors.push(contextNotFound(contextName, config));
  errors.push(...userErrors(userName, user, place));
  errors.push(...clusterErrors(clusterName, cluster, place));
  if (errors.length > 0) throw new ConfigurationInvalidError(errors);
}

/** The current context of the files was not typed. */
function contextNotFound(name: string, { contexts, currentContext }: Kubeconfig): Error {
  const error = new ContextNotFoundError(name);
  return name === currentContext ? error : withMistyped(error, () => ({ typed: name, known: contexts.keys() }));
}

function clusterErrors(name: string, cluster: KubeconfigCluster, place: Place): Error[] {
  const errors: Error[] = [];
  if (!cluster.server) {
    errors.push(
      new Error(name === "" ? "default cluster has no server defined" : `no server found for cluster ${goQuote(name)}`),
    );
  }
  const proxy = cluster["proxy-url"];
  if (proxy) {
    try {
      parseProxyUrl(proxy);
    } catch (error) {
      const why = errorMessage(error);
      errors.push(new Error(`invalid 'proxy-url' ${goQuote(proxy)} for cluster ${goQuote(name)}: ${why}`));
    }
  }
  const authority = cluster["certificate-authority"];
  if (authority && cluster["certificate-authority-data"]) {
    errors.push(
      new Error(
        `certificate-authority-data and certificate-authority are both specified for ${name}. certificate-authority-data will override.`,
      ),
    );
  }
  if (authority) readable("certificate-authority", authority, name, place, errors);
  return errors;
}

function userErrors(name: string, user: KubeconfigUser, place: Place): Error[] {
  const errors: Error[] = [];
  const methods: string[] = [];
  if (user.token) methods.push("token");
  if (user.username || user.password) methods.push("basicAuth");
  certificateErrors(name, user, place, errors);
  if (user.exec) execErrors(name, user, errors);
  if (methods.length > 1) {
    errors.push(
      new Error(
        `more than one authentication method found for ${name}; found [${methods.join(" ")}], only one is allowed`,
      ),
    );
  }
  const impersonates = user["as-uid"] || user["as-groups"]?.length || Object.keys(user["as-user-extra"] ?? {}).length;
  if (impersonates && !user.as) {
    errors.push(new Error(`requesting uid, groups or user-extra for ${name} without impersonating a user`));
  }
  return errors;
}

function certificateErrors(name: string, user: KubeconfigUser, place: Place, errors: Error[]): void {
  const certificate = user["client-certificate"];
  const certificateData = user["client-certificate-data"];
  const key = user["client-key"];
  const keyData = user["client-key-data"];
  if (!certificate && !certificateData?.length) return;
  if (certificate && certificateData?.length) {
    errors.push(
      new Error(`client-cert-data and client-cert are both specified for ${name}. client-cert-data will override.`),
    );
  }
  if (key && keyData?.length) {
    errors.push(
      new Error(`client-key-data and client-key are both specified for ${name}; client-key-data will override`),
    );
  }
  if (!key && !keyData?.length) {
    errors.push(
      new Error(
        `client-key-data or client-key must be specified for ${name} to use the clientCert authentication method.`,
      ),
    );
  }
  if (certificate) readable("client-cert", certificate, name, place, errors);
  if (key) readable("client-key", key, name, place, errors);
}

function execErrors(name: string, user: KubeconfigUser, errors: Error[]): void {
  const exec = user.exec;
  if (!exec) return;
  const use = `for ${name} to use exec authentication plugin`;
  if (user["auth-provider"]) {
    errors.push(new Error(`authProvider cannot be provided in combination with an exec plugin for ${name}`));
  }
  if (!exec.command) errors.push(new Error(`command must be specified ${use}`));
  if (!exec.apiVersion) errors.push(new Error(`apiVersion must be specified ${use}`));
  for (const variable of exec.env ?? []) {
    if (variable.name === "") errors.push(new Error(`env variable name must be specified ${use}`));
  }
  const mode = exec.interactiveMode;
  if (!mode) errors.push(new Error(`interactiveMode must be specified ${use}`));
  else if (!["Never", "IfAvailable", "Always"].includes(mode)) {
    errors.push(new Error(`invalid interactiveMode for ${name}: ${goQuote(mode)}`));
  }
}

/** Where the files of an entry are. */
interface Place {
  readonly cwd: string;
  readonly files: CommandFiles;
}

function readable(what: string, file: string, name: string, { cwd, files }: Place, errors: Error[]): void {
  try {
    files.requireReadable(resolve(cwd, file));
  } catch (error) {
    const why = new PathError("open", file, error).message;
    errors.push(new Error(`unable to read ${what} ${file} for ${name} due to ${why}`));
  }
}
