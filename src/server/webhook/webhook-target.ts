import type { FieldsOf } from "../../machinery/meta/received.js";
import type { ServiceReference, WebhookClientConfig } from "../../api/types/admissionregistration/v1.js";
import { posix } from "node:path";
import { object, text } from "../../machinery/meta/access.js";

/** The target of a webhook: the clientConfig of a webhook configuration or of a CustomResourceDefinition. */
export interface WebhookTarget {
  /** "https://host:port", as errors show it. */
  readonly origin: string;
  readonly path: string;
  /** PEM; undefined: the system's authorities. */
  readonly caBundle?: Uint8Array;
  /** The service that the webhook is behind. Its name is that of the certificate. */
  readonly service?: ServicePort;
}

/** A port of a Service of the cluster. */
export interface ServicePort {
  readonly namespace: string;
  readonly name: string;
  readonly port: number;
}

const HTTPS_PORT = 443;

/** Reads a clientConfig. Throws in kube-apiserver's words for one that names no target. */
export function webhookTarget(config: FieldsOf<WebhookClientConfig>): WebhookTarget {
  const bundle = text(config.caBundle);
  const caBundle =
    bundle === "" ? {} : ({ caBundle: Buffer.from(bundle, "base64") } satisfies FieldsOf<WebhookClientConfig>);
  if (config.service !== undefined && config.service !== null) {
    const { namespace, name, path, port }: FieldsOf<ServiceReference> = object(config.service);
    const service = {
      namespace: text(namespace),
      name: text(name),
      port: typeof port === "number" && port !== 0 ? port : HTTPS_PORT,
    };
    return {
      origin: `https://${serverNameOf(service)}:${service.port}`,
      path: joined(text(path)),
      service,
      ...caBundle,
    };
  }
  const url = text(config.url);
  if (url === "") throw new Error("webhook configuration must have either service or URL");
  const [, origin, path] = /^([^:/?#]+:\/\/[^/?#]*)([^?#]*)/.exec(url) ?? [];
  if (origin === undefined) throw new Error(`Unparsable URL: ${url}`);
  return { origin, path: joined(path ?? ""), ...caBundle };
}

/** The name that a service's certificate is for. */
export const serverNameOf = ({ name, namespace }: ServicePort): string => `${name}.${namespace}.svc`;

/** As client-go joins a path to its root: cleaned, without a slash at its end. */
function joined(path: string): string {
  const clean = posix.normalize(`/${path}`).replace(/^\/+/, "/");
  return clean.length > 1 ? clean.replace(/\/$/, "") : clean;
}
