import { type FieldRequirement, parseFieldSelector } from "../../machinery/selectors/field-selector.js";
import type { LabelRequirement } from "../../machinery/selectors/label-selector.js";
import { parseLabelSelector } from "../../machinery/selectors/parse-label-selector.js";
import type { ApiRequest } from "../request/api-request.js";
import type { User } from "../request/user.js";
import type { AuthorizerAttributes } from "./authorizer.js";

/** The attributes of a request. Its selectors are parsed when an authorizer reads them. */
export class RequestAttributes implements AuthorizerAttributes {
  readonly user: User;
  readonly #request: ApiRequest;

  constructor(request: ApiRequest) {
    this.#request = request;
    this.user = request.user;
  }

  get verb(): string {
    return this.#request.info.verb;
  }

  get isResourceRequest(): boolean {
    return this.#request.info.isResourceRequest;
  }

  get apiGroup(): string {
    return this.#request.info.apiGroup;
  }

  get apiVersion(): string {
    return this.#request.info.apiVersion;
  }

  get resource(): string {
    return this.#request.info.resource;
  }

  get subresource(): string {
    return this.#request.info.subresource;
  }

  get namespace(): string {
    return this.#request.info.namespace;
  }

  /** That of the path; of a list or a watch the one name that its field selector asks for. */
  get name(): string {
    const { name, legacyWatch } = this.#request.info;
    if (name !== "" || legacyWatch || !READING.has(this.verb)) return name;
    const exact = this.fieldSelector?.find(({ field, operator }) => field === "metadata.name" && operator === "=");
    return exact !== undefined && isSegment(exact.value) ? exact.value : "";
  }

  get path(): string {
    return this.#request.info.path;
  }

  get fieldSelector(): readonly FieldRequirement[] | undefined {
    return this.#selector("fieldSelector", parseFieldSelector);
  }

  get labelSelector(): readonly LabelRequirement[] | undefined {
    return this.#selector("labelSelector", parseLabelSelector);
  }

  get signal(): AbortSignal {
    return this.#request.signal;
  }

  #selector<T>(
    parameter: string,
    parse: (text: string) => { readonly requirements?: readonly T[] | undefined },
  ): readonly T[] | undefined {
    const { exchange, info } = this.#request;
    // kube-apiserver looks for none where the path says that it is a watch.
    if (!SELECTING.has(this.verb) || info.legacyWatch) return undefined;
    const text = exchange.query.get(parameter);
    if (text === null || text === "") return undefined;
    try {
      return parse(text).requirements;
    } catch {
      return undefined;
    }
  }
}

const SELECTING: ReadonlySet<string> = new Set(["list", "watch", "deletecollection"]);
const READING: ReadonlySet<string> = new Set(["list", "watch"]);

/** Whether a name can be a segment of a path. */
const isSegment = (name: string): boolean => name !== "." && name !== ".." && !/[/%]/.test(name);
