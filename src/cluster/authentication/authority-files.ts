import { errorMessage } from "../../base/text/error-message.js";
import { certificatesIn } from "../../machinery/crypto/certificates.js";
import { readText } from "../../base/files/read-file.js";
import { authorityFaults } from "../certificate-faults.js";
import { watchFile } from "../reload/watch-files.js";
import type { AuthenticationSurroundings } from "./authentication-surroundings.js";

/** Files of authorities, as they are now. */
export interface AuthorityFiles {
  /** All of them, PEM; "" without files. */
  readonly pem: string;
  /** Watches the files; `changed` is called after {@link pem} has. */
  watch(changed: () => void): void;
  close(): void;
}

/**
 * Reads files of CA certificates. Rejects with an Error in kube-apiserver's words that names a file without any, and reports
 * certificates by which no client can be authenticated.
 */
export async function openAuthorityFiles(
  paths: readonly string[],
  { clock, timers, faults, report }: Pick<AuthenticationSurroundings, "clock" | "timers" | "faults" | "report">,
): Promise<AuthorityFiles> {
  const texts = new Map<string, string>();
  for (const path of paths) {
    const text = await readAuthorities(path);
    texts.set(path, text);
    for (const fault of authorityFaults(text, clock.now())) {
      report(new Error(`client CA file ${JSON.stringify(path)}: ${fault}`));
    }
  }
  let stops: readonly (() => void)[] = [];
  return {
    get pem() {
      return [...texts.values()].join("\n");
    },
    watch(changed) {
      stops = paths.map((path) => {
        const take = (text: string): void => {
          certificatesIn(text);
          texts.set(path, text);
          changed();
        };
        const tell = faults.of(`client CA file ${JSON.stringify(path)}`);
        return watchFile({ path, timers, take, tell }, texts.get(path) ?? "");
      });
    },
    close() {
      for (const stop of stops) stop();
    },
  };
}

async function readAuthorities(path: string): Promise<string> {
  const text = await readText(path).catch((error: unknown) => {
    throw new Error(`unable to load client CA provider: ${errorMessage(error)}`, { cause: error });
  });
  try {
    certificatesIn(text);
    return text;
  } catch (error) {
    const what = `error loading CA file ${JSON.stringify(path)}: ${errorMessage(error)}`;
    throw new Error(`unable to load client CA provider: ${what}`, { cause: error });
  }
}
