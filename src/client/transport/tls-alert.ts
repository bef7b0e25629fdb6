import { addressesOf, dial } from "./dial.js";
import type { DialTarget } from "./dial.js";
import { goNetworkReason } from "./go-network-error.js";

/** A server of TLS 1.3 refuses a client's certificate only after the handshake. */
const LATE_ALERT_MS = 500;

/**
 * Finds Go's text for the failure of a connection that the server closed: it connects once more without sending anything. Undefined when
 * that connection does not fail within half a second.
 */
export async function findTlsAlert(target: DialTarget): Promise<string | undefined> {
  try {
    const socket = await dial(target);
    try {
      await new Promise<void>((resolve, reject) => {
        socket.once("error", reject).once("close", resolve).resume();
        setTimeout(resolve, LATE_ALERT_MS).unref();
      });
    } catch (error) {
      return goNetworkReason(error, addressesOf(socket));
    } finally {
      socket.destroy();
    }
  } catch (error) {
    return goNetworkReason(error);
  }
  return undefined;
}
