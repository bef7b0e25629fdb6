import type { Duplex } from "node:stream";
import type { AdmissionRequest } from "../../../api/types/admission/v1.js";
import { formatGroupVersion, parseGroupVersion } from "../../../machinery/meta/gvk.js";
import type { ApiObject } from "../../../machinery/meta/object.js";
import type { AnyKindIn, AnyObjectOf } from "../../dynamic/api-kinds.js";
import { AdmissionRefusal } from "./admission-refusal.js";
import type { ServingCertificate } from "./serving-certificate.js";
import type {
  AdmissionHandler,
  AdmissionRule,
  AuthenticationHandler,
  AuthorizationHandler,
  DefaultObject,
  KindConversion,
  ValidateObject,
  VersionConversion,
  WebhookHandler,
} from "./webhook-handlers.js";

export interface WebhookServerOptions {
  /** Default 9443. 0: any free one. False: none; connections come by {@link Webhooks.accept}. */
  readonly port?: number | false;
  /** The address to listen on. Default: all, as pods must. */
  readonly host?: string;
  /** Default: tls.crt and tls.key in the folder k8s-webhook-server/serving-certs of the system's temporary files. */
  readonly certificate?: ServingCertificate;
}

/** Where webhooks are served. */
export interface WebhookAddress {
  readonly host: string;
  readonly port: number;
}

/** The path below which conversions of all kinds are answered, as controller-runtime's. */
const CONVERSION_PATH = "/convert";

/** The webhooks of a manager, by path. They are served while it runs, whether it leads or not. */
export class Webhooks {
  readonly handlers = new Map<string, WebhookHandler>();
  readonly #conversions: KindConversion[] = [];
  readonly #waiting: Duplex[] = [];
  #accept: ((connection: Duplex) => void) | undefined;
  #tellAddress: (address: WebhookAddress) => void = () => {};
  /** Resolves when the port is open. */
  readonly listening = new Promise<WebhookAddress>((resolve) => (this.#tellAddress = resolve));

  /** Answers AdmissionReviews of a path. Throws an Error for a path that is taken. `rule` says what it is for, where that is one kind. */
  admission(path: string, handle: AdmissionHandler, rule?: AdmissionRule): void {
    this.#add(path, { type: "admission", handle, rule });
  }

  /** Answers TokenReviews of a path: an API server asks it by `--authentication-token-webhook-config-file`. */
  authentication(path: string, handle: AuthenticationHandler): void {
    this.#add(path, { type: "authentication", handle });
  }

  /** Answers SubjectAccessReviews of a path: an API server asks it by an authorizer of type Webhook. */
  authorization(path: string, handle: AuthorizationHandler): void {
    this.#add(path, { type: "authorization", handle });
  }

  /** Answers ConversionReviews of a kind, at /convert. */
  conversion(conversion: KindConversion): void {
    if (this.#conversions.length === 0) this.#add(CONVERSION_PATH, { type: "conversion", kinds: this.#conversions });
    this.#conversions.push(conversion);
  }

  /** Takes a connection of a client, on which TLS is spoken, in place of one to the port. It waits until the manager runs. */
  accept(connection: Duplex): void {
    if (this.#accept === undefined) this.#waiting.push(connection);
    else this.#accept(connection);
  }

  /** What serves the webhooks tells where, and takes the connections that have waited. */
  served(accept: (connection: Duplex) => void, address: WebhookAddress | undefined): void {
    this.#accept = accept;
    for (const connection of this.#waiting.splice(0)) accept(connection);
    if (address !== undefined) this.#tellAddress(address);
  }

  #add(path: string, handler: WebhookHandler): void {
    if (!path.startsWith("/")) throw new Error(`the path of a webhook begins with "/", not ${JSON.stringify(path)}`);
    if (this.handlers.has(path)) throw new Error(`two webhooks have the path ${path}`);
    this.handlers.set(path, handler);
  }
}

/** Adds the admission webhooks of one kind to a manager. */
export class WebhookBuilder<T extends ApiObject> {
  constructor(
    private readonly webhooks: Webhooks,
    private readonly apiVersion: string,
    private readonly kind: string,
  ) {}

  /**
   * Fills in what objects leave out. The path is controller-runtime's unless one is given:
   * /mutate-GROUP-VERSION-KIND in lower case, with "-" for each "." of the group.
   */
  defaults(fill: DefaultObject<T>, { path = this.#path("mutate") }: { readonly path?: string } = {}): this {
    const rule = { phase: "mutating", ...this.#of, operations: ["CREATE", "UPDATE"] } as const;
    const handle: AdmissionHandler = async (call) => {
      const { object } = this.#objectsOf(call.request);
      if (object === undefined) return;
      await fill(object, call);
      return { object };
    };
    this.webhooks.admission(path, handle, rule);
    return this;
  }

  /** Judges changes of objects, at /validate-GROUP-VERSION-KIND unless a path is given. */
  validates(judge: ValidateObject<T>, { path = this.#path("validate") }: { readonly path?: string } = {}): this {
    const operations = [
      ...(judge.create === undefined ? [] : (["CREATE"] as const)),
      ...(judge.update === undefined ? [] : (["UPDATE"] as const)),
      ...(judge.delete === undefined ? [] : (["DELETE"] as const)),
    ];
    const handle: AdmissionHandler = async (call) => {
      const { operation } = call.request;
      const { object, before } = this.#objectsOf(call.request);
      if (operation === "CREATE" && object !== undefined) await judge.create?.(object, call);
      if (operation === "UPDATE" && object !== undefined && before !== undefined)
        await judge.update?.(object, before, call);
      if (operation === "DELETE" && before !== undefined) await judge.delete?.(before, call);
    };
    this.webhooks.admission(path, handle, { phase: "validating", ...this.#of, operations });
    return this;
  }

  get #of(): { readonly apiVersion: string; readonly kind: string } {
    return { apiVersion: this.apiVersion, kind: this.kind };
  }

  #path(verb: "mutate" | "validate"): string {
    const { group, version } = parseGroupVersion(this.apiVersion);
    return `/${verb}-${group.replaceAll(".", "-")}-${version}-${this.kind.toLowerCase()}`;
  }

  /** Throws an AdmissionRefusal for a request about another kind: the rules of the configuration are wrong then. */
  #objectsOf({ kind, object, oldObject }: AdmissionRequest): { readonly object?: T; readonly before?: T } {
    const { group, version } = parseGroupVersion(this.apiVersion);
    if (kind.group !== group || kind.version !== version || kind.kind !== this.kind) {
      const sent = `${formatGroupVersion(kind)} ${kind.kind}`;
      const message = `this webhook judges ${this.apiVersion} ${this.kind}, not ${sent}: see the rules of its configuration`;
      throw new AdmissionRefusal(message, { code: 400, reason: "BadRequest" });
    }
    return { object: (object ?? undefined) as T, before: (oldObject ?? undefined) as T };
  }
}

/** Adds the conversions between the versions of a kind to a manager. */
export class ConversionBuilder<Hub extends ApiObject> {
  readonly #conversion: KindConversion;

  constructor(webhooks: Webhooks, apiVersion: string, kind: string) {
    const { group, version } = parseGroupVersion(apiVersion);
    this.#conversion = { group, kind, hub: version, versions: new Map() };
    webhooks.conversion(this.#conversion);
  }

  /** Adds another version of the kind. Throws an Error for a version of another group, or the hub's. */
  with<V extends string, K extends AnyKindIn<V>>(
    apiVersion: V,
    kind: K,
    conversion: VersionConversion<Hub, AnyObjectOf<V, K>>,
  ): this {
    const { group, version } = parseGroupVersion(apiVersion);
    const { group: own, kind: ownKind, hub, versions } = this.#conversion;
    if (group !== own || kind !== ownKind || version === hub || versions.has(version)) {
      throw new Error(`${apiVersion} ${kind} is no other version of ${own}/${hub} ${ownKind}`);
    }
    versions.set(version, conversion as unknown as VersionConversion<ApiObject, ApiObject>);
    return this;
  }
}
