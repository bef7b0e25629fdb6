import { calculatePatch } from "../../actions/calculate-patch.js";
import { goQuote } from "../../base/go-quote.js";
import type { Fields } from "../../machinery/meta/access.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import { Helper } from "../../resource/helper.js";
import type { Info } from "../../resource/info.js";
import type { NodeOptions } from "./find-nodes.js";

/** Makes nodes unschedulable, or schedulable again. A node that cannot be changed is told on stderr and passed over. */
export async function cordonNodes(options: NodeOptions, cordon: boolean): Promise<void> {
  for (const info of options.nodes) {
    const node = info.object ?? {};
    const spec = (node["spec"] ?? {}) as Fields;
    if ((spec["unschedulable"] === true) === cordon) {
      options.print(node, cordon ? "already cordoned" : "already uncordoned");
      continue;
    }
    const { unschedulable: _before, ...rest } = spec;
    const wanted = { ...node, spec: cordon ? { ...rest, unschedulable: true } : rest };
    try {
      if (options.dryRun !== "client") await send(info, node, wanted, options);
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      const doing = cordon ? "cordon" : "uncordon";
      options.streams.err.write(`error: unable to ${doing} node ${goQuote(info.name)}: ${message}\n`);
      continue;
    }
    options.print(node, cordon ? "cordoned" : "uncordoned");
  }
}

async function send(info: Info, before: KubeObject, after: KubeObject, { client, dryRun }: NodeOptions): Promise<void> {
  const { text } = await calculatePatch(info.mapping.kind, before, after);
  const helper = new Helper(await client(), info.mapping, { dryRun: dryRun === "server" });
  await helper.patch("", info.name, "strategic", new TextEncoder().encode(text));
}
