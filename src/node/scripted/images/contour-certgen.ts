import type { FieldsOf } from "../../../machinery/meta/received.js";
import type { ObjectMeta } from "../../../machinery/meta/object.js";
import type { JsonObject } from "../../../machinery/meta/json.js";
import type { Program } from "../program.js";
import { DAY_MS, type MakeCertificate } from "./certificate-maker.js";
import { PodApi, secretOf, secretPath } from "./pod-api.js";
import { type FlagTable, type ProgramFlags, programFlags } from "./program-flags.js";

const FLAGS: FlagTable = {
  texts: {
    "certificate-lifetime": "365",
    kubeconfig: "",
    namespace: "",
    "secrets-format": "legacy",
    "secrets-name-suffix": "",
  },
  switches: { incluster: false, kube: false, overwrite: false, pem: false, yaml: false },
};
const DEFAULT_NAMESPACE = "projectcontour";

/**
 * `contour certgen --kube`: writes Secrets with a certificate authority, and certificates for Contour and Envoy that it signed. It
 * writes no files (--pem, --yaml).
 */
export const contourCertgen =
  (make: MakeCertificate): Program =>
  async (io) => {
    try {
      const flags = programFlags(io.args, FLAGS);
      const namespace = flags.text("namespace") || io.env["CONTOUR_NAMESPACE"] || DEFAULT_NAMESPACE;
      const format = flags.text("secrets-format");
      const secrets = secretsOf(flags, namespace, io.clock.now(), make);
      if (flags.isOn("pem") || flags.isOn("yaml")) throw new Error("only --kube is there in this cluster");
      if (!flags.isOn("kube")) return 0;
      await io.stdout.write(
        `Writing ${JSON.stringify(format)} format Secrets to namespace ${JSON.stringify(namespace)}\n`,
      );
      const api = PodApi.open(io);
      for (const { name, secret } of secrets) {
        const isWritten = await write(api, namespace, name, secret, flags.isOn("overwrite"));
        await io.stdout.write(`secret/${name} ${isWritten ? "updated" : "already exists"}\n`);
      }
      return 0;
    } catch (error) {
      await io.stderr.write(`contour: error: ${(error as Error).message}\n`);
      return 1;
    }
  };

interface NamedSecret {
  readonly name: string;
  readonly secret: JsonObject;
}

function secretsOf(flags: ProgramFlags, namespace: string, now: number, make: MakeCertificate): readonly NamedSecret[] {
  const format = flags.text("secrets-format");
  if (format !== "legacy" && format !== "compact") {
    throw new Error(`unsupported Secrets format ${JSON.stringify(format)}`);
  }
  const days = Number(flags.text("certificate-lifetime"));
  if (!Number.isSafeInteger(days) || days < 0) {
    throw new Error(`strconv.ParseUint: parsing ${JSON.stringify(flags.text("certificate-lifetime"))}: invalid syntax`);
  }
  const validity = { notBefore: now - DAY_MS, notAfter: now + (days || 365) * DAY_MS };
  const authority = make({ commonName: "Project Contour", usage: "ca", ...validity });
  const suffix = flags.text("secrets-name-suffix");
  const secretFor = (name: string, data: Readonly<Record<string, string>>, type?: string): NamedSecret => ({
    name: `${name}${suffix}`,
    secret: secretOf(
      { name: `${name}${suffix}`, namespace, labels: { app: "contour" } } satisfies FieldsOf<ObjectMeta>,
      data,
      type,
    ),
  });
  const pairs = ["contour", "envoy"].map((service) => {
    const own = `${service}.${namespace}`;
    const names = [service, own, `${own}.svc`, `${own}.svc.cluster.local`];
    const pair = make({ commonName: service, usage: "peer", names, ...validity }, authority);
    const ca = format === "compact" ? { "ca.crt": authority.certificate } : {};
    return secretFor(
      `${service}cert`,
      { ...ca, "tls.crt": pair.certificate, "tls.key": pair.key },
      "kubernetes.io/tls",
    );
  });
  return format === "compact" ? pairs : [...pairs, secretFor("cacert", { "cacert.pem": authority.certificate })];
}

/** Whether the Secret is what was asked for now; false where there is one that may not be overwritten. */
async function write(
  api: PodApi,
  namespace: string,
  name: string,
  secret: JsonObject,
  overwrites: boolean,
): Promise<boolean> {
  if (await api.createOnce(secretPath(namespace), secret)) return true;
  if (overwrites) await api.update(secretPath(namespace, name), secret);
  return overwrites;
}
