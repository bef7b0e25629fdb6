import { StatusError } from "../../machinery/errors/status-error.js";
import type { ApiRequest, Handler } from "../request/api-request.js";
import { respondText } from "../request/respond.js";

/** Whether the server has built-in resources of a group, and so routes its paths itself: "" is the core group. */
export type RoutesGroup = (group: string) => boolean;

/**
 * Answers 404 for a path without a handler: with a Status if the server routes the group, else with a line of text or by `other`,
 * as kube-apiserver does. Clients print the Status and the line as "the server could not find the requested resource".
 */
export async function answerUnserved(request: ApiRequest, routes: RoutesGroup, other?: Handler): Promise<void> {
  if (isRouted(request.info.path, routes)) throw unknownPath();
  await (other?.(request) ?? respondText(request, 404, "404 page not found\n"));
}

/** Answers 405 for a path that accepts reads only, in the same forms as {@link answerUnserved}. */
export async function answerOnlyRead(request: ApiRequest, routes: RoutesGroup): Promise<void> {
  if (isRouted(request.info.path, routes)) throw methodNotAllowed();
  await respondText(request, 405, "405: Method Not Allowed");
}

/** Whether kube-apiserver routes the path among those of APIs: below /api, /version and a group. */
function isRouted(path: string, routes: RoutesGroup): boolean {
  const [, root, group = ""] = path.split("/", 3);
  if (root === "version") return true;
  if (root === "api") return routes("");
  return root === "apis" && group !== "" && routes(group);
}

/** 404 for a path without a handler, in a group that the server routes. */
export const unknownPath = (): StatusError =>
  withoutDetails("the server could not find the requested resource", "NotFound", 404);

const methodNotAllowed = (): StatusError =>
  withoutDetails("the server does not allow this method on the requested resource", "MethodNotAllowed", 405);

const withoutDetails = (message: string, reason: string, code: number): StatusError =>
  new StatusError({
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message,
    reason,
    details: {},
    code,
  });
