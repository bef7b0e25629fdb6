import type { ActionClient } from "../target.js";
import type { Fields } from "../../machinery/meta/access.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import type { RestMapping } from "../../machinery/rest-mapper.js";
import { Helper } from "../../resource/helper.js";
import type { DryRun } from "../apply/apply-object.js";
import { calculatePatch } from "../apply/three-way-patch.js";

export interface CordonOptions {
  readonly client: Pick<ActionClient, "rest">;
  /** The node's name, or the node as it was read. */
  readonly node: string | KubeObject;
  /** With "client" nothing is sent but the read. Default "none". */
  readonly dryRun?: DryRun | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface CordonOutcome {
  /** False: the node was so already. */
  readonly changed: boolean;
  /** The node as the server answered it; without a write, as it was read. */
  readonly node: KubeObject;
}

/** Makes a node unschedulable: no new pods are put there. Throws the server's error. */
export const cordon = (options: CordonOptions): Promise<CordonOutcome> => setUnschedulable(true, options);

/** Makes a node schedulable again. Throws the server's error. */
export const uncordon = (options: CordonOptions): Promise<CordonOutcome> => setUnschedulable(false, options);

const NODES: RestMapping = {
  resource: { group: "", version: "v1", resource: "nodes" },
  kind: { group: "", version: "v1", kind: "Node" },
  namespaced: false,
};

async function setUnschedulable(
  wanted: boolean,
  { client, node: given, dryRun = "none", signal }: CordonOptions,
): Promise<CordonOutcome> {
  const helper = new Helper(client.rest, NODES, { dryRun: dryRun === "server", signal });
  const node = typeof given === "string" ? await helper.get("", given) : given;
  const spec = (node["spec"] ?? {}) as Fields;
  if ((spec["unschedulable"] === true) === wanted) return { changed: false, node };
  if (dryRun === "client") return { changed: true, node };
  const { unschedulable: _before, ...rest } = spec;
  const after = { ...node, spec: wanted ? { ...rest, unschedulable: true } : rest };
  const { text } = await calculatePatch(NODES.kind, node, after);
  const name = node.metadata?.name ?? "";
  return { changed: true, node: await helper.patch("", name, "strategic", new TextEncoder().encode(text)) };
}
