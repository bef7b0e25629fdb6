import type { RestClient } from "../client/rest/rest-client.js";
import type { RestMapper } from "../machinery/rest-mapper.js";
import type { ResourceName } from "./resource-arguments.js";
import type { FileScope } from "./file-source.js";
import type { FetchUrl } from "./url-source.js";
import type { Visitor } from "./visitor.js";

/** The functions and streams that a builder uses; each is called only when an input needs it. */
export interface BuilderDependencies {
  readonly client: () => Promise<RestClient>;
  readonly mapper: () => Promise<RestMapper>;
  readonly stdin: AsyncIterable<Uint8Array | string>;
  readonly files: FileScope;
  /** What the program is called in hints. */
  readonly program: string;
  /** Default: the runtime's own fetch. */
  readonly fetchUrl?: FetchUrl;
  /** What a kustomization's build says besides its objects: lines for people, and what Go's log would have. */
  readonly notes?: { readonly warn: (line: string) => void; readonly log: (text: string) => void };
  /** Waits between attempts at a URL. */
  readonly wait?: (milliseconds: number) => Promise<void>;
}

/** The inputs that a builder has collected. */
export class Inputs {
  /** Sources with documents: files, URLs, stdin. */
  readonly paths: Visitor[] = [];
  readonly types: string[] = [];
  readonly names: string[] = [];
  readonly tuples: ResourceName[] = [];
  namespace = "";
  /** undefined: none was given; "" selects everything. */
  labels: string | undefined;
  fields: string | undefined;
  subresourceName: string | undefined;
  /** Items a page; 0: all. */
  chunk = 0;
  /** Files worked on at a time. */
  concurrency = 1;
  request: { readonly accept?: string; readonly query?: Readonly<Record<string, string>> } = {};
  singlePath = false;
  readsDirectory = false;
  readsStream = false;
  readonly flags = {
    defaultNamespace: false,
    requireNamespace: false,
    allNamespaces: false,
    continueOnError: false,
    flatten: false,
    latest: false,
    requireObject: true,
    singleResourceType: false,
    selectAll: false,
  };
}
