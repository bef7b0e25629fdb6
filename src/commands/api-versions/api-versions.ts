import { errorMessage } from "../../base/text/error-message.js";
import type { Discovery } from "../../client/discovery/discovery.js";
import type { Command, Invocation } from "../../cli/command.js";
import { usageError } from "../../cli/errors.js";
import type { Factory, Streams } from "../../cli/connect/factory.js";
import { formatGroupVersion } from "../../machinery/meta/gvk.js";

export interface ApiVersionsOptions {
  readonly discovery: Discovery;
}

export function apiVersionsCommand(run = runApiVersions): Command {
  return {
    use: "api-versions",
    description: 'Show the API versions the server has, in the form "group/version".',
    examples: `# Every version
{{program}} api-versions`,
    flags: [],
    execute: async (factory, invocation) => run(await complete(factory, invocation), factory.streams),
  };
}

async function complete(factory: Factory, invocation: Invocation): Promise<ApiVersionsOptions> {
  const { args } = invocation;
  if (args.length > 0) throw usageError(invocation, `unexpected arguments: [${args.join(" ")}]`);
  return { discovery: await factory.discovery() };
}

export async function runApiVersions({ discovery }: ApiVersionsOptions, { out }: Streams): Promise<void> {
  discovery.invalidate();
  const groups = await discovery.groups().catch((error: unknown) => {
    const why = errorMessage(error);
    throw new Error(`couldn't get available api versions from server: ${why}`, { cause: error });
  });
  const versions = groups.flatMap(({ name: group, versions }) =>
    versions.map((version) => formatGroupVersion({ group, version })),
  );
  for (const version of versions.sort()) out.write(`${version}\n`);
}
