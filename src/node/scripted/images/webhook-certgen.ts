import type { FieldsOf } from "../../../machinery/meta/received.js";
import type {
  WebhookClientConfig,
  ValidatingWebhookConfiguration,
  ValidatingWebhook,
} from "../../../api/types/admissionregistration/v1.js";
import type { APIServiceSpec, APIService } from "../../../api/types/apiregistration/v1.js";
import { object, objects } from "../../../machinery/meta/access.js";
import type { JsonObject } from "../../../machinery/meta/json.js";
import type { Program, ProgramIo } from "../program.js";
import { type CertificatePair, DAY_MS, type MakeCertificate } from "./certificate-maker.js";
import { isNotFound, PodApi, secretOf, secretPath, secretValue } from "./pod-api.js";
import { checkRequired, FlagError, type FlagTable, type ProgramFlags, programFlags } from "./program-flags.js";

const ALL: FlagTable = {
  texts: { "log-level": "info", "log-format": "json", kubeconfig: "", "secret-name": "", namespace: "" },
  switches: {},
};
const CREATE: FlagTable = { texts: { ...ALL.texts, host: "", "cert-name": "cert", "key-name": "key" }, switches: {} };
const PATCH: FlagTable = {
  texts: { ...ALL.texts, "webhook-name": "", "apiservice-name": "", "patch-failure-policy": "" },
  switches: { "patch-validating": true, "patch-mutating": true },
};

/** How long its certificates are valid. */
const LIFETIME_MS = 100 * 365 * DAY_MS;
const SKEW_MS = 5 * 60_000;
const REGISTRATION = "/apis/admissionregistration.k8s.io/v1";
const API_SERVICES = "/apis/apiregistration.k8s.io/v1/apiservices";

/** Ends the program with code 1. */
class FatalError extends Error {
  override readonly name = "FatalError";

  constructor(
    message: string,
    readonly reason?: Error,
  ) {
    super(message);
  }
}

/**
 * kube-webhook-certgen of Jet and of ingress-nginx: `create` makes a Secret with a CA and a serving certificate unless it exists,
 * `patch` writes the CA into webhooks and into an APIService. It uses admissionregistration.k8s.io/v1, because the version that
 * the first generation used no longer exists.
 */
export const webhookCertgen =
  (make: MakeCertificate): Program =>
  async (io) => {
    const [command = "", ...args] = io.args;
    try {
      if (command === "create") await create(io, flagsOf(CREATE, args, ["host", "secret-name", "namespace"]), make);
      else if (command === "patch") await patch(io, flagsOf(PATCH, args, ["secret-name", "namespace"]));
      else if (command === "version") await io.stdout.write("kubets\n");
      else throw new FlagError(`unknown command ${JSON.stringify(command)} for "kube-webhook-certgen"`);
    } catch (error) {
      if (error instanceof FlagError) {
        await io.stderr.write(`Error: ${error.message}\n`);
        return 1;
      }
      const { message, reason } = error instanceof FatalError ? error : new FatalError((error as Error).message);
      await log(io, "fatal", message, reason);
      return 1;
    }
    return 0;
  };

function flagsOf(table: FlagTable, args: readonly string[], required: readonly string[]): ProgramFlags {
  const flags = programFlags(args, table);
  checkRequired(flags, required);
  return flags;
}

/** A line in the JSON of logrus, which writes keys in order. */
async function log(io: ProgramIo, level: "info" | "fatal", msg: string, err?: Error): Promise<void> {
  const time = `${new Date(io.clock.now()).toISOString().slice(0, 19)}Z`;
  await io.stdout.write(`${JSON.stringify({ ...(err && { err: err.message }), level, msg, time })}\n`);
}

async function create(io: ProgramIo, flags: ProgramFlags, make: MakeCertificate): Promise<void> {
  const api = PodApi.open(io);
  const [name, namespace] = [flags.text("secret-name"), flags.text("namespace")];
  if ((await authorityOf(io, api, namespace, name)) !== undefined) return log(io, "info", "secret already exists");
  await log(io, "info", "creating new secret");
  const { authority, serving } = servingPair(make, flags.text("host").split(","), io.clock.now());
  const data = {
    ca: authority.certificate,
    [flags.text("cert-name")]: serving.certificate,
    [flags.text("key-name")]: serving.key,
  };
  await because("failed creating secret", api.create(secretPath(namespace), secretOf({ name }, data)));
}

function servingPair(
  make: MakeCertificate,
  names: readonly string[],
  now: number,
): { readonly authority: CertificatePair; readonly serving: CertificatePair } {
  const validity = { notBefore: now - SKEW_MS, notAfter: now - SKEW_MS + LIFETIME_MS };
  const authority = make({ commonName: "nil1", usage: "ca", ...validity });
  return { authority, serving: make({ commonName: "nil2", usage: "server", names, ...validity }, authority) };
}

/** Undefined where there is no such Secret. */
async function authorityOf(io: ProgramIo, api: PodApi, namespace: string, name: string): Promise<string | undefined> {
  let secret: JsonObject;
  try {
    secret = await api.get(secretPath(namespace, name));
  } catch (error) {
    if (!isNotFound(error)) throw new FatalError("error getting secret", error as Error);
    await log(io, "info", "no secret found", error as Error);
    return undefined;
  }
  const authority = secretValue(secret, "ca");
  if (authority === undefined) throw new FatalError("got secret, but it did not contain a 'ca' key");
  return authority;
}

async function patch(io: ProgramIo, flags: ProgramFlags): Promise<void> {
  const [isMutating, isValidating] = [flags.isOn("patch-mutating"), flags.isOn("patch-validating")];
  const [webhook, apiService] = [flags.text("webhook-name"), flags.text("apiservice-name")];
  if (!isMutating && !isValidating && apiService === "") {
    throw new FatalError(
      "patch-validating=false, patch-mutating=false. You must patch at least one kind of webhook, otherwise this command is a no-op",
    );
  }
  const policy = flags.text("patch-failure-policy");
  if (!["", "Ignore", "Fail"].includes(policy)) throw new FatalError(`patch-failure-policy ${policy} is not valid`);
  // The program has nothing that it writes for "Ignore".
  const failurePolicy = policy === "Fail" ? policy : "";
  const api = PodApi.open(io);
  const [name, namespace] = [flags.text("secret-name"), flags.text("namespace")];
  const ca = await authorityOf(io, api, namespace, name);
  if (ca === undefined) throw new FatalError(`no secret with '${name}' in '${namespace}'`);
  const caBundle = Buffer.from(ca).toString("base64");
  if (apiService !== "") await patchApiService(io, api, apiService, caBundle);
  const kinds = [...(isValidating ? (["validating"] as const) : []), ...(isMutating ? (["mutating"] as const) : [])];
  if (webhook === "" || kinds.length === 0) return;
  const chosen = `mutating=${isMutating}, validating=${isValidating}, failurePolicy=${failurePolicy}`;
  await log(io, "info", `patching webhook configurations '${webhook}' ${chosen}`);
  for (const kind of kinds) await patchWebhooks(api, kind, webhook, caBundle, failurePolicy);
  await log(io, "info", "Patched hook(s)");
}

async function patchApiService(io: ProgramIo, api: PodApi, name: string, caBundle: string): Promise<void> {
  await log(io, "info", `patching APIService ${JSON.stringify(name)}`);
  const path = `${API_SERVICES}/${encodeURIComponent(name)}`;
  const service = await because(`failed getting APIService ${JSON.stringify(name)}`, api.get(path));
  const given: FieldsOf<APIServiceSpec> = object(service["spec"]);
  const { insecureSkipTLSVerify: _, ...spec } = given;
  const patched = {
    ...service,
    spec: { ...spec, caBundle } satisfies FieldsOf<APIServiceSpec>,
  } satisfies FieldsOf<APIService> as JsonObject;
  await because(`failed patching APIService ${JSON.stringify(name)}`, api.update(path, patched));
}

async function patchWebhooks(
  api: PodApi,
  kind: "validating" | "mutating",
  name: string,
  caBundle: string,
  failurePolicy: string,
): Promise<void> {
  const path = `${REGISTRATION}/${kind}webhookconfigurations/${encodeURIComponent(name)}`;
  const configuration = await because(`failed getting ${kind} webhook`, api.get(path));
  const webhooks = objects(configuration["webhooks"]).map(
    (webhook) =>
      ({
        ...webhook,
        clientConfig: { ...object(webhook.clientConfig), caBundle } satisfies FieldsOf<WebhookClientConfig>,
        ...(failurePolicy !== "" && ({ failurePolicy } satisfies FieldsOf<ValidatingWebhook>)),
      }) satisfies FieldsOf<ValidatingWebhook>,
  );
  await because(
    `failed patching ${kind} webhook`,
    api.update(path, { ...configuration, webhooks } satisfies FieldsOf<ValidatingWebhookConfiguration>),
  );
}

async function because<T>(what: string, request: Promise<T>): Promise<T> {
  try {
    return await request;
  } catch (error) {
    throw new FatalError(what, error as Error);
  }
}
