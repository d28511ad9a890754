// Receives what a hub has from its beginning on, with npm `@azure/event-hubs`: a line of JSON for each event.
// Started as `event_hubs_receiver.cjs CONNECTION_STRING HUB`, it ends when its standard input does.

const { EventHubConsumerClient, earliestEventPosition } = require("@azure/event-hubs");
const { gunzipSync } = require("node:zlib");

const [connectionString, hub] = process.argv.slice(2);
const client = new EventHubConsumerClient("$Default", connectionString, hub);

client.subscribe(
  {
    async processEvents(events, { partitionId }) {
      for (const event of events) {
        const raw = Buffer.from(event.body);
        const body = event.getRawAmqpMessage().properties.contentEncoding === "gzip" ? gunzipSync(raw) : raw;
        const line = {
          partition: partitionId,
          partition_key: event.partitionKey,
          message_id: event.messageId,
          content_type: event.contentType,
          content_encoding: event.getRawAmqpMessage().properties.contentEncoding,
          properties: event.properties,
          length: raw.length,
          body: body.toString("base64"),
        };
        process.stdout.write(JSON.stringify(line) + "\n");
      }
    },
    async processError(error) {
      process.stderr.write(`${error}\n`);
    },
  },
  { startPosition: earliestEventPosition, maxBatchSize: 100, maxWaitTimeInSeconds: 1, skipParsingBodyAsJson: true },
);

process.stdin.resume();
process.stdin.on("end", () => process.exit(0));
