import type { KubeObject } from "../machinery/meta/object.js";
import type { RestMapping } from "../machinery/rest-mapper.js";
import type { Result } from "./builder.js";
import type { Info } from "./info.js";
import { isList } from "./lists.js";
import { type Visitor, type VisitorFn, withoutErrors } from "./visitor.js";
import type { WatchFrame } from "../client/dynamic/watch-events.js";

export type OpenWatch = (resourceVersion: string, signal?: AbortSignal) => Promise<AsyncIterable<WatchFrame>>;

/** One source of objects that a builder found. Files have no single type, and are never watched. */
export interface Source {
  readonly visitor: Visitor;
  readonly mapping?: RestMapping;
  readonly watch?: OpenWatch;
}

/** The visitors that a builder found, before it adds the policies for all objects. */
export interface Found {
  readonly visitor: Visitor;
  readonly sources: readonly Source[];
  readonly single: boolean;
  readonly targetsSingle: boolean;
}

export class BuiltResult implements Result {
  private readonly ignored: ((error: unknown) => boolean)[] = [];
  private gathered: { readonly infos: readonly Info[]; readonly error?: unknown } | undefined;

  private readonly visitor: Visitor;
  private readonly sources: readonly Source[];
  readonly singleItemImplied: boolean;
  readonly targetsSingleItems: boolean;

  constructor(
    { visitor, sources, single, targetsSingle }: Found,
    /** The policies that hold for everything. */
    private readonly prepare: (visitor: Visitor) => Visitor,
    private readonly watchInfo: (info: Info) => OpenWatch,
  ) {
    this.visitor = prepare(visitor);
    this.sources = sources;
    this.singleItemImplied = single;
    this.targetsSingleItems = targetsSingle;
  }

  async visit(fn: VisitorFn): Promise<void> {
    await this.visitor.visit(fn).catch((error: unknown) => {
      const left = withoutErrors(error, (inner) => this.ignored.some((ignores) => ignores(inner)));
      if (left !== undefined) throw left;
    });
  }

  async infos(): Promise<readonly Info[]> {
    const { infos, error } = await this.gather();
    if (error !== undefined) throw error;
    return infos;
  }

  async gather(): Promise<{ readonly infos: readonly Info[]; readonly error?: unknown }> {
    if (this.gathered === undefined) {
      const infos: Info[] = [];
      const failure = await this.visit(async (info) => void infos.push(info)).then(
        () => undefined,
        (error: unknown) => ({ error }),
      );
      this.gathered = { infos, ...failure };
    }
    return this.gathered;
  }

  async object(): Promise<KubeObject> {
    const infos = (await this.infos()).filter((info) => info.object !== undefined);
    const objects = infos.map((info) => info.object as KubeObject);
    const [first] = objects;
    if (first !== undefined && objects.length === 1 && (this.singleItemImplied || isList(first))) return first;
    const versions = new Set(infos.map((info) => info.resourceVersion ?? ""));
    const [version = ""] = versions.size === 1 ? [...versions] : [];
    const metadata = version === "" ? {} : { resourceVersion: version };
    return { apiVersion: "v1", kind: "List", metadata, items: objects };
  }

  mapping(): RestMapping {
    const mappings = new Map(
      this.sources.map(({ mapping }) => {
        if (mapping === undefined) throw new Error("a resource mapping could not be loaded from *resource.FileVisitor");
        return [JSON.stringify(mapping.resource), mapping] as const;
      }),
    );
    const [only] = mappings.values();
    if (only === undefined || mappings.size !== 1) throw new Error("expected only a single resource type");
    return only;
  }

  bySource(): readonly Result[] {
    const { targetsSingleItems: targetsSingle, prepare, watchInfo } = this;
    return this.sources.map((source) => {
      const found = { visitor: source.visitor, sources: [source], single: targetsSingle, targetsSingle };
      return new BuiltResult(found, prepare, watchInfo);
    });
  }

  async watch(resourceVersion: string, signal?: AbortSignal): Promise<AsyncIterable<WatchFrame>> {
    const [source] = this.sources;
    if (source === undefined || this.sources.length !== 1) {
      throw new Error("you may only watch a single resource or type of resource at a time");
    }
    if (source.watch !== undefined) return source.watch(resourceVersion, signal);
    const infos = await this.infos();
    const [info] = infos;
    if (info === undefined || infos.length !== 1) {
      throw new Error(
        `watch is only supported on individual resources and resource collections - ${infos.length} resources were found`,
      );
    }
    return this.watchInfo(info)(resourceVersion, signal);
  }

  ignoreErrors(predicate: (error: unknown) => boolean): Result {
    this.ignored.push(predicate);
    return this;
  }
}
