import type { FieldsOf } from "../../../machinery/meta/received.js";
import type { ObjectMeta } from "../../../machinery/meta/object.js";
import { parseGoDuration } from "../../../base/text/go-literals.js";
import { object, objects, text } from "../../../machinery/meta/access.js";
import type { JsonObject } from "../../../machinery/meta/json.js";
import { parseYaml } from "../../../machinery/text/yaml/read.js";
import type { Program, ProgramIo } from "../program.js";
import { type CertificateOrder, type CertificatePair, DAY_MS, type MakeCertificate } from "./certificate-maker.js";
import { isNotFound, PodApi, secretOf, secretPath, secretValue } from "./pod-api.js";
import { type FlagTable, type ProgramFlags, programFlags } from "./program-flags.js";

const FLAGS: FlagTable = {
  texts: {
    "k8s-kubeconfig-path": "",
    "k8s-request-timeout": "1m0s",
    "ca-cert-file": "",
    "ca-key-file": "",
    "ca-common-name": "CA",
    "ca-validity-duration": "26280h0m0s",
    "ca-secret-name": "ca",
    "ca-secret-namespace": "kube-system",
    "ca-configmap-name": "",
    "ca-configmap-namespace": "",
    config: "",
    "config-file": "",
  },
  switches: {
    debug: false,
    "ca-generate": false,
    "ca-reuse-secret": false,
    "ca-enforce-validity-throughout-leaves-duration": false,
  },
  short: { D: "debug" },
};
/** Of a configuration file, a certificate or a key. Bytes. */
const LONGEST_FILE = 1024 * 1024;
const YEAR_MS = 365 * DAY_MS;

/** cilium-certgen: creates a CA in a Secret, and in other Secrets the certificates that its configuration requests. */
export const ciliumCertgen =
  (make: MakeCertificate): Program =>
  async (io) => {
    try {
      const flags = withEnvironment(programFlags(io.args, FLAGS), io.env);
      await log(io, "INFO", "Running...");
      await generate(io, flags, make);
      return 0;
    } catch (error) {
      await log(io, "ERROR", "failed to generate certificates", { error: (error as Error).message });
      return 1;
    }
  };

/** Each flag is a variable too: CILIUM_CERTGEN_CA_GENERATE; the program's library takes a dash in the prefix as it is. */
function withEnvironment(flags: ProgramFlags, env: Readonly<Record<string, string>>): ProgramFlags {
  const variable = (name: string): string | undefined => {
    const suffix = name.replaceAll("-", "_").toUpperCase();
    return env[`CILIUM_CERTGEN_${suffix}`] ?? env[`CILIUM-CERTGEN_${suffix}`];
  };
  return {
    ...flags,
    text: (name) => (flags.isSet(name) ? flags.text(name) : (variable(name) ?? flags.text(name))),
    isOn: (name) => (flags.isSet(name) ? flags.isOn(name) : (variable(name) ?? `${flags.isOn(name)}`) === "true"),
  };
}

/** A line as Go's slog writes it. */
async function log(
  io: ProgramIo,
  level: "INFO" | "WARN" | "ERROR",
  message: string,
  fields: Readonly<Record<string, string>> = {},
): Promise<void> {
  const more = Object.entries(fields).map(([key, value]) => ` ${key}=${JSON.stringify(value)}`);
  const time = new Date(io.clock.now()).toISOString();
  await io.stderr.write(`time=${time} level=${level} msg=${JSON.stringify(message)}${more.join("")}\n`);
}

async function generate(io: ProgramIo, flags: ProgramFlags, make: MakeCertificate): Promise<void> {
  const api = PodApi.open(io);
  const wanted = wantedCertificates(io, flags);
  const authority = await authorityOf(io, api, flags, make);
  if (flags.text("ca-configmap-name") !== "") await publishAuthority(api, flags, authority);
  const now = io.clock.now();
  await log(io, "INFO", "Generating certificates");
  const made = wanted.map(({ lifetime, ...one }) => ({
    ...one,
    pair: make({ ...one.order, notBefore: now - SKEW_MS, notAfter: now - SKEW_MS + lifetime }, authority),
  }));
  await log(io, "INFO", "Storing certificates");
  for (const { name, namespace, pair } of made) {
    await log(io, "INFO", "Storing certificate", { k8sSecretNamespace: namespace, k8sSecretName: name });
    const data = { "ca.crt": authority.certificate, "tls.crt": pair.certificate, "tls.key": pair.key };
    await createOrUpdate(
      api,
      namespace,
      name,
      secretOf({ name, namespace } satisfies FieldsOf<ObjectMeta>, data, "kubernetes.io/tls"),
    );
  }
  await log(io, "INFO", "Successfully generated all requested certificates.", { count: `${made.length}` });
}

/** Certificates are valid a little earlier than they are made. */
const SKEW_MS = 5 * 60_000;

interface WantedCertificate {
  readonly name: string;
  readonly namespace: string;
  readonly order: Pick<CertificateOrder, "commonName" | "names" | "usage">;
  /** Milliseconds. */
  readonly lifetime: number;
}

function wantedCertificates(io: ProgramIo, flags: ProgramFlags): readonly WantedCertificate[] {
  const [given, file] = [flags.text("config"), flags.text("config-file")];
  if (given === "" && file === "") return [];
  const configuration = given === "" ? readText(io, file) : given;
  return objects(object(parseYaml(configuration)).certs).map((one) => {
    const usages = Array.isArray(one["usage"]) ? one["usage"].map(text) : [];
    const [serves, isClient] = [usages.includes("server auth"), usages.includes("client auth")];
    return {
      name: text(one["name"]),
      namespace: text(one["namespace"]),
      order: {
        commonName: text(one["commonName"]),
        names: Array.isArray(one["hosts"]) ? one["hosts"].map(text) : [],
        usage: serves === isClient ? "peer" : serves ? "server" : "client",
      },
      lifetime: durationOf(text(one["validity"])) || YEAR_MS,
    };
  });
}

function readText(io: ProgramIo, path: string): string {
  if (io.files.look(path)?.kind !== "file") throw new Error(`open ${path}: no such file or directory`);
  return io.files.content(path, LONGEST_FILE)?.toString("utf8") ?? "";
}

function durationOf(text: string): number {
  if (text === "") return 0;
  const milliseconds = parseGoDuration(text);
  if (milliseconds === undefined) throw new Error(`time: invalid duration ${JSON.stringify(text)}`);
  return milliseconds;
}

async function authorityOf(
  io: ProgramIo,
  api: PodApi,
  flags: ProgramFlags,
  make: MakeCertificate,
): Promise<CertificatePair> {
  const [name, namespace] = [flags.text("ca-secret-name"), flags.text("ca-secret-namespace")];
  const reuses = flags.isOn("ca-reuse-secret");
  if (flags.isOn("ca-generate")) {
    const notBefore = io.clock.now() - SKEW_MS;
    const notAfter = notBefore + durationOf(flags.text("ca-validity-duration"));
    const made = make({ commonName: flags.text("ca-common-name"), usage: "ca", notBefore, notAfter });
    const secret = secretOf({ name, namespace } satisfies FieldsOf<ObjectMeta>, {
      "ca.crt": made.certificate,
      "ca.key": made.key,
    });
    if (!reuses) await createOrUpdate(api, namespace, name, secret);
    else if (!(await api.createOnce(secretPath(namespace), secret))) return loadAuthority(io, api, namespace, name);
    return made;
  }
  const [certificateFile, keyFile] = [flags.text("ca-cert-file"), flags.text("ca-key-file")];
  if (certificateFile !== "" && keyFile !== "") {
    await log(io, "INFO", "Loading CA from file");
    return { certificate: readText(io, certificateFile), key: readText(io, keyFile) };
  }
  if (!reuses) throw new Error("failed to generate cert: cannot generate certificate without a loaded or generated CA");
  return loadAuthority(io, api, namespace, name);
}

async function loadAuthority(io: ProgramIo, api: PodApi, namespace: string, name: string): Promise<CertificatePair> {
  const secret = await api.get(secretPath(namespace, name));
  const [certificate, key] = [secretValue(secret, "ca.crt"), secretValue(secret, "ca.key")];
  if (certificate === undefined) throw new Error(`secret ${namespace}/${name} has no CA cert`);
  if (key === undefined) throw new Error(`secret ${namespace}/${name} has no CA key`);
  await log(io, "INFO", "Loaded CA Secret");
  return { certificate, key };
}

async function publishAuthority(api: PodApi, flags: ProgramFlags, { certificate }: CertificatePair): Promise<void> {
  const [name, namespace] = [flags.text("ca-configmap-name"), flags.text("ca-configmap-namespace")];
  const all = `/api/v1/namespaces/${encodeURIComponent(namespace)}/configmaps`;
  const path = `${all}/${encodeURIComponent(name)}`;
  try {
    const found = await api.get(path);
    await api.update(path, { ...found, data: { ...object(found["data"]), "ca.crt": certificate } });
  } catch (error) {
    if (!isNotFound(error)) throw error;
    const metadata = { name, namespace } satisfies FieldsOf<ObjectMeta>;
    await api.create(all, { apiVersion: "v1", kind: "ConfigMap", metadata, data: { "ca.crt": certificate } });
  }
}

async function createOrUpdate(api: PodApi, namespace: string, name: string, secret: JsonObject): Promise<void> {
  if (!(await api.createOnce(secretPath(namespace), secret))) await api.update(secretPath(namespace, name), secret);
}
