import { inParallel } from "../base/async/in-parallel.js";
import { errorMessage } from "../base/text/error-message.js";
import type { Clock } from "../base/time/clock.js";
import { fetchGroups, fetchResourceList } from "../client/discovery/live-discovery.js";
import type { WireResourceList } from "../client/discovery/wire.js";
import type { RestClient } from "../client/rest/rest-client.js";
import { type GroupVersionResource, parseGroupVersion } from "../machinery/meta/gvk.js";
import type { ControllerContext, StartController } from "./context.js";
import { unlessAbsent } from "./writes.js";

/** A resource at one version. */
export interface ServedResource extends GroupVersionResource {
  /** "v1", "apps/v1". */
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
  /** The first of the group's versions that has the resource. */
  readonly preferred: boolean;
}

export interface Served {
  /** Every resource at every version, without subresources. */
  readonly resources: readonly ServedResource[];
  /** The group versions whose resources discovery could not read, and why: they are not known now. */
  readonly failed: ReadonlyMap<string, Error>;
  /** Of those of {@link failed} that were known before: their resources as they were then. */
  readonly stale: ReadonlyMap<string, readonly ServedResource[]>;
}

/** How long an answer of discovery counts that does not have a kind. */
const REDISCOVER_MS = 30_000;
/** How many group versions are asked for at a time. */
const REQUESTS = 8;

/** The resources that the server serves. All controllers share one answer of discovery until {@link invalidate}. */
export class ServedResources {
  #known: Promise<Served> | undefined;
  #discovered = 0;

  constructor(
    private readonly rest: RestClient,
    private readonly clock: Clock,
  ) {}

  all(): Promise<Served> {
    if (this.#known !== undefined) return this.#known;
    this.#discovered = this.clock.now();
    const asked = this.#discover();
    this.#known = asked;
    asked.catch(() => {
      if (this.#known === asked) this.#known = undefined;
    });
    return asked;
  }

  /** The resource of a kind. A kind that is missing in an older answer is asked for again. */
  async ofKind(apiVersion: string, kind: string): Promise<ServedResource | undefined> {
    const find = ({ resources }: Served) => resources.find((one) => one.apiVersion === apiVersion && one.kind === kind);
    const found = find(await this.all());
    if (found !== undefined || this.clock.now() - this.#discovered <= REDISCOVER_MS) return found;
    this.invalidate();
    return find(await this.all());
  }

  /** The next question goes to the server. */
  invalidate(): void {
    this.#known = undefined;
  }

  async #discover(): Promise<Served> {
    // Not the client's discovery: like kubectl's, it leaves group versions out that an aggregated server marks as stale.
    const { groups, resources, failed, stale: last } = await fetchGroups(this.rest, {});
    if (resources !== undefined) {
      const stale = new Map([...last].map((one) => [one[0], withPreferences(new Map([one]))]));
      return { resources: withPreferences(resources), failed, stale };
    }
    const versions = groups.flatMap((group) => group.versions.map(({ groupVersion }) => groupVersion));
    return this.#discoverEach(versions);
  }

  /** Asks for each group version on its own: servers older than Kubernetes 1.26 do not answer discovery as a whole. */
  async #discoverEach(groupVersions: readonly string[]): Promise<Served> {
    const found = new Map<string, WireResourceList>();
    const failed = new Map<string, Error>();
    await inParallel(groupVersions, REQUESTS, async (groupVersion) => {
      try {
        found.set(groupVersion, await fetchResourceList(this.rest, groupVersion, {}));
      } catch (error) {
        failed.set(groupVersion, error instanceof Error ? error : new Error(errorMessage(error)));
      }
    });
    const inOrder = groupVersions.flatMap((one) => {
      const list = found.get(one);
      return list === undefined ? [] : [[one, list] as const];
    });
    return { resources: withPreferences(new Map(inOrder)), failed, stale: new Map() };
  }
}

function withPreferences(lists: ReadonlyMap<string, WireResourceList>): ServedResource[] {
  const seen = new Set<string>();
  return [...lists].flatMap(([apiVersion, { resources }]) => {
    const { group, version } = parseGroupVersion(apiVersion);
    const whole = resources.filter(({ name }) => !name.includes("/"));
    return whole.map(({ name, kind, namespaced, verbs }) => {
      const id = `${group}/${name}`;
      const preferred = !seen.has(id);
      seen.add(id);
      return { group, version, resource: name, apiVersion, kind, namespaced, verbs, preferred };
    });
  });
}

/**
 * Makes a controller of kinds that servers do not serve by default: it runs if one of the group's versions is served at the start,
 * and gets the first of these ("storagemigration.k8s.io/v1"). Which versions exist depends on the server's version of Kubernetes.
 */
export function whereServed<Version extends string>(
  groupVersions: readonly Version[],
  start: (context: ControllerContext, groupVersion: Version) => void,
): StartController {
  return (context) => ({
    async prepare() {
      for (const groupVersion of groupVersions) {
        const request = { method: "GET", path: `/apis/${groupVersion}` } as const;
        if ((await unlessAbsent(context.client.rest.request(request))) !== undefined)
          return start(context, groupVersion);
      }
    },
  });
}
