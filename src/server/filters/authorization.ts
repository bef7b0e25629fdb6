import { dictionary } from "../../base/collections/dictionary.js";
import { goQuote } from "../../base/text/go-quote.js";
import type { Authorizer, AuthorizerAttributes, Decision } from "../authz/authorizer.js";
import { refusal } from "../authz/refusal.js";
import { RequestAttributes } from "../authz/request-attributes.js";
import type { Measuring, ServerMeasures } from "../metrics/measures.js";
import type { ApiRequest, AuditAnnotations, Filter, Handler } from "../request/api-request.js";
import { respondText } from "../request/respond.js";

/** Asks the authorizer whether the user may make the request, and answers 403 if not; 500 with kube-apiserver's text if an authorizer failed. */
export function authorization(authorize: Authorizer, measuring?: Measuring): Filter {
  return (next) => (request) => {
    const attributes = new RequestAttributes(request);
    const recorded = request.audit?.measure("authorization");
    const measures = measuring?.on;
    const found = measures === undefined ? authorize(attributes) : measured(measures, authorize, attributes);
    if (!(found instanceof Promise)) return obeyed(found, attributes, next, request);
    return found.then((decision) => {
      recorded?.();
      return obeyed(decision, attributes, next, request);
    });
  };
}

/** Asks and counts the answer. */
async function measured(
  measures: ServerMeasures,
  authorize: Authorizer,
  attributes: AuthorizerAttributes,
): Promise<Decision> {
  const began = measures.now();
  const found = await authorize(attributes);
  measures.authorized(resultOf(found), measures.now() - began);
  return found;
}

function resultOf({ decision, error }: Decision): Parameters<ServerMeasures["authorized"]>[0] {
  if (decision === "allow") return "allowed";
  if (error !== undefined) return "error";
  return decision === "deny" ? "denied" : "no-opinion";
}

async function obeyed(
  found: Decision,
  attributes: AuthorizerAttributes,
  next: Handler,
  request: ApiRequest,
): Promise<void> {
  if (request.audit !== undefined) annotate(request.annotations, found);
  const { decision, reason, error } = found;
  if (decision === "allow") return next(request);
  if (error === undefined) throw refusal(attributes, reason);
  const text = `Internal Server Error: ${goQuote(request.exchange.uri)}: ${error}`;
  return respondText(request, 500, `${text.replace(/[&<>]/g, (found) => ENTITIES[found] ?? "")}\n`);
}

function annotate(annotations: AuditAnnotations, { decision, reason = "", error }: Decision): void {
  const isFailed = decision !== "allow" && error !== undefined;
  if (!isFailed) annotations.add("authorization.k8s.io/decision", decision === "allow" ? "allow" : "forbid");
  annotations.add("authorization.k8s.io/reason", isFailed ? "internal error" : reason);
}

const ENTITIES: Readonly<Record<string, string>> = dictionary({ "&": "&amp;", "<": "&lt;", ">": "&gt;" });
