import { dictionary } from "../../base/collections/dictionary.js";
import { goQuote } from "../../base/text/go-quote.js";
import { forbidden } from "../../machinery/errors/status-error.js";
import type { AuthorizerAttributes } from "./authorizer.js";

/** 403 in kube-apiserver's words. */
export function refusal(attributes: AuthorizerAttributes, reason = ""): Error {
  const { apiGroup: group, resource, name } = attributes;
  const text = refusalText(attributes).replace(/[&<>]/g, (character) => ESCAPED[character] ?? "");
  const message = reason === "" ? text : `${text}: ${reason}`;
  return forbidden(attributes.isResourceRequest ? { group, resource } : { group: "", resource: "" }, name, message);
}

/** So that no client shows a name as HTML. */
const ESCAPED: Readonly<Record<string, string>> = dictionary({ "&": "&amp;", "<": "&lt;", ">": "&gt;" });

function refusalText(attributes: AuthorizerAttributes): string {
  const { user, verb, isResourceRequest, apiGroup, resource, subresource, namespace, path } = attributes;
  const who = `User ${goQuote(user.name)} cannot ${verb}`;
  if (!isResourceRequest) return `${who} path ${goQuote(path)}`;
  const whole = subresource === "" ? resource : `${resource}/${subresource}`;
  const where = namespace === "" ? "at the cluster scope" : `in the namespace ${goQuote(namespace)}`;
  return `${who} resource ${goQuote(whole)} in API group ${goQuote(apiGroup)} ${where}`;
}
