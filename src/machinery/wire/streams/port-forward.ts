/** The protocol of port-forward over SPDY. */
export const PORT_FORWARD_PROTOCOL = "portforward.k8s.io";

/** The subprotocol of a WebSocket whose binary messages are the bytes of a SPDY connection of that protocol. */
export const TUNNELLED_PORT_FORWARD_PROTOCOL = `SPDY/3.1+${PORT_FORWARD_PROTOCOL}`;

/** The header with the port in the pod, on both streams of a forwarded connection. */
export const PORT = "port";

/** The header that joins the error stream and the data stream of a forwarded connection. Very old clients do not send it. */
export const REQUEST_ID = "requestid";

/** Makes the headers of one of the two streams of a forwarded connection. The error stream is opened first. */
export const portForwardHeaders = (
  streamType: "error" | "data",
  port: number,
  requestId: number,
): Readonly<Record<string, string>> => ({
  streamtype: streamType,
  [PORT]: String(port),
  [REQUEST_ID]: String(requestId),
});
