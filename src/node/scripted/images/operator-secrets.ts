import type { Deployment } from "../../../api/types/apps/v1.js";
import type { FieldsOf } from "../../../machinery/meta/received.js";
import type {
  WebhookClientConfig,
  ValidatingWebhookConfiguration,
  ValidatingWebhook,
} from "../../../api/types/admissionregistration/v1.js";
import type { OwnerReference, ObjectMeta } from "../../../machinery/meta/object.js";
import { object, objects, text } from "../../../machinery/meta/access.js";
import type { Program, ProgramIo } from "../program.js";
import { DAY_MS, type MakeCertificate } from "./certificate-maker.js";
import { isNotFound, PodApi, secretOf, secretPath } from "./pod-api.js";
import { type FlagTable, programFlags } from "./program-flags.js";

/** Does what MetalLB's controller does at its start: it creates the Secret by which its speakers find each other, owned by its Deployment. */
export const memberlistSecret =
  (random: (bytes: number) => Uint8Array): Program =>
  (io) =>
    orFailed(io, async () => {
      const { METALLB_ML_SECRET_NAME: name = "", METALLB_DEPLOYMENT: deployment = "" } = io.env;
      if (name === "") return;
      const api = PodApi.open(io);
      const { namespace } = api;
      const path = `/apis/apps/v1/namespaces/${encodeURIComponent(namespace)}/deployments/${encodeURIComponent(deployment)}`;
      const { metadata }: FieldsOf<Deployment> = await api.get(path);
      const { uid }: FieldsOf<ObjectMeta> = object(metadata);
      const owner = {
        apiVersion: "apps/v1",
        kind: "Deployment",
        name: deployment,
        uid: text(uid),
      } satisfies FieldsOf<OwnerReference>;
      const secretkey = Buffer.from(random(KEY_BYTES)).toString("base64").replaceAll("=", "");
      await api.createOnce(
        secretPath(namespace),
        secretOf({ name, namespace, ownerReferences: [owner] } satisfies FieldsOf<ObjectMeta>, { secretkey }),
      );
    });

const KEY_BYTES = 16;

/** Flags that say what the certificates of KEDA are for; it has many more. */
const KEDA: FlagTable = {
  texts: {
    "cert-secret-name": "kedaorg-certs",
    "operator-service-name": "keda-operator",
    "metrics-server-service-name": "keda-operator-metrics-apiserver",
    "webhooks-service-name": "keda-admission-webhooks",
    "k8s-cluster-domain": "cluster.local",
    "validating-webhook-name": "keda-admission",
  },
  switches: { "enable-cert-rotation": false },
};
const LIFETIME_MS = 10 * 365 * DAY_MS;

/**
 * Does what KEDA's operator does at its start if its flags say so: it creates a Secret with the certificates of its three
 * programs, and puts their CA into its webhook.
 */
export const kedaCertificates =
  (make: MakeCertificate): Program =>
  (io) =>
    orFailed(io, async () => {
      const known = [...Object.keys(KEDA.texts), ...Object.keys(KEDA.switches)];
      const isKnown = (word: string): boolean =>
        known.some((name) => word.startsWith(`--${name}=`) || word === `--${name}`);
      const flags = programFlags(io.args.filter(isKnown), KEDA);
      if (!flags.isOn("enable-cert-rotation")) return;
      const api = PodApi.open(io);
      const { namespace } = api;
      const now = io.clock.now();
      const validity = { notBefore: now - DAY_MS, notAfter: now + LIFETIME_MS };
      const services = ["operator", "metrics-server", "webhooks"].map((one) => flags.text(`${one}-service-name`));
      const domain = flags.text("k8s-cluster-domain");
      const names = services.flatMap((service) => {
        const full = `${service}.${namespace}`;
        return [service, full, `${full}.svc`, `${full}.svc.${domain}`];
      });
      const authority = make({ commonName: "KEDA", usage: "ca", ...validity });
      const pair = make({ commonName: names[0] ?? "", usage: "peer", names, ...validity }, authority);
      const data = {
        "ca.crt": authority.certificate,
        "ca.key": authority.key,
        "tls.crt": pair.certificate,
        "tls.key": pair.key,
      };
      const secret = secretOf({ name: flags.text("cert-secret-name"), namespace } satisfies FieldsOf<ObjectMeta>, data);
      if (await api.createOnce(secretPath(namespace), secret))
        await trust(api, flags.text("validating-webhook-name"), authority.certificate);
    });

/** Writes an authority into the webhooks of a configuration, where there is one. */
async function trust(api: PodApi, configuration: string, authority: string): Promise<void> {
  const all = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations";
  const path = `${all}/${encodeURIComponent(configuration)}`;
  const caBundle = Buffer.from(authority).toString("base64");
  try {
    const found = await api.get(path);
    const webhooks = objects(found["webhooks"]).map(
      (webhook) =>
        ({
          ...webhook,
          clientConfig: { ...object(webhook.clientConfig), caBundle } satisfies FieldsOf<WebhookClientConfig>,
        }) satisfies FieldsOf<ValidatingWebhook>,
    );
    await api.update(path, { ...found, webhooks } satisfies FieldsOf<ValidatingWebhookConfiguration>);
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}

async function orFailed(io: ProgramIo, work: () => Promise<void>): Promise<number> {
  try {
    await work();
    return 0;
  } catch (error) {
    await io.stderr.write(`${io.name}: ${(error as Error).message}\n`);
    return 1;
  }
}
