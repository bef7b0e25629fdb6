import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import type { UpgradeOffer } from "../../request/upgrade.js";

/** True for a request that asks for another protocol, recognized as Kubernetes' proxies recognize it. */
export function asksForUpgrade({ headers }: IncomingMessage): boolean {
  return headers.upgrade !== undefined && (headers.connection ?? "").toLowerCase().includes("upgrade");
}

/** The offer of such a request. `taken` is called when the socket becomes the handler's. */
export function upgradeOffer(request: IncomingMessage, socket: Duplex, head: Buffer, taken: () => void): UpgradeOffer {
  const protocol = request.headers.upgrade ?? "";
  return {
    protocol,
    accept(headers) {
      taken();
      const named = { connection: "Upgrade", upgrade: protocol, ...headers };
      const lines = Object.entries(named).flatMap(([name, values]) =>
        [values].flat().map((value) => `${canonical(name)}: ${value}`),
      );
      socket.write(`HTTP/1.1 101 Switching Protocols\r\n${lines.join("\r\n")}\r\n\r\n`);
      if (head.length > 0) socket.unshift(head);
      return socket;
    },
  };
}

const canonical = (name: string): string => name.replaceAll(/(^|-)([a-z])/g, (part) => part.toUpperCase());
