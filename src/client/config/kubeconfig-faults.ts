import { createPrivateKey, X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { errorMessage } from "../../base/text/error-message.js";
import { goQuote } from "../../base/text/go-quote.js";
import { errnoText } from "../../base/files/path-error.js";
import { isJsonObject, type JsonObject } from "../../machinery/meta/json.js";
import type { ConfigOverrides } from "./config-overrides.js";
import { entriesOf, type KubeconfigDocument, type LocatedEntry, type Section } from "./kubeconfig-document.js";
import type { KubeconfigFault } from "./kubeconfig-error.js";
import { parseProxyUrl, serverUrl } from "./server-url.js";

/**
 * Finds the faults of the entries that the context in force uses. The values of `documents` have the right types. An entry that an
 * override replaces is not checked.
 */
export function faultsInUse(
  documents: readonly KubeconfigDocument[],
  overrides: ConfigOverrides,
  cwd: string,
): readonly KubeconfigFault[] {
  return new Checker(documents, overrides, cwd).faults();
}

class Checker {
  readonly #found: KubeconfigFault[] = [];

  constructor(
    private readonly documents: readonly KubeconfigDocument[],
    private readonly overrides: ConfigOverrides,
    private readonly cwd: string,
  ) {}

  faults(): readonly KubeconfigFault[] {
    const { overrides } = this;
    const context = this.context();
    const cluster = this.named("clusters", overrides.cluster, context, overrides.server !== "");
    const replaced = overrides.token !== "" || overrides.username !== "" || overrides.clientCertificate !== "";
    const user = this.named("users", overrides.user, context, replaced);
    if (cluster) this.checkCluster(cluster);
    if (user) this.checkUser(user);
    return this.#found;
  }

  private context(): LocatedEntry | undefined {
    const { context } = this.overrides;
    if (context !== "") return this.find("contexts", context, this.files, "");
    for (const { file, value } of this.documents) {
      const current = isJsonObject(value) ? value["current-context"] : undefined;
      if (typeof current === "string" && current !== "") return this.find("contexts", current, file, "current-context");
    }
    return undefined;
  }

  /** The entry that the override names, else the one that the context names. */
  private named(
    section: "clusters" | "users",
    override: string,
    context: LocatedEntry | undefined,
    replaced: boolean,
  ): LocatedEntry | undefined {
    if (override !== "") return this.find(section, override, this.files, "");
    const field = section.slice(0, -1);
    const name = text(context?.value, field);
    if (context === undefined || name === "") return undefined;
    if (!replaced) return this.find(section, name, context.file, field, context.entry);
    return this.entries(section).find((entry) => entry.name === name);
  }

  private find(section: Section, name: string, file: string, field: string, entry = ""): LocatedEntry | undefined {
    const entries = this.entries(section);
    const found = entries.find((one) => one.name === name);
    if (found !== undefined) return found;
    const names = [...new Set(entries.map((one) => goQuote(one.name)))];
    const others = names.length === 0 ? `no ${section} are defined` : `${section} are ${names.join(", ")}`;
    this.#found.push({
      file,
      entry,
      field,
      problem: `there is no ${section.slice(0, -1)} ${goQuote(name)}: ${others}`,
    });
    return undefined;
  }

  private entries(section: Section): readonly LocatedEntry[] {
    return this.documents.flatMap((document) => entriesOf(document, section));
  }

  private get files(): string {
    return this.documents.map(({ file }) => file).join(", ");
  }

  private checkCluster(cluster: LocatedEntry): void {
    const { value } = cluster;
    const tell = this.teller(cluster);
    const { overrides } = this;
    const server = overrides.server || text(value, "server");
    if (server === "") tell("server", "missing: the URL of the API server, as https://HOST:PORT");
    else if (overrides.server === "") attempt(() => checkServer(server), "server", tell);
    const proxy = text(value, "proxy-url");
    if (proxy !== "") attempt(() => parseProxyUrl(proxy), "proxy-url", tell);
    if (overrides.certificateAuthority !== "" || overrides.insecureSkipTlsVerify) return;
    const authority = this.bytes(cluster, "certificate-authority", tell);
    if (authority === undefined) return;
    if (value["insecure-skip-tls-verify"] === true) {
      tell("insecure-skip-tls-verify", `cannot be combined with ${authority.field}: remove one of them`);
    }
    if (authority.bytes.length > 0) certificateIn(authority, tell);
  }

  private checkUser(user: LocatedEntry): void {
    const { value } = user;
    const tell = this.teller(user);
    const { overrides } = this;
    if (overrides.clientCertificate === "") this.checkKeyPair(user, tell);
    const token = overrides.token || text(value, "token");
    const basic = overrides.username || overrides.password || text(value, "username") || text(value, "password");
    if (token !== "" && basic !== "")
      tell("token", "cannot be combined with username and password: remove one of them");
    const tokenFile = text(value, "tokenFile");
    if (token === "" && tokenFile !== "") this.read(user, "tokenFile", tokenFile, tell);
    const provider = value["auth-provider"];
    if (isJsonObject(provider)) {
      tell("auth-provider", "is no longer supported: use exec with the credential plugin of your provider");
    }
    const { exec } = value;
    if (isJsonObject(exec)) checkExec(exec, (field, problem) => tell(`exec.${field}`, problem));
    const impersonates = ["as-uid", "as-groups", "as-user-extra"].find((field) => hasContent(value[field]));
    if (impersonates !== undefined && text(value, "as") === "" && overrides.as === "") {
      tell(impersonates, "needs the user to impersonate in as");
    }
  }

  private checkKeyPair(user: LocatedEntry, tell: Tell): void {
    const certificate = this.bytes(user, "client-certificate", tell);
    const key = this.overrides.clientKey === "" ? this.bytes(user, "client-key", tell) : undefined;
    const hasKey = ["client-key", "client-key-data"].some((field) => text(user.value, field) !== "");
    if (certificate && !hasKey && this.overrides.clientKey === "") {
      tell(certificate.field, "needs its key in client-key-data or client-key");
    }
    const parsed = certificate && certificateIn(certificate, tell);
    if (key === undefined || certificate === undefined) return;
    const privateKey = keyIn(key, tell);
    if (parsed && privateKey && !parsed.checkPrivateKey(privateKey)) {
      tell(key.field, `is not the key of the certificate in ${certificate.field}`);
    }
  }

  /** What a field and its `-data` hold. Both at once are a fault. */
  private bytes(entry: LocatedEntry, field: string, tell: Tell): Held | undefined {
    const file = text(entry.value, field);
    const data = text(entry.value, `${field}-data`);
    if (file !== "" && data !== "") tell(field, `cannot be combined with ${field}-data: remove one of them`);
    if (data !== "") return { field: `${field}-data`, bytes: Buffer.from(data, "base64") };
    const bytes = file === "" ? undefined : this.read(entry, field, file, tell);
    return bytes && { field, bytes };
  }

  private read(entry: LocatedEntry, field: string, file: string, tell: Tell): Buffer | undefined {
    try {
      return readFileSync(resolve(this.cwd, dirname(entry.file), file));
    } catch (error) {
      tell(field, `${file} cannot be read: ${errnoText(error)}`);
      return undefined;
    }
  }

  private teller({ file, entry }: LocatedEntry): Tell {
    return (field, problem) => this.#found.push({ file, entry, field, problem });
  }
}

type Tell = (field: string, problem: string) => void;

interface Held {
  /** "client-key" or "client-key-data". */
  readonly field: string;
  readonly bytes: Buffer;
}

function text(value: JsonObject | undefined, field: string): string {
  const held = value?.[field];
  return typeof held === "string" ? held : "";
}

const hasContent = (value: unknown): boolean =>
  typeof value === "object" && value !== null ? Object.keys(value).length > 0 : Boolean(value);

function attempt(check: () => unknown, field: string, tell: Tell): void {
  try {
    check();
  } catch (error) {
    tell(field, errorMessage(error));
  }
}

function checkServer(server: string): void {
  const scheme = /^([^:/]+):\/\//.exec(serverUrl(server, false))?.[1] ?? "";
  if (scheme !== "http" && scheme !== "https") {
    throw new Error(`${goQuote(server)} is not the URL of an API server: it must begin with https:// or http://`);
  }
}

function certificateIn({ field, bytes }: Held, tell: Tell): X509Certificate | undefined {
  if (!bytes.includes("-----BEGIN CERTIFICATE-----")) {
    tell(field, 'holds no certificate: PEM with "-----BEGIN CERTIFICATE-----" is expected');
    return undefined;
  }
  try {
    return new X509Certificate(bytes.subarray(bytes.indexOf("-----BEGIN CERTIFICATE-----")));
  } catch (error) {
    tell(field, `holds a certificate that cannot be parsed: ${errorMessage(error)}`);
    return undefined;
  }
}

function keyIn({ field, bytes }: Held, tell: Tell): ReturnType<typeof createPrivateKey> | undefined {
  if (!/-----BEGIN (?:[A-Z]+ )*PRIVATE KEY-----/.test(bytes.toString("latin1"))) {
    tell(field, 'holds no private key: PEM with "-----BEGIN PRIVATE KEY-----" is expected');
    return undefined;
  }
  try {
    return createPrivateKey(bytes);
  } catch (error) {
    tell(field, `holds a private key that cannot be parsed: ${errorMessage(error)}`);
    return undefined;
  }
}

const EXEC_VERSIONS = ["client.authentication.k8s.io/v1", "client.authentication.k8s.io/v1beta1"];
const INTERACTIVE_MODES = ["Never", "IfAvailable", "Always"];

function checkExec(exec: JsonObject, tell: Tell): void {
  const apiVersion = text(exec, "apiVersion");
  if (apiVersion === "") tell("apiVersion", `missing: one of ${EXEC_VERSIONS.join(", ")}`);
  else if (!EXEC_VERSIONS.includes(apiVersion)) {
    tell("apiVersion", `${goQuote(apiVersion)} is unknown: one of ${EXEC_VERSIONS.join(", ")}`);
  }
  if (text(exec, "command") === "") tell("command", "missing: the program that prints credentials");
  const mode = text(exec, "interactiveMode");
  const known = `one of ${INTERACTIVE_MODES.join(", ")}`;
  if (mode === "" && apiVersion === EXEC_VERSIONS[0]) tell("interactiveMode", `missing: ${known}`);
  else if (mode !== "" && !INTERACTIVE_MODES.includes(mode)) {
    tell("interactiveMode", `${goQuote(mode)} is unknown: ${known}`);
  }
  for (const [index, variable] of (Array.isArray(exec["env"]) ? exec["env"] : []).entries()) {
    if (!isJsonObject(variable) || text(variable, "name") === "") tell(`env[${index}].name`, "missing");
  }
}
