import { once } from "node:events";
import { connect } from "node:http2";
import { expect, test } from "vitest";
import { systemClock } from "../../../src/base/time/clock.js";
import { listen } from "../../../src/server/generic/secure-listener.js";
import { newAuthority, servingCertificate } from "../../helpers/tls-peer.js";

const INTERNAL_ERROR = 2;

test("the server resets an HTTP/2 stream with INTERNAL_ERROR when its answer breaks off, and keeps the connection", async () => {
  const authority = newAuthority();
  const listener = await listen({
    host: "127.0.0.1",
    port: 0,
    tls: { ...servingCertificate(authority, "ec"), clientCa: authority.certificate },
    clock: systemClock,
    stopping: new AbortController().signal,
    async handle(exchange) {
      const writer = exchange.respond(200, {});
      await writer.write(Buffer.from("half"));
      if (exchange.path === "/broken") throw new Error("the backend is gone");
      await writer.end(Buffer.from("whole"));
    },
  });
  const session = connect(`https://127.0.0.1:${listener.port}`, { rejectUnauthorized: false });
  const broken = session.request({ ":path": "/broken" });
  broken.resume();
  await expect(once(broken, "close")).rejects.toThrow("NGHTTP2_INTERNAL_ERROR");
  expect(broken.rstCode).toBe(INTERNAL_ERROR);
  const whole = session.request({ ":path": "/whole" });
  let text = "";
  for await (const chunk of whole) text += String(chunk);
  expect(text).toBe("halfwhole");
  session.close();
  await listener.close();
});
