import { cordon, uncordon } from "../../actions/drain/cordon.js";
import { errorMessage } from "../../base/text/error-message.js";
import { goQuote } from "../../base/text/go-quote.js";
import type { RestClient } from "../../client/rest/rest-client.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import type { NodeOptions } from "./find-nodes.js";

/** Makes nodes unschedulable, or schedulable again. A node that cannot be changed is told on stderr and passed over. */
export async function cordonNodes(options: NodeOptions, wanted: boolean): Promise<void> {
  const rest = await options.client();
  for (const { name, object: node = {} } of options.nodes) {
    try {
      await cordonOne(node, rest, options, wanted);
    } catch (error) {
      const message = errorMessage(error);
      const doing = wanted ? "cordon" : "uncordon";
      options.streams.err.write(`error: unable to ${doing} node ${goQuote(name)}: ${message}\n`);
    }
  }
}

async function cordonOne(
  node: KubeObject,
  rest: RestClient,
  { dryRun, print }: NodeOptions,
  wanted: boolean,
): Promise<void> {
  const { changed } = await (wanted ? cordon : uncordon)({ client: { rest }, node, dryRun });
  const done = wanted ? "cordoned" : "uncordoned";
  print(node, changed ? done : `already ${done}`);
}
