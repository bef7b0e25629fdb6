import type { ClusterRole, Role } from "../../api/types/rbac/v1.js";
import { bootstrapRbac } from "../../api/bootstrap/rbac.js";
import { object, objects } from "../../machinery/meta/access.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import { type PolicyRule, readRules } from "../../machinery/rbac/policy-rule.js";
import { checkUser } from "../../server/authz/impersonation/check-user.js";
import { serviceAccountOf, type WantedUser } from "../../server/authz/impersonation/wanted-user.js";
import { ruleAllows } from "../../server/authz/rbac/rbac-mode.js";
import { RequestAttributes } from "../../server/authz/request-attributes.js";
import { impersonatedUser } from "../../server/filters/impersonation.js";
import type { OwnFilter } from "../../server/filters/own-filter.js";
import type { ApiRequest, Filter } from "../../server/request/api-request.js";
import type { ResponseWriter } from "../../server/request/exchange.js";
import type { User } from "../../server/request/user.js";
import { type AnswerHeaders, WrappedExchange } from "../../server/request/wrapped-exchange.js";
import { rolesOfRights } from "./roles-of-rights.js";
import { rolesYaml } from "./roles-yaml.js";
import { type Asked, type CountedRight, type SeenRight, SeenRights } from "./seen-rights.js";

export interface RbacRecorderOptions {
  /**
   * Whose requests are recorded: a user's name, or a service account as NAMESPACE/NAME or system:serviceaccount:NAMESPACE:NAME. Default: the
   * cluster's administrator, "kubernetes-admin".
   */
  readonly user?: string;
}

/** Records the rights that the requests of one user ask for, whether or not the server allows them. */
export interface RbacRecorder {
  /** The full name of the user. */
  readonly user: string;
  /** The filters by which a server records: `startCluster({ filters: recorder.filters })`. */
  readonly filters: readonly OwnFilter[];
  /** What was seen so far, sorted. Rights that every authenticated user has are left out. */
  rights(): readonly SeenRight[];
  /**
   * The smallest roles that allow it, without resourceNames: a ClusterRole for resources of the cluster, requests over all namespaces and paths that are
   * no resource, and a Role for each namespace. They have the name of the service account, or "recorded".
   */
  roles(): readonly (ClusterRole | Role)[];
  /** The roles as YAML documents below a comment that says what they hold. Rights that the server refused are marked by comments. */
  yaml(): string;
  /** Forgets what was seen. */
  clear(): void;
}

const ADMINISTRATOR = "kubernetes-admin";

/**
 * Makes a recorder for one user of one server. A request that impersonates the user counts for it; for a user that impersonates another one the
 * verb impersonate counts.
 */
export function rbacRecorder({ user = ADMINISTRATOR }: RbacRecorderOptions = {}): RbacRecorder {
  return new Recorder(fullName(user));
}

/** The user name of NAMESPACE/NAME, a service account; any other text is a user name already. */
function fullName(user: string): string {
  const [namespace = "", name = "", ...more] = user.split("/");
  const account = `system:serviceaccount:${namespace}:${name}`;
  return more.length === 0 && serviceAccountOf(account) !== undefined ? account : user;
}

class Recorder implements RbacRecorder {
  readonly filters: readonly OwnFilter[];
  readonly #seen = new SeenRights();
  readonly #everybodys = rulesOfEverybody();
  readonly #roleName: string;
  /** Of each request under way, by what its copies share: how far it has come. */
  readonly #passed = new WeakMap<object, "impersonation" | "authorization">();
  #requests = 0;

  constructor(readonly user: string) {
    this.#roleName = serviceAccountOf(user)?.name ?? "recorded";
    const name = `rbac-recorder of ${user}`;
    this.filters = [
      { name: `${name}, impersonation`, before: "impersonation", filter: this.#impersonation },
      { name: `${name}, request`, before: "authorization", filter: this.#request },
      { name: `${name}, allowed`, after: "authorization", filter: this.#allowed },
    ];
  }

  rights(): readonly SeenRight[] {
    return this.#seen.sorted();
  }

  roles(): readonly (ClusterRole | Role)[] {
    return this.#roles().map(({ role }) => role);
  }

  yaml(): string {
    return rolesYaml(this.#roles(), { user: this.user, requests: this.#requests, rights: this.rights() });
  }

  clear(): void {
    this.#seen.clear();
    this.#requests = 0;
  }

  #roles() {
    return rolesOfRights(this.rights(), this.#roleName);
  }

  /** Sees the user as it was authenticated. */
  readonly #impersonation: Filter = (next) => async (request) => {
    const wanted = request.user.name === this.user ? impersonatedUser(request) : undefined;
    if (wanted === undefined || wanted.name === "") return next(request);
    const rights = this.#add(await impersonationOf(request.user, wanted));
    const refused = (): boolean => !this.#passed.has(request.added);
    return next(withStatus(request, (status) => markRefused(rights, status === 403 && refused())));
  };

  /** Sees the user that the request is authorized for. */
  readonly #request: Filter = (next) => (request) => {
    this.#passed.set(request.added, "impersonation");
    if (request.user.name !== this.user) return next(request);
    const attributes = new RequestAttributes(request);
    const rights = this.#add([attributes, ...alsoAsked(attributes)]);
    const refused = (): boolean => this.#passed.get(request.added) !== "authorization";
    return next(
      withStatus(request, (status) => {
        markRefused(rights, status === 403 && refused());
        // kube-apiserver asks for the right to create where an update or an apply creates the object.
        if (status === 201 && CHANGES.has(attributes.verb)) this.#addRights([createOf(attributes)]);
      }),
    );
  };

  readonly #allowed: Filter = (next) => (request) => {
    this.#passed.set(request.added, "authorization");
    return next(request);
  };

  /** Adds the rights that one request asks for, and counts it. */
  #add(asked: readonly Asked[]): readonly CountedRight[] {
    const rights = this.#addRights(asked);
    if (rights.length > 0) this.#requests += 1;
    return rights;
  }

  #addRights(asked: readonly Asked[]): readonly CountedRight[] {
    const isEverybodys = (one: Asked): boolean => this.#everybodys.some((rule) => ruleAllows(rule, one));
    return asked.filter((one) => isLiteral(one) && !isEverybodys(one)).map((one) => this.#seen.add(one));
  }
}

const CHANGES: ReadonlySet<string> = new Set(["update", "patch"]);

function markRefused(rights: readonly CountedRight[], isRefused: boolean): void {
  if (isRefused) for (const right of rights) right.refused += 1;
}

/** The rights to act as the other user by the verb impersonate, which every version of Kubernetes knows. */
async function impersonationOf(user: User, wanted: WantedUser): Promise<readonly Asked[]> {
  const asked: Asked[] = [];
  const note = async (attributes: Asked): Promise<void> => void asked.push(attributes);
  await checkUser(user, wanted, { verb: "impersonate", constrained: false }, note);
  return asked;
}

const SESSIONS: ReadonlySet<string> = new Set(["exec", "attach", "portforward"]);

/** A WebSocket into a pod begins with GET, for which the server also asks for the right to create. */
function alsoAsked(attributes: Asked): readonly Asked[] {
  const { verb, apiGroup, resource, subresource } = attributes;
  const isSession = apiGroup === "" && resource === "pods" && SESSIONS.has(subresource);
  return isSession && verb === "get" ? [createOf(attributes)] : [];
}

/** The attributes of a request are getters, which spreading would leave out. */
function createOf({ isResourceRequest, apiGroup, resource, subresource, namespace, name, path }: Asked): Asked {
  return { verb: "create", isResourceRequest, apiGroup, resource, subresource, namespace, name, path };
}

/** False for an odd method, and for a path with a star, which would allow more in a rule than was asked for. */
function isLiteral({ verb, apiGroup, resource, subresource, path, isResourceRequest }: Asked): boolean {
  if (!isResourceRequest) return !path.endsWith("*");
  return verb !== "" && ![apiGroup, resource, subresource].includes("*");
}

const EVERYBODY = "system:authenticated";

/** The rules of the built-in roles that bindings give every authenticated user: discovery, health, and reviews of what the user itself may do. */
function rulesOfEverybody(): readonly PolicyRule[] {
  const bootstrap: readonly KubeObject[] = bootstrapRbac({ atLeast: () => true });
  const bindings = bootstrap.filter(
    ({ kind, subjects }) => kind === "ClusterRoleBinding" && objects(subjects).some(({ name }) => name === EVERYBODY),
  );
  const names = new Set(bindings.map(({ roleRef }) => object(roleRef)["name"]));
  const roles = bootstrap.filter(({ kind, metadata }) => kind === "ClusterRole" && names.has(metadata?.name));
  return roles.flatMap(({ rules }) => readRules(rules));
}

/** A copy of the request that reports the status of its answer before it is sent. */
function withStatus(request: ApiRequest, report: (status: number) => void): ApiRequest {
  return request.with({ exchange: new ReportingExchange(request.exchange, report) });
}

class ReportingExchange extends WrappedExchange {
  constructor(
    inner: ApiRequest["exchange"],
    private readonly report: (status: number) => void,
  ) {
    super(inner);
  }

  override respond(status: number, headers: AnswerHeaders): ResponseWriter {
    this.report(status);
    return super.respond(status, headers);
  }
}
