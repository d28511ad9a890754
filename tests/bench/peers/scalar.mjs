// Mocks a document by @scalar/mock-server on loopback: node scalar.mjs DOCUMENT PORT
import { readFile } from 'node:fs/promises'
import { serve } from '@hono/node-server'
import { createMockServer } from '@scalar/mock-server'

const [document, port] = process.argv.slice(2)
const app = await createMockServer({ document: await readFile(document, 'utf8') })
serve({ fetch: app.fetch, hostname: '127.0.0.1', port: Number(port) })
