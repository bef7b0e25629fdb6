import type {
  FlowSchema as FlowSchemaObject,
  NonResourcePolicyRule,
  PolicyRulesWithSubjects,
  ResourcePolicyRule,
  Subject,
} from "../../api/types/flowcontrol/v1.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import { list, number, object, objects, type Received, text } from "../../machinery/meta/received.js";
import type { RequestInfo } from "../request/request-info.js";
import type { User } from "../request/user.js";

type Tells = (user: User) => boolean;
type Covers = (info: RequestInfo) => boolean;

/** A FlowSchema, prepared for matching requests. */
export interface FlowSchema {
  readonly name: string;
  readonly uid: string;
  readonly level: string;
  readonly precedence: number;
  readonly distinguisher: "ByUser" | "ByNamespace" | "";
  readonly rules: readonly FlowRule[];
}

/** Requests of some users. */
export interface FlowRule {
  readonly isOf: Tells;
  readonly covers: Covers;
}

export function readFlowSchema(stored: KubeObject): FlowSchema {
  const { metadata, spec: given } = stored as Pick<FlowSchemaObject, "metadata" | "spec">;
  const spec = object<Received<NonNullable<FlowSchemaObject["spec"]>>>(given);
  return {
    name: metadata?.name ?? "",
    uid: metadata?.uid ?? "",
    level: text(object(spec.priorityLevelConfiguration).name),
    precedence: number(spec.matchingPrecedence),
    distinguisher: text(object(spec.distinguisherMethod).type),
    rules: objects(spec.rules).map(readRule),
  };
}

/** The order in which schemas are compared with a request. */
export const byPrecedence = (one: FlowSchema, other: FlowSchema): number =>
  one.precedence - other.precedence || (one.name < other.name ? -1 : 1);

function readRule(rule: Received<PolicyRulesWithSubjects>): FlowRule {
  const subjects = objects(rule.subjects).map(readSubject);
  const resources = objects(rule.resourceRules).map(readResourceRule);
  const paths = objects(rule.nonResourceRules).map(readPathRule);
  return {
    isOf: (user) => subjects.some((isOf) => isOf(user)),
    covers: (info) => (info.isResourceRequest ? resources : paths).some((covers) => covers(info)),
  };
}

const SERVICE_ACCOUNTS = "system:serviceaccount:";

function readSubject(subject: Received<Subject>): Tells {
  switch (text(subject.kind)) {
    case "User": {
      const name = text(object(subject.user).name);
      return name === "*" ? () => true : (user) => user.name === name;
    }
    case "Group": {
      const name = text(object(subject.group).name);
      return name === "*" ? () => true : (user) => user.groups.includes(name);
    }
    case "ServiceAccount": {
      const { namespace, name } = object(subject.serviceAccount);
      const prefix = `${SERVICE_ACCOUNTS}${text(namespace)}:`;
      const account = text(name);
      if (account === "*") return (user) => user.name.startsWith(prefix);
      return (user) => user.name === prefix + account;
    }
    case "":
    default:
      return () => false;
  }
}

function readResourceRule(rule: Received<ResourcePolicyRule>): Covers {
  const verb = oneOf(rule.verbs);
  const group = oneOf(rule.apiGroups);
  const resource = oneOf(rule.resources);
  const namespace = oneOf(rule.namespaces);
  const coversCluster = rule.clusterScope === true;
  return (info) =>
    verb(info.verb) &&
    resource(info.subresource === "" ? info.resource : `${info.resource}/${info.subresource}`) &&
    group(info.apiGroup) &&
    (info.namespace === "" ? coversCluster : namespace(info.namespace));
}

function readPathRule(rule: Received<NonResourcePolicyRule>): Covers {
  const verb = oneOf(rule.verbs);
  const paths = list(rule.nonResourceURLs).map(text).map(readPath);
  return (info) => verb(info.verb) && paths.some((covers) => covers(info.path));
}

/** "/healthz" covers what is below it too, as in kube-apiserver. */
function readPath(path: string): (asked: string) => boolean {
  if (path === "*") return () => true;
  const stem = path.endsWith("*") ? path.slice(0, -1) : path;
  const prefix = stem.endsWith("/") ? stem : `${stem}/`;
  return (asked) => asked === path || asked.startsWith(prefix);
}

/** Whether a text is in the list; "*" alone is all texts. */
function oneOf(given: Received<string[]> | null | undefined): (asked: string) => boolean {
  const texts = list(given).map(text);
  if (texts.length === 1 && texts[0] === "*") return () => true;
  const known = new Set(texts);
  return (asked) => known.has(asked);
}
