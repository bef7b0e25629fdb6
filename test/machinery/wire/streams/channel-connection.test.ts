import { once } from "node:events";
import { describe, expect, test } from "vitest";
import { ChannelConnection } from "../../../../src/machinery/wire/streams/channel-connection.js";
import {
  CHANNEL,
  CHANNEL_PROTOCOLS,
  type ChannelProtocol,
} from "../../../../src/machinery/wire/streams/remote-command.js";
import { encodeMaskedFrame, OPCODE } from "../../../../src/machinery/wire/web-socket/frames.js";
import { WebSocket } from "../../../../src/machinery/wire/web-socket/web-socket.js";
import { seededRandom } from "../../../helpers/seeded-random.js";
import { connectedSockets } from "./connected-sockets.js";
import { readAll, readText } from "./read-all.js";

const random = seededRandom("channels");

function protocolOf(name: string): ChannelProtocol {
  const protocol = CHANNEL_PROTOCOLS.find((one) => one.name === name);
  if (protocol === undefined) throw new Error(`no protocol ${name}`);
  return protocol;
}

/** A server's end, and the function that sends it a message as a client does. */
async function serving(name: string) {
  const sockets = await connectedSockets();
  const connection = new ChannelConnection(new WebSocket(sockets.server, { role: "server" }), {
    protocol: protocolOf(name),
    readable: [CHANNEL.stdin, CHANNEL.resize],
    role: "server",
  });
  const say = (message: string | readonly number[]): void => {
    const [opcode, bytes] =
      typeof message === "string" ? [OPCODE.text, Buffer.from(message)] : [OPCODE.binary, Buffer.from(message)];
    sockets.client.write(encodeMaskedFrame(opcode, [bytes], random.bytes(4), Buffer.allocUnsafe));
  };
  return {
    connection,
    say,
    client: sockets.client,
    [Symbol.asyncDispose]: async () => {
      sockets.client.destroy();
      await sockets[Symbol.asyncDispose]();
    },
  };
}

describe("a server's channels of a remote command over a WebSocket", () => {
  test.each(CHANNEL_PROTOCOLS)(
    "of protocol '$name' take what the client writes, and send what the program does",
    async ({ name, base64 }) => {
      await using both = await serving(name);
      both.say(base64 ? `0${Buffer.from("input").toString("base64")}` : [0, ...Buffer.from("input")]);
      const stdin = both.connection.channel(CHANNEL.stdin)[Symbol.asyncIterator]();
      const { value } = (await stdin.next()) as { value: Uint8Array };
      expect(Buffer.from(value).toString()).toBe("input");
      await both.connection.channel(CHANNEL.stdout).write(Buffer.from("output"));
      const [frame] = (await once(both.client, "data")) as [Buffer];
      expect(frame.subarray(2).toString("latin1")).toBe(
        base64 ? `1${Buffer.from("output").toString("base64")}` : "\u0001output",
      );
      expect((frame[0] ?? 0) & 0xf).toBe(base64 ? OPCODE.text : OPCODE.binary);
    },
  );

  test("close when the client closes them, in protocol 5", async () => {
    await using both = await serving("v5.channel.k8s.io");
    both.say([0, 97]);
    both.say([255, 0]);
    expect(await readText(both.connection.channel(CHANNEL.stdin))).toBe("a");
    both.say([4, 98]);
    const { value } = (await both.connection.channel(CHANNEL.resize)[Symbol.asyncIterator]().next()) as {
      value: Uint8Array;
    };
    expect(Buffer.from(value).toString()).toBe("b");
  });

  test("do not close by number 255 in protocol 4", async () => {
    await using both = await serving("v4.channel.k8s.io");
    both.say([255, 0]);
    both.say([0, 97]);
    const { value } = (await both.connection.channel(CHANNEL.stdin)[Symbol.asyncIterator]().next()) as {
      value: Uint8Array;
    };
    expect(Buffer.from(value).toString()).toBe("a");
  });

  test("send a message without data when the command has begun", async () => {
    await using both = await serving("v4.channel.k8s.io");
    await both.connection.channel(CHANNEL.stdout).write(new Uint8Array());
    const [frame] = (await once(both.client, "data")) as [Buffer];
    expect(frame.toString("hex")).toBe("820101");
  });

  test("accept messages without data, of unknown channels and of no bytes", async () => {
    await using both = await serving("v5.channel.k8s.io");
    for (const message of [[], [0], [1, 120], [9, 120], [200, 120], [0, 97]]) both.say(message);
    both.say([255, 0]);
    expect(await readText(both.connection.channel(CHANNEL.stdin))).toBe("a");
  });

  test.each([
    ["names no channel", [255]],
    ["names two", [255, 0, 1]],
  ])("end when a close signal %s", async (_, message) => {
    await using both = await serving("v5.channel.k8s.io");
    both.say(message);
    await expect(readAll(both.connection.channel(CHANNEL.stdin))).rejects.toThrow("a close signal names one channel");
    expect(both.connection.fault?.message).toContain("protocol error");
  });

  test("end when a text is longer than base64 of a chunk ever is", async () => {
    await using both = await serving("base64.channel.k8s.io");
    both.client.on("error", () => {});
    both.say(`0${"QUFB".repeat(1_100_000)}`);
    await expect(readAll(both.connection.channel(CHANNEL.stdin))).rejects.toThrow("message too big");
  });

  test("take a message of 40 MB in pieces", async () => {
    await using both = await serving("v5.channel.k8s.io");
    const message = Buffer.alloc(40_000_001, 7);
    message[0] = 0;
    both.client.write(encodeMaskedFrame(OPCODE.binary, [message], random.bytes(4), Buffer.allocUnsafe));
    both.say([255, 0]);
    let [length, longest] = [0, 0];
    for await (const chunk of both.connection.channel(CHANNEL.stdin)) {
      length += chunk.length;
      longest = Math.max(longest, chunk.length);
      expect(chunk.every((byte) => byte === 7)).toBe(true);
    }
    expect(length).toBe(40_000_000);
    expect(longest).toBeLessThan(1_000_000);
  });
});
