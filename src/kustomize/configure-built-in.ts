import { wrap } from "./field-spec.js";

/** Configures the built-in plugin behind a field; what is wrong is thrown with the configuration, which is YAML. */
export async function configureBuiltIn<T>(kind: string, yaml: string, configure: () => Promise<T>): Promise<T> {
  try {
    return await configure();
  } catch (error) {
    throw wrap(error, `trouble configuring builtin ${kind} with config: \`\n${yaml}\``);
  }
}
