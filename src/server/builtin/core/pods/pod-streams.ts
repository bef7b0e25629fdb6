import type { PodSpec } from "../../../../api/types/core/v1.js";
import type { FieldsOf } from "../../../../machinery/meta/received.js";
import { inOrder } from "../../../../base/async/turns.js";
import { badRequest } from "../../../../machinery/errors/status-error.js";
import { object, text } from "../../../../machinery/meta/access.js";
import type { HandlerContext } from "../../../endpoints/resource-record.js";
import type { ServedResource } from "../../../endpoints/served-resource.js";
import type { ProxyTarget } from "../../../kubelet/proxy-target.js";
import { flag } from "./pod-log.js";
import type { WantedStreams } from "../../../kubelet/translate-streams.js";
import { proxyUpgrade } from "../../../kubelet/proxy-upgrade.js";
import type { Connecter } from "../../../registry/resource.js";
import type { RequestScope } from "../../../registry/scope.js";
import { kubeletTarget, readObject, chosenContainer } from "../connect-target.js";
import type { Authorizer } from "../../../authz/authorizer.js";
import { refusal } from "../../../authz/refusal.js";

type MakeConnecter = (pods: ServedResource, server: HandlerContext) => Connecter;

/** GET is what a browser's WebSocket can send. */
const METHODS = ["GET", "POST"];

/** pods/exec: runs a program in a container. */
export const podExec: MakeConnecter = (pods, server) => remoteCommand(pods, server, "exec");

/** pods/attach: joins the program that runs in a container. */
export const podAttach: MakeConnecter = (pods, server) => remoteCommand(pods, server, "attach");

function remoteCommand(pods: ServedResource, server: HandlerContext, subresource: "exec" | "attach"): Connecter {
  return {
    connectMethods: METHODS,
    hasSubpath: false,
    async connect(scope, name, { query, verb }) {
      await requireCreate(server.authorization.authorize, scope, { verb, name, subresource });
      const target = await podTarget(pods, server, scope, name, (pod) => {
        const container = chosenContainer(pod, query.get("container") ?? "");
        return `/${subresource}/${scope.namespace}/${name}/${container}${streamQuery(query, subresource)}`;
      });
      return async (request) => {
        const { isTranslated } = await inOrder(import("../../../kubelet/offered-protocol.js"));
        if (!isTranslated(request)) return proxyUpgrade(request, target);
        const { translateStreams } = await inOrder(import("../../../kubelet/translate-streams.js"));
        return translateStreams(request, target, wantedOf(query));
      };
    },
  };
}

/** pods/portforward: connections to ports of a pod. */
export const podPortForward: MakeConnecter = (pods, server) => ({
  connectMethods: METHODS,
  hasSubpath: false,
  async connect(scope, name, { query, verb }) {
    await requireCreate(server.authorization.authorize, scope, { verb, name, subresource: "portforward" });
    const ports = query.getAll("ports");
    const target = await podTarget(pods, server, scope, name, () => {
      const chosen = ports.length === 0 ? "" : `?${new URLSearchParams({ port: ports.join(",") }).toString()}`;
      return `/portForward/${scope.namespace}/${name}${chosen}`;
    });
    return async (request) => {
      const { isTunnelled } = await inOrder(import("../../../kubelet/offered-protocol.js"));
      if (!isTunnelled(request)) return proxyUpgrade(request, target);
      const { tunnelPortForward } = await inOrder(import("../../../kubelet/tunnel-port-forward.js"));
      return tunnelPortForward(request, target);
    };
  },
});

/** What the agent of the pod's node is asked. Throws 400 for a pod that is on no node. */
async function podTarget(
  pods: ServedResource,
  server: HandlerContext,
  scope: RequestScope,
  name: string,
  pathOf: (pod: Awaited<ReturnType<typeof readObject>>) => string,
): Promise<ProxyTarget> {
  const pod = await readObject(scope, pods, name);
  const path = pathOf(pod);
  const { nodeName }: FieldsOf<PodSpec> = object(pod.spec);
  const node = text(nodeName);
  if (node === "") throw badRequest(`pod ${name} does not have a host assigned`);
  return kubeletTarget(server, scope, node, path);
}

const wantedOf = (query: URLSearchParams): WantedStreams => ({
  stdin: flag(query.get("stdin")),
  stdout: flag(query.get("stdout")),
  stderr: flag(query.get("stderr")),
  tty: flag(query.get("tty")),
});

/** The options of exec and attach in a kubelet's words. */
function streamQuery(query: URLSearchParams, verb: "exec" | "attach"): string {
  const { stdin, stdout, stderr, tty } = wantedOf(query);
  const params = new URLSearchParams();
  if (verb === "exec") for (const word of query.getAll("command")) params.append("command", word);
  if (stderr) params.set("error", "1");
  if (stdin) params.set("input", "1");
  if (stdout) params.set("output", "1");
  if (tty) params.set("tty", "1");
  const written = params.toString();
  return written === "" ? "" : `?${written}`;
}

/** A connection into a pod: "exec" of the pod "web". `verb` is that of the request. */
export interface PodConnection {
  readonly verb: string;
  readonly name: string;
  readonly subresource: "exec" | "attach" | "portforward";
}

/**
 * Throws 403 for a GET by a user who may not create the subresource. A WebSocket can only begin with GET, and the right to read a pod's
 * exec shall not run programs in it. Source: kube-apiserver's AuthorizePodWebsocketUpgradeCreatePermission, on from 1.35.
 */
async function requireCreate(
  authorize: Authorizer,
  { user, namespace }: RequestScope,
  { verb, name, subresource }: PodConnection,
): Promise<void> {
  if (verb !== "get") return;
  const attributes = {
    user,
    verb: "create",
    isResourceRequest: true,
    apiGroup: "",
    apiVersion: "v1",
    resource: "pods",
    subresource,
    namespace,
    name,
    path: "",
  };
  const { decision, reason } = await authorize(attributes);
  if (decision !== "allow") throw refusal(attributes, reason);
}
