import type { CommandFiles } from "../../base/files/command-files.js";
import { PathError } from "../../base/files/path-error.js";
import type { ClientConfig } from "../../client/config/client-config.js";

/**
 * Returns the same config with the content of its files, for a command whose files are not this machine's: clients read the
 * machine's files. Without a CA no server is trusted, because the machine's own CAs are not the command's. Nothing is cached.
 * Throws a {@link PathError}.
 */
export function inlinedConfig(config: ClientConfig, files: CommandFiles): ClientConfig {
  const { tls, auth, ...rest } = config;
  const read = (path: string): Buffer => {
    try {
      return files.readFileSync(path);
    } catch (error) {
      throw new PathError("open", path, error);
    }
  };
  const { caFile, certFile, keyFile, ...own } = tls;
  const { tokenFile, ...credentials } = auth;
  const token = credentials.token ?? (tokenFile === undefined ? undefined : read(tokenFile).toString("utf8"));
  return {
    ...rest,
    tls: {
      ...(!tls.insecureSkipVerify && { caData: new Uint8Array() }),
      ...(caFile !== undefined && { caData: read(caFile) }),
      ...(certFile !== undefined && { certData: read(certFile) }),
      ...(keyFile !== undefined && { keyData: read(keyFile) }),
      ...own,
    },
    auth: { ...credentials, ...(token !== undefined && { token: token.trim() }) },
    cacheDir: "",
  };
}
