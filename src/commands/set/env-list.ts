import { errorMessage } from "../../base/text/error-message.js";
import type { Streams } from "../../cli/connect/factory.js";
import type { RestClient } from "../../client/rest/rest-client.js";
import { type Fields, isFields, objects, text } from "../../machinery/meta/access.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import { describeReference, EnvResolver } from "./env-values.js";

export interface EnvListOptions {
  readonly resolve: boolean;
  readonly namespace: string;
  readonly client: () => Promise<RestClient>;
  readonly streams: Streams;
}

/** --list: the variables of containers, as a shell could read them. */
export class EnvLister {
  constructor(private readonly options: EnvListOptions) {}

  /** References that cannot be resolved are shown as such, and told on stderr. */
  async list(object: KubeObject, container: Fields): Promise<void> {
    const { client, namespace, resolve, streams } = this.options;
    const resolver = new EnvResolver(client, namespace);
    const failed = new Map<string, string[]>();
    const title = `${object.kind ?? ""} ${object.metadata?.name ?? ""}, container ${text(container["name"])}`;
    streams.out.write(`# ${title}\n`);
    for (const { name: given, value, valueFrom } of objects(container["env"])) {
      const name = text(given);
      if (!isFields(valueFrom)) {
        streams.out.write(`${name}=${text(value)}\n`);
        continue;
      }
      const reference = `# ${name} from ${describeReference(valueFrom)}\n`;
      if (!resolve) {
        streams.out.write(reference);
        continue;
      }
      const line = await resolver.value(valueFrom, object, container).then(
        (found) => `${name}=${found}\n`,
        (error: unknown) => {
          const message = errorMessage(error);
          failed.set(message, [...(failed.get(message) ?? []), name]);
          return reference;
        },
      );
      streams.out.write(line);
    }
    const lines = [...failed].map(
      ([message, names]) => `error retrieving reference for ${names.sort().join(", ")}: ${message}\n`,
    );
    for (const line of lines.sort()) streams.err.write(line);
  }
}
