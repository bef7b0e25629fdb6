import { TUNNELLED_PORT_FORWARD_PROTOCOL } from "../../machinery/wire/streams/port-forward.js";
import { V5 } from "../../machinery/wire/streams/remote-command.js";
import type { ApiRequest } from "../request/api-request.js";

/** Whether the server itself speaks the protocol with the client: WebSockets whose streams can be closed individually. */
export const isTranslated = (request: ApiRequest): boolean => offers(request, V5);

/** Whether a client's WebSocket carries the bytes of a SPDY connection. */
export const isTunnelled = (request: ApiRequest): boolean => offers(request, TUNNELLED_PORT_FORWARD_PROTOCOL);

const offers = ({ exchange: { webSocket } }: ApiRequest, protocol: string): boolean =>
  webSocket?.subprotocols.includes(protocol) === true;
