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
 * The configuration kubectl would use: KUBECONFIG or ~/.kube/config, or that of the pod this runs in, with the
 * overrides given. Throws in kubectl's words when there is something wrong with it. Nothing is cached on disk unless
 * `cacheDir` says where.
 */
export async function loadConfig(options: LoadConfigOptions = {}): Promise<ClientConfig> {
  const { userAgent = `kubets (${process.platform}/${process.arch})`, cwd = process.cwd() } = options;
  const { env } = surroundingsOf(options);
  const overrides = { ...noOverrides, ...options };
  const config = await createConfigLoader({ overrides, env, cwd, userAgent }).clientConfig();
  return { ...config, cacheDir: options.cacheDir ?? "" };
}
