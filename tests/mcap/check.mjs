// Reads a log of `tactus haptic --log` twice with the format's own reader, by its index and from the front, both with all checks
// of bytes, holds each message against the schema of its channel, and compares it with what the table of the same run says:
// node check.mjs KIND run.mcap run.csv, with KIND impedance or admittance
import { readFile } from "node:fs/promises";
import { McapIndexedReader, McapStreamReader } from "@mcap/core";

const fail = (why) => {
  console.error(`error: ${why}`);
  process.exit(1);
};
const expect = (condition, why) => condition || fail(why);

// What Foxglove's tools read of JSON Schema, and no more: plain types, objects with their properties, arrays with the schema of their items.
// Beyond what a validator asks for, a message has nothing that its schema does not name.
const isPlain = (schema, where) => {
  if (schema.type === "object") {
    expect(schema.properties && Array.isArray(schema.required), `${where}: an object without properties`);
    for (const name of schema.required) expect(name in schema.properties, `${where}.${name} is required, and not described`);
    for (const [name, property] of Object.entries(schema.properties)) isPlain(property, `${where}.${name}`);
  } else if (schema.type === "array") isPlain(schema.items, `${where}[]`);
  else expect(["number", "integer", "string", "boolean"].includes(schema.type), `${where}: type ${schema.type}`);
};
const holds = (value, schema, where) => {
  if (schema.type === "object") {
    expect(value !== null && typeof value === "object" && !Array.isArray(value), `${where} is no object`);
    for (const name of schema.required) expect(name in value, `${where}.${name} is missing`);
    for (const [name, part] of Object.entries(value)) {
      expect(name in schema.properties, `${where}.${name} is not in the schema`);
      holds(part, schema.properties[name], `${where}.${name}`);
    }
  } else if (schema.type === "array") {
    expect(Array.isArray(value), `${where} is no list`);
    for (const part of value) holds(part, schema.items, `${where}[]`);
  } else if (schema.type === "integer") expect(Number.isInteger(value), `${where}: ${value} is no integer`);
  else expect(typeof value === schema.type, `${where}: ${value} is no ${schema.type}`);
};

const [kind, log, table] = process.argv.slice(2);
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
// A run by the clock may be over soon, on a busy machine.
expect(ticks < 1000 || reader.chunkIndexes.length > 1, "there is one chunk only");
const counts = new Map(), schemas = new Map();
let last = 0n, pushed = 0, moved = 0;
for await (const message of reader.readMessages()) {
  const channel = reader.channelsById.get(message.channelId);
  const schema = reader.schemasById.get(channel.schemaId);
  expect(channel.messageEncoding === "json" && schema.encoding === "jsonschema", `${channel.topic}: encodings`);
  if (!schemas.has(schema.id)) schemas.set(schema.id, JSON.parse(new TextDecoder().decode(schema.data)));
  const value = JSON.parse(new TextDecoder().decode(message.data));
  const count = counts.get(channel.topic) ?? 0;
  if (count === 0) isPlain(schemas.get(schema.id), channel.topic);
  holds(value, schemas.get(schema.id), `${channel.topic} ${count}`);
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
  if (channel.topic === "/handle/measured_cf") {
    for (const axis of ["x", "y", "z"]) {
      expect(value.wrench.force[axis] === cell(count, `sensed_force_${axis}`), `${channel.topic} ${count} ${axis}`);
      expect(value.wrench.torque[axis] === cell(count, `sensed_torque_${axis}`), `${channel.topic} ${count} ${axis}`);
      pushed = Math.max(pushed, Math.abs(value.wrench.force[axis]));
    }
  }
  if (channel.topic === "/handle/servo_cp") {
    // Where the handle is sent it is soon: never further than a hand's speed explains.
    const { x, y, z } = value.pose.position;
    const away = Math.hypot(x - cell(count, "handle_x"), y - cell(count, "handle_y"), z - cell(count, "handle_z"));
    expect(away < 0.01, `${channel.topic} ${count}: ${away} m from the handle`);
  }
  if (channel.topic === "/handle/servo_cv") {
    const { x, y, z } = value.twist.linear;
    moved = Math.max(moved, Math.hypot(x, y, z));
  }
  if (channel.topic === "/loop/tick") {
    for (const name of ["out_of_handle", "guarded", "made", "age", "resisted", "softness"])
      expect(value[name] === cell(count, name), `${channel.topic} ${count} ${name}`);
  }
  const part = /^\/(handle|port)\/measured_cp$/.exec(channel.topic)?.[1];
  if (part) {
    expect(value.frame_id === "world" && value.pose.position.x === cell(count, `${part}_x`), `${channel.topic} ${count}`);
    const { x, y, z, w } = value.pose.orientation;
    expect(Math.abs(x * x + y * y + z * z + w * w - 1) < 1e-9, `${channel.topic} ${count}: no rotation`);
  }
}
const ofKind = kind === "admittance" ? ["/handle/measured_cf", "/handle/servo_cp", "/handle/servo_cv"] : ["/handle/servo_cf"];
const topics = ["/handle/measured_cp", "/handle/measured_cv", "/port/measured_cp", "/port/measured_cv",
                "/port/measured_cf", "/loop/tick", ...ofKind];
expect(counts.size === topics.length + 1, `channels: ${[...counts.keys()]}`);
if (kind === "admittance") expect(pushed > 0.1 && moved > 0.01, `a hand that pushes with ${pushed} N, a device that makes ${moved} m/s`);
for (const topic of topics)
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
