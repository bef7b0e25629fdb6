import { spawn } from "node:child_process";
import { X509Certificate } from "node:crypto";
import { normalize } from "node:path";
import { errorMessage } from "../../base/text/error-message.js";
import { errorCode } from "../../base/files/path-error.js";
import type { Clock } from "../../base/time/clock.js";
import { goQuote } from "../../base/text/go-quote.js";
import { isJsonObject, type JsonObject, type JsonValue } from "../../machinery/meta/json.js";
import type { ExecConfig } from "../config/client-config.js";
import { type PluginPolicy, permittedPlugin } from "./plugin-policy.js";

/** The answer of a credential plugin: a token, a certificate with its key, or both. */
export interface ExecCredentials {
  readonly token?: string;
  readonly certData?: Uint8Array;
  readonly keyData?: Uint8Array;
}

/** The cluster, as ExecCredential describes it to a plugin that requests it. The fields are in its order. */
export interface ExecCluster {
  readonly server: string;
  readonly "tls-server-name"?: string;
  readonly "insecure-skip-tls-verify"?: boolean;
  /** Base64. */
  readonly "certificate-authority-data"?: string;
  readonly "proxy-url"?: string;
  readonly "disable-compression"?: boolean;
  readonly config?: unknown;
}

export interface ExecPluginOptions {
  readonly config: ExecConfig;
  readonly cluster: ExecCluster;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  /** True when a person can answer the plugin's prompts. */
  readonly stdinIsTerminal: boolean;
  /** Default: every plugin may run. */
  readonly policy?: PluginPolicy | undefined;
}

/**
 * Credentials from a plugin. It runs on first use, and again when the credentials expire or the server refuses them. The
 * plugin shares stderr with this process, so that it can prompt, and stdin only in an interactive mode. Errors have
 * client-go's words.
 */
export class ExecPlugin {
  private cached: ExecCredentials | undefined;
  private running: Promise<ExecCredentials> | undefined;
  private expires = Number.POSITIVE_INFINITY;
  private readonly explanations = { since: Number.NEGATIVE_INFINITY, count: 0 };

  constructor(private readonly options: ExecPluginOptions) {}

  /** Returns the credentials. Concurrent callers share one run of the plugin. */
  async credentials(): Promise<ExecCredentials> {
    if (this.cached && this.options.clock.now() < this.expires) return this.cached;
    this.running ??= this.refresh().finally(() => {
      this.running = undefined;
    });
    return this.running;
  }

  /** Drops `used` after the server refused it with 401, unless newer credentials have replaced it already. */
  refused(used: ExecCredentials): void {
    if (this.cached === used) this.cached = undefined;
  }

  private async refresh(): Promise<ExecCredentials> {
    const interactive = this.interactive();
    const { config, cluster } = this.options;
    const request = {
      kind: "ExecCredential",
      apiVersion: config.apiVersion,
      spec: { ...(config.provideClusterInfo && { cluster }), interactive },
    };
    const stdout = await this.run(`${JSON.stringify(request)}\n`, interactive);
    const status = await this.statusOf(stdout);
    const expiration = status["expirationTimestamp"];
    this.expires = typeof expiration === "string" ? Date.parse(expiration) : Number.POSITIVE_INFINITY;
    this.cached = credentialsOf(status);
    return this.cached;
  }

  private interactive(): boolean {
    const { config, stdinIsTerminal } = this.options;
    if (config.interactiveMode === "Never") return false;
    if (config.interactiveMode === "Always" && !stdinIsTerminal) {
      throw new Error("exec plugin cannot support interactive mode: standard input is not a terminal");
    }
    return stdinIsTerminal;
  }

  private async run(request: string, interactive: boolean): Promise<string> {
    const { config, env, policy } = this.options;
    const command = normalize(config.command);
    const program = policy === undefined ? command : permittedPlugin(command, policy, env);
    const own = Object.fromEntries(config.env.map(({ name, value }) => [name, value]));
    return await new Promise((resolve, reject) => {
      const child = spawn(program, [...config.args], {
        env: { ...env, ...own, KUBERNETES_EXEC_INFO: request },
        stdio: [interactive ? "inherit" : "ignore", "pipe", "inherit"],
        windowsHide: true,
      });
      const chunks: Buffer[] = [];
      child.stdout?.on("data", (chunk: Buffer) => chunks.push(chunk));
      child.on("error", (error) => reject(this.spawnError(command, error)));
      child.on("close", (code) => {
        if (code === 0) resolve(Buffer.concat(chunks).toString("utf8"));
        else reject(new Error(`exec: executable ${command} failed with exit code ${code ?? -1}`));
      });
    });
  }

  private spawnError(command: string, error: Error): Error {
    // Go reports a bare name that is not on PATH as "not found". For a path it reports the system's error.
    if (/[/\\]/.test(command)) {
      const why = errorCode(error) === "EACCES" ? "permission denied" : "no such file or directory";
      return new Error(`exec: fork/exec ${command}: ${why}`);
    }
    let text = `exec: executable ${command} not found`;
    if (this.mayExplain()) {
      text += NOT_INSTALLED;
      if (this.options.config.installHint) text += `\n\n${this.options.config.installHint}`;
    }
    return new Error(text);
  }

  /** Limits the hint to ten times in ten minutes, so that a client that retries for ever does not repeat it for ever. */
  private mayExplain(): boolean {
    const now = this.options.clock.now();
    const { explanations } = this;
    if (now - explanations.since >= 600_000) Object.assign(explanations, { since: now, count: 0 });
    return ++explanations.count <= 10;
  }

  private async statusOf(stdout: string): Promise<JsonObject> {
    const { apiVersion } = this.options.config;
    const answer = await parseAnswer(stdout);
    const kind = textOf(answer["kind"]);
    const version = textOf(answer["apiVersion"]);
    if (kind === "" && version === "") {
      throw new Error(
        `exec plugin is configured to use API version ${apiVersion}, plugin returned version client.authentication.k8s.io/__internal`,
      );
    }
    if (kind === "") throw new Error(`decoding stdout: Object 'Kind' is missing in '${stdout}'`);
    if (version === "") throw new Error(`decoding stdout: Object 'apiVersion' is missing in '${stdout}'`);
    if (kind !== "ExecCredential" || !VERSIONS.has(version)) {
      throw new Error(
        `decoding stdout: no kind ${goQuote(kind)} is registered for version ${goQuote(version)} in scheme "pkg/runtime/scheme.go:110"`,
      );
    }
    if (version !== apiVersion) {
      throw new Error(`exec plugin is configured to use API version ${apiVersion}, plugin returned version ${version}`);
    }
    if (!isJsonObject(answer["status"])) throw new Error("exec plugin didn't return a status field");
    return answer["status"];
  }
}

/** Parses a plugin's output as JSON or YAML. Empty output is an object without fields. */
async function parseAnswer(stdout: string): Promise<JsonObject> {
  const { parseYaml } = await import("../../machinery/text/yaml/read.js");
  let answer: JsonValue;
  try {
    answer = parseYaml(stdout);
  } catch (error) {
    throw new Error(`decoding stdout: ${errorMessage(error)}`, { cause: error });
  }
  if (answer === null) return {};
  if (isJsonObject(answer)) return answer;
  throw new Error(
    `decoding stdout: couldn't get version/kind; json parse error: json: cannot unmarshal ${jsonTypeOf(answer)} into Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }`,
  );
}

function jsonTypeOf(value: JsonValue): string {
  if (Array.isArray(value)) return "array";
  if (typeof value === "boolean") return "bool";
  return typeof value === "string" ? "string" : "number";
}

function credentialsOf(status: JsonObject): ExecCredentials {
  const text = (field: string) => (typeof status[field] === "string" ? status[field] : "");
  const token = text("token");
  const cert = text("clientCertificateData");
  const key = text("clientKeyData");
  if (token === "" && cert === "" && key === "") throw new Error("exec plugin didn't return a token or cert/key pair");
  if ((cert === "") !== (key === "")) throw new Error("exec plugin returned only certificate or key, not both");
  if (cert !== "") {
    try {
      new X509Certificate(cert);
    } catch {
      throw new Error("failed parsing client key/certificate: tls: failed to find any PEM data in certificate input");
    }
  }
  return {
    ...(token !== "" && { token }),
    ...(cert !== "" && { certData: Buffer.from(cert), keyData: Buffer.from(key) }),
  };
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === "string" ? value : "";
}

const VERSIONS = new Set(["client.authentication.k8s.io/v1", "client.authentication.k8s.io/v1beta1"]);

const NOT_INSTALLED = `

It looks like you are trying to use a client-go credential plugin that is not installed.

To learn more about this feature, consult the documentation available at:
      https://kubernetes.io/docs/reference/access-authn-authz/authentication/#client-go-credential-plugins`;
