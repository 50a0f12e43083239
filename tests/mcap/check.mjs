// Reads a log of `tactus haptic --log` twice with the format's own reader, by its index and from the front, both with all checks
// of bytes, and compares it with what the table of the same run says: node check.mjs run.mcap run.csv
import { readFile } from "node:fs/promises";
import { McapIndexedReader, McapStreamReader } from "@mcap/core";

const fail = (why) => {
  console.error(`error: ${why}`);
  process.exit(1);
};
const expect = (condition, why) => condition || fail(why);

const [log, table] = process.argv.slice(2);
const bytes = new Uint8Array(await readFile(log));
const rows = (await readFile(table, "utf8")).trim().split("\n");
const columns = rows[0].split(",");
const cell = (row, name) => Number(rows[row + 1].split(",")[columns.indexOf(name)]);
const ticks = rows.length - 1;

const reader = await McapIndexedReader.Initialize({
  readable: {
    size: async () => BigInt(bytes.length),
    read: async (offset, size) => bytes.slice(Number(offset), Number(offset + size)),
  },
});
expect(reader.header.profile === "crtk", `the profile is ${reader.header.profile}`);
expect(reader.chunkIndexes.length > 1, "there is one chunk only");
const counts = new Map();
let last = 0n;
for await (const message of reader.readMessages()) {
  const channel = reader.channelsById.get(message.channelId);
  const schema = reader.schemasById.get(channel.schemaId);
  expect(channel.messageEncoding === "json" && schema.encoding === "jsonschema", `${channel.topic}: encodings`);
  JSON.parse(new TextDecoder().decode(schema.data));
  const value = JSON.parse(new TextDecoder().decode(message.data));
  const count = counts.get(channel.topic) ?? 0;
  counts.set(channel.topic, count + 1);
  expect(message.logTime >= last, "times go back");
  last = message.logTime;
  if (channel.topic === "/port/measured_cf") {
    for (const axis of ["x", "y", "z"])
      expect(value.wrench.force[axis] === cell(count, `force_${axis}`), `${channel.topic} ${count} ${axis}`);
  }
  if (channel.topic === "/handle/servo_cf") {
    for (const axis of ["x", "y", "z"])
      expect(value.wrench.force[axis] === cell(count, `hand_force_${axis}`), `${channel.topic} ${count} ${axis}`);
  }
  const part = /^\/(handle|port)\/measured_cp$/.exec(channel.topic)?.[1];
  if (part) {
    expect(value.frame_id === "world" && value.pose.position.x === cell(count, `${part}_x`), `${channel.topic} ${count}`);
    const { x, y, z, w } = value.pose.orientation;
    expect(Math.abs(x * x + y * y + z * z + w * w - 1) < 1e-9, `${channel.topic} ${count}: no rotation`);
  }
}
for (const topic of ["/handle/measured_cp", "/handle/measured_cv", "/handle/servo_cf", "/port/measured_cp",
                     "/port/measured_cv", "/port/measured_cf", "/loop/tick"])
  expect(counts.get(topic) === ticks, `${topic}: ${counts.get(topic)} messages, ${ticks} ticks`);
expect(counts.get("/handle/operating_state") >= 1, "no operating state");
const total = [...counts.values()].reduce((a, b) => a + b);
expect(reader.statistics.messageCount === BigInt(total), "the statistics count other messages");

let attached = 0, metadata = 0;
for await (const attachment of reader.readAttachments()) attached += attachment.data.byteLength > 0 ? 1 : 0;
for await (const record of reader.readMetadata()) metadata += record.metadata.has("setup") ? 1 : 0;
expect(attached === 1, "the model is not attached");
expect(metadata === 1, "the set-up is not in the metadata");

const stream = new McapStreamReader({ validateCrcs: true });
stream.append(bytes);
let streamed = 0;
for (let record; (record = stream.nextRecord());) if (record.type === "Message") ++streamed;
expect(stream.done() && streamed === total, `from the front: ${streamed} of ${total} messages`);
console.log(`${total} messages on ${counts.size} channels in ${reader.chunkIndexes.length} chunks`);
