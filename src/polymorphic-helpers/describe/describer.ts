import type { BuiltInKinds } from "../../api/kinds/built-in-kinds.js";
import type { GroupVersionResource } from "../../machinery/meta/gvk.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import type { ReceivedObject } from "../../machinery/meta/received.js";
import type { Description } from "./description.js";

export interface ListWhat {
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  /** In one answer, however long. */
  readonly unlimited?: boolean;
}

/**
 * Reads the objects that describers need; every call is a request, as in kubectl. Throws the client's errors. A built-in kind is
 * named as "batch/v1/Job", and its objects have the kind's type.
 */
export interface DescribeReader {
  get<Kind extends keyof BuiltInKinds>(
    kind: Kind,
    namespace: string,
    name: string,
  ): Promise<ReceivedObject<BuiltInKinds[Kind]>>;
  /** An object of any kind. */
  getAny(resource: GroupVersionResource, namespace: string, name: string): Promise<KubeObject>;
  /** All pages, of the chunk size the user asked for. `namespace` "" is everywhere. */
  list<Kind extends keyof BuiltInKinds>(
    kind: Kind,
    namespace: string,
    what?: ListWhat,
  ): Promise<readonly ReceivedObject<BuiltInKinds[Kind]>[]>;
}

export interface DescribeContext {
  readonly reader: DescribeReader;
  readonly showEvents: boolean;
  /** Milliseconds since the epoch, for ages. */
  readonly now: number;
  /** What the zone of this machine is called at a time in milliseconds since the epoch: "CEST", "-03". */
  readonly zoneName: (milliseconds: number) => string;
}

/** Reads an object and the objects that belong to it, and writes its description. Each kind has one. */
export type Describer = (
  namespace: string,
  name: string,
  description: Description,
  context: DescribeContext,
) => Promise<void>;
