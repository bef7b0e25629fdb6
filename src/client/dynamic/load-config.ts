import type { ClientConfig } from "../config/client-config.js";
import { createConfigLoader } from "../config/config-loader.js";
import { surroundingsOf } from "../surroundings.js";
import { type ConfigOverrides, noOverrides } from "../config/config-overrides.js";

export interface LoadConfigOptions extends Partial<ConfigOverrides> {
  readonly userAgent?: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly cwd?: string;
}

/**
 * Loads the configuration that kubectl would use: KUBECONFIG, ~/.kube/config or the pod's service account, with the given
 * overrides. Throws kubectl's errors. Without `cacheDir` nothing is cached on disk.
 */
export async function loadConfig(options: LoadConfigOptions = {}): Promise<ClientConfig> {
  const { userAgent = `kubets (${process.platform}/${process.arch})`, cwd = process.cwd() } = options;
  const { env } = surroundingsOf(options);
  const overrides = { ...noOverrides, ...options };
  const config = await createConfigLoader({ overrides, env, cwd, userAgent }).clientConfig();
  return { ...config, cacheDir: options.cacheDir ?? "" };
}
