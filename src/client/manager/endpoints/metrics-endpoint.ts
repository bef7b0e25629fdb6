import type { IncomingMessage } from "node:http";
import { issueCertificate } from "../../../machinery/crypto/issue-certificate.js";
import type { PemPair } from "../../../machinery/crypto/key-pair.js";
import type { KubernetesClient } from "../../dynamic/kubernetes-client.js";
import type { OwnMetricRegistry } from "../../metric-registry.js";
import type { Surroundings } from "../../surroundings.js";
import { type Endpoint, type EndpointAnswer, type EndpointOptions, openEndpoint } from "./endpoint.js";

export interface MetricsEndpointOptions extends EndpointOptions {
  /** Writes the metrics; as the header Accept of a scrape prefers. Default: `read` of the manager's registry. */
  readonly read?: OwnMetricRegistry["read"];
  /**
   * True: everybody who reaches the port reads the metrics, without TLS. Default: over TLS, for those whose token the API server knows
   * (TokenReview) and who may get the path /metrics (SubjectAccessReview).
   */
  readonly open?: boolean;
  /** Default: a self-signed one of this process. */
  readonly certificate?: PemPair;
}

const DAY = 24 * 60 * 60 * 1000;

/** Opens the port of the metrics, which answers /metrics. */
export function openMetricsEndpoint(
  options: MetricsEndpointOptions,
  read: OwnMetricRegistry["read"],
  client: KubernetesClient,
  { clock, random }: Surroundings,
): Promise<Endpoint> {
  const { open = false } = options;
  const selfSigned = (): PemPair =>
    issueCertificate({
      commonName: "metrics",
      names: ["localhost"],
      notBefore: clock.now() - DAY,
      notAfter: clock.now() + 365 * DAY,
      serial: random.bytes(16),
      usage: "server",
    });
  const answer = async (path: string, request: IncomingMessage): Promise<EndpointAnswer> => {
    if (path !== "/metrics") return { code: 404, body: `nothing is at ${path}\n` };
    const refused = open ? undefined : await refusalOf(client, request.headers.authorization ?? "", path);
    if (refused !== undefined) return refused;
    const { contentType, body } = await read(request.headers.accept);
    return { code: 200, contentType, body };
  };
  return openEndpoint(options, answer, open ? undefined : (options.certificate ?? selfSigned()));
}

/** What a caller without the right to read gets; undefined for one who has it. */
async function refusalOf(
  client: KubernetesClient,
  authorization: string,
  path: string,
): Promise<EndpointAnswer | undefined> {
  const [, token] = /^Bearer +(\S+)$/i.exec(authorization) ?? [];
  if (token === undefined) return UNAUTHORIZED;
  const review = await client.of("authentication.k8s.io/v1", "TokenReview").create({ spec: { token } });
  const { authenticated = false, user } = review.status ?? {};
  if (!authenticated || user === undefined) return UNAUTHORIZED;
  const { username = "", groups = [], uid = "", extra = {} } = user;
  const asked = { user: username, groups, uid, extra, nonResourceAttributes: { path, verb: "get" } };
  const { status } = await client.of("authorization.k8s.io/v1", "SubjectAccessReview").create({ spec: asked });
  if (status?.allowed === true) return undefined;
  return { code: 403, body: `Authorization denied for user ${username}\n` };
}

const UNAUTHORIZED: EndpointAnswer = { code: 401, body: "Unauthorized\n" };
