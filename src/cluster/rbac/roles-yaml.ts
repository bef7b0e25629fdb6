import { goQuote } from "../../base/text/go-quote.js";
import { emitYaml } from "../../machinery/text/yaml/emit.js";
import type { RoleOfRights } from "./roles-of-rights.js";
import { rightText, type SeenRight } from "./seen-rights.js";

/** The recording that roles were made of. */
export interface Recording {
  readonly user: string;
  readonly requests: number;
  readonly rights: readonly SeenRight[];
}

/** Prints the roles as YAML documents. Comments say what they hold, and which rights the server refused. */
export function rolesYaml(roles: readonly RoleOfRights[], recording: Recording): string {
  const documents = roles.map(({ role, rights }) => `---\n${refusedComment(rights)}${emitYaml(role)}`);
  return `${headComment(recording)}${documents.join("")}`;
}

function headComment({ user, requests, rights }: Recording): string {
  const lines = [
    `The rights that the user ${goQuote(user)} was seen to use, in ${requests} ${requests === 1 ? "request" : "requests"}.`,
    "They are what was seen, not what is needed: a run that took another path would have asked for other rights.",
    "Rights that every authenticated user has are left out.",
    ...(rights.some(writesRights) ? [GRANTING] : []),
    ...(rights.some(decidesCertificates) ? [SIGNERS] : []),
  ];
  return commented(lines);
}

/** What the server asks for beyond the rights to the requests themselves. */
const GRANTING =
  "It wrote roles or bindings: the server allows that only to a user who has all rights that they grant, or the verbs escalate and bind. Add them.";
const SIGNERS =
  "It approved or signed certificates: the server also asks for the verb approve or sign on signers.certificates.k8s.io. Add it.";

const WRITES: ReadonlySet<string> = new Set(["create", "update", "patch"]);
const GRANTS: ReadonlySet<string> = new Set(["roles", "rolebindings", "clusterroles", "clusterrolebindings"]);

const writesRights = ({ apiGroup, resource, verb }: SeenRight): boolean =>
  apiGroup === "rbac.authorization.k8s.io" && GRANTS.has(resource) && WRITES.has(verb);

const decidesCertificates = ({ resource, subresource, verb }: SeenRight): boolean =>
  resource === "certificatesigningrequests" && subresource !== "" && WRITES.has(verb);

function refusedComment(rights: readonly SeenRight[]): string {
  const refused = rights.filter((right) => right.refused > 0).map((right) => `  ${rightText(right)}`);
  return refused.length === 0 ? "" : commented(["The server refused these (403):", ...refused]);
}

/** A path of a request is inert here: it is percent-encoded. Names of resources need not be. */
const commented = (lines: readonly string[]): string =>
  lines.map((line) => `# ${line.replace(/\p{Cc}/gu, "?")}\n`).join("");
