import { wrap } from "../field-spec.js";

/** Writes the configuration of the built-in plugin behind a field as YAML. Throws for what YAML cannot hold. */
export function marshalBuiltIn(kind: string, marshal: () => string): string {
  try {
    return marshal();
  } catch (error) {
    throw wrap(error, `builtin ${kind} marshal`);
  }
}

/** Configures the plugin; what is wrong is thrown with the configuration. */
export async function configureBuiltIn<T>(kind: string, yaml: string, configure: () => Promise<T>): Promise<T> {
  try {
    return await configure();
  } catch (error) {
    throw wrap(error, `trouble configuring builtin ${kind} with config: \`\n${yaml}\``);
  }
}
