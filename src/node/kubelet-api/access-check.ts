import type { IncomingMessage } from "node:http";
import type { TLSSocket } from "node:tls";
import type { ClientCertificate, PeerAuthorities } from "../../machinery/crypto/peer-authorities.js";
import { bearerSubprotocol, offeredSubprotocols } from "../../machinery/wire/web-socket/handshake.js";
import type { Caller, CallerReviews, NodeAccess } from "./caller-reviews.js";
import { HttpError } from "./http-error.js";

export interface AccessCheckParts {
  readonly nodeName: string;
  readonly authorities: PeerAuthorities;
  readonly reviews: CallerReviews;
  /** Receives why a caller could not be reviewed. */
  readonly report: (error: unknown) => void;
}

/**
 * Lets a request over TLS to a kubelet's API pass, whose path has these decoded segments, or throws an HttpError in a kubelet's words: 401 for a caller that shows neither a
 * certificate of the clients' authority nor a valid bearer token, 403 for one that may not do what it asks, 500 where that cannot be found
 * out. Source: pkg/kubelet/server with anonymous authentication off and webhooks for tokens and authorization, kubeadm's settings.
 */
export async function checkAccess(
  request: IncomingMessage,
  segments: readonly string[],
  parts: AccessCheckParts,
): Promise<void> {
  const caller = await authenticated(request, parts);
  if (caller === undefined) throw new HttpError(401, "Unauthorized");
  const verb = VERBS.get(request.method ?? "") ?? "";
  const subresources = subresourcesOf(segments);
  for (const subresource of subresources) {
    if (await allows(caller, { verb, node: parts.nodeName, subresource }, parts)) return;
  }
  const asked = `user=${caller.name}, verb=${verb}, resource=nodes, subresource(s)=[${subresources.join(" ")}]`;
  throw new HttpError(403, `Forbidden (${asked})\n`);
}

async function allows(caller: Caller, access: NodeAccess, { reviews, report }: AccessCheckParts): Promise<boolean> {
  try {
    return await reviews.allows(caller, access);
  } catch (error) {
    report(error);
    const { verb, subresource } = access;
    const asked = `user=${caller.name}, verb=${verb}, resource=nodes, subresource=${subresource}`;
    throw new HttpError(500, `Authorization error (${asked})`);
  }
}

/** The certificate comes first. A token that cannot be reviewed is none. */
async function authenticated(
  request: IncomingMessage,
  { authorities, reviews, report }: AccessCheckParts,
): Promise<Caller | undefined> {
  const { clientCertificate } = authorities.identify(request.socket, request.socket as TLSSocket);
  if (clientCertificate !== undefined) return callerOf(clientCertificate);
  const token = tokenOf(request);
  if (token === undefined || token === "") return undefined;
  try {
    return await reviews.callerOf(token);
  } catch (error) {
    report(error);
    return undefined;
  }
}

const AUTHENTICATED = "system:authenticated";

function callerOf({ commonName: name, organizations, uid, fingerprint = "" }: ClientCertificate): Caller {
  const groups = organizations.includes(AUTHENTICATED) ? organizations : [...organizations, AUTHENTICATED];
  const extra = { "authentication.kubernetes.io/credential-id": [`X509SHA256=${fingerprint}`] };
  return { name, groups, extra, ...(uid !== undefined && ({ uid } satisfies Partial<Caller>)) };
}

function tokenOf({ headers }: IncomingMessage): string | undefined {
  const [scheme = "", token = ""] = (headers.authorization ?? "").trim().split(" ", 2);
  if (scheme.toLowerCase() === "bearer" && token !== "") return token;
  return headers.upgrade?.toLowerCase() === "websocket" ? bearerSubprotocol(offeredSubprotocols(headers)) : undefined;
}

/** Every other method, HEAD too, has the verb "". */
const VERBS: ReadonlyMap<string, string> = new Map([
  ["POST", "create"],
  ["GET", "get"],
  ["PUT", "update"],
  ["PATCH", "patch"],
  ["DELETE", "delete"],
  // A connection into the node, as a port-forward's POST.
  ["CONNECT", "create"],
]);

/** The subresources of nodes by which a path may be allowed, in the order in which they are asked about. */
function subresourcesOf(segments: readonly string[]): readonly string[] {
  const path = `/${segments.join("/")}`;
  return SUBRESOURCES.find(([root]) => path === root || path.startsWith(`${root}/`))?.[1] ?? ["proxy"];
}

/** Those with "proxy" are KubeletFineGrainedAuthz's. */
const SUBRESOURCES: readonly (readonly [root: string, subresources: readonly string[]])[] = [
  ["/pods", ["pods", "proxy"]],
  ["/runningpods", ["pods", "proxy"]],
  ["/healthz", ["healthz", "proxy"]],
  ["/configz", ["configz", "proxy"]],
  ["/statusz", ["statusz", "proxy"]],
  ["/stats", ["stats"]],
  ["/metrics", ["metrics"]],
  ["/logs", ["log"]],
  ["/checkpoint", ["checkpoint"]],
];
