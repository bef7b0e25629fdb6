import { expect, test } from "vitest";
import { parseRequestInfo } from "../../../src/server/request/request-info.js";

const rows = [
  ["GET", "/api/v1/namespaces", "list namespaces"],
  ["GET", "/api/v1/namespaces/a", "get namespaces a in a"],
  ["PUT", "/api/v1/namespaces/a/finalize", "update namespaces/finalize a in a"],
  ["GET", "/api/v1/namespaces/a/pods", "list pods in a"],
  ["GET", "/api/v1/namespaces/a/pods?watch=true", "watch pods in a"],
  ["GET", "/api/v1/namespaces/a/pods?watch=0", "list pods in a"],
  ["GET", "/api/v1/watch/namespaces/a/pods/p", "watch pods p in a"],
  ["GET", "/api/v1/pods", "list pods"],
  ["POST", "/apis/apps/v1/namespaces/a/deployments", "create deployments.apps in a"],
  ["PATCH", "/apis/apps/v1/namespaces/a/deployments/d/scale", "patch deployments.apps/scale d in a"],
  ["DELETE", "/apis/apps/v1/namespaces/a/deployments", "deletecollection deployments.apps in a"],
  ["DELETE", "/api/v1/namespaces/a/pods/system%3Ax", "delete pods system:x in a"],
  ["OPTIONS", "/api/v1/namespaces/a/pods", " pods in a"],
  ["POST", "/api/v1/watch/namespaces/a/pods", "watch pods in a"],
  ["GET", "/apis/apps/v1", "not a resource: get"],
  ["GET", "/healthz", "not a resource: get"],
  ["GET", "/api/v1/namespaces/%zz/pods", "not a resource: get"],
  ["GET", "/", "not a resource: get"],
] as const;

test.each(rows)("B-CHN-02, C-HND-05: the request %s %s is recognized as %s", (method, target, expected) => {
  const [path = "", query = ""] = target.split("?");
  const info = parseRequestInfo(method, path, new URLSearchParams(query));
  expect(describeInfo(info)).toBe(expected);
});

function describeInfo(info: ReturnType<typeof parseRequestInfo>): string {
  if (!info.isResourceRequest) return `not a resource: ${info.verb}`;
  const group = info.apiGroup === "" ? "" : `.${info.apiGroup}`;
  const subresource = info.subresource === "" ? "" : `/${info.subresource}`;
  const name = info.name === "" ? "" : ` ${info.name}`;
  const namespace = info.namespace === "" ? "" : ` in ${info.namespace}`;
  return `${info.verb} ${info.resource}${group}${subresource}${name}${namespace}`;
}
