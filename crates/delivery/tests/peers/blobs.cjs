// Looks at blob storage with npm `@azure/storage-blob`.
// `blobs.cjs create CONNECTION_STRING CONTAINER` makes a container, `blobs.cjs delete CONNECTION_STRING CONTAINER` removes
// it, and `blobs.cjs list CONNECTION_STRING CONTAINER [PREFIX]` prints a line of JSON for each blob.

const { BlobServiceClient } = require("@azure/storage-blob");
const { gunzipSync } = require("node:zlib");

const [command, connectionString, name, prefix] = process.argv.slice(2);
const container = BlobServiceClient.fromConnectionString(connectionString).getContainerClient(name);

async function list() {
  for await (const blob of container.listBlobsFlat({ prefix })) {
    const raw = await container.getBlobClient(blob.name).downloadToBuffer();
    const { contentType, contentEncoding, etag } = blob.properties;
    const body = (contentEncoding === "gzip" ? gunzipSync(raw) : raw).toString("base64");
    const line = { name: blob.name, content_type: contentType, content_encoding: contentEncoding || null, etag, body };
    console.log(JSON.stringify(line));
  }
}

const commands = { create: () => container.create(), delete: () => container.delete(), list };
commands[command]().catch((error) => {
  console.error(error.code || error);
  process.exit(1);
});
