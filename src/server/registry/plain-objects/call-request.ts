import type { RequestScope } from "../scope.js";
import type { StoreConfig } from "../store-config.js";
import type { SourceRequest } from "./object-source.js";

/** The argument of a source's methods. It is a class, because a literal with a getter takes longer to create than most calls take. */
export class CallRequest implements SourceRequest {
  readonly now: number;
  readonly random: SourceRequest["random"];
  readonly user: SourceRequest["user"];
  readonly verb: string;
  readonly apiVersion: string;
  readonly dryRun: boolean;
  readonly objects: SourceRequest["objects"];
  readonly authorization: SourceRequest["authorization"];
  readonly resourceOf: SourceRequest["resourceOf"];
  readonly internal: SourceRequest["internal"];
  readonly #scope: RequestScope;
  #signal: AbortSignal | undefined;

  constructor(
    { clock, random, access, authorization, resourceOf, internal }: Omit<StoreConfig, "objects">,
    scope: RequestScope,
    readonly namespace: string,
    readonly subresource: string,
  ) {
    this.now = clock.now();
    this.random = random;
    this.user = scope.user;
    this.verb = scope.verb;
    this.apiVersion = scope.apiVersion;
    this.dryRun = scope.dryRun;
    this.objects = access;
    this.authorization = authorization;
    this.resourceOf = resourceOf;
    this.internal = internal;
    this.#scope = scope;
  }

  readonly warn = (message: string): void => this.#scope.warnings.add(message);

  /** Made when it is asked for. */
  get signal(): AbortSignal {
    return (this.#signal ??= this.#scope.token?.signal ?? new AbortController().signal);
  }
}
