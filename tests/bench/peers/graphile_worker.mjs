// A backlog of webhooks as jobs of graphile-worker, signed by standardwebhooks. DATABASE_URL names the database.
//
//   node graphile_worker.mjs fill FILE       adds a job for each line of a file: {"id": …, "event": …}
//   node graphile_worker.mjs work PRESET     posts them to WEBHOOK_URL, signed with WEBHOOK_SECRET, until it is ended
import { readFile } from 'node:fs/promises'
import { Logger, makeWorkerUtils, run } from 'graphile-worker'
import { Webhook } from 'standardwebhooks'

/** How many jobs are added in a statement. */
const TOGETHER = 1000
/** How many jobs run at once, as Wearlab has requests under way. */
const IN_FLIGHT = 8
/** Settings of the worker: those that it has by default, and what its documentation has for throughput. */
const PRESETS = {
  single: {},
  batches: { localQueue: { size: 500 }, completeJobBatchDelay: 0, failJobBatchDelay: 0 },
}

// Log lines of single jobs are left out, because other programs do not write any here.
const logger = new Logger(() => (level, message) => {
  if (level === 'error' || level === 'warning') console.error(message)
})

async function fill(file) {
  const utils = await makeWorkerUtils({ logger })
  try {
    await utils.migrate()
    const lines = (await readFile(file, 'utf8')).trimEnd().split('\n')
    for (let first = 0; first < lines.length; first += TOGETHER) {
      const jobs = lines.slice(first, first + TOGETHER).map((line) => JSON.parse(line))
      await utils.addJobs(jobs.map((payload) => ({ identifier: 'deliver', payload })))
    }
  } finally {
    await utils.release()
  }
}

async function work(preset) {
  const url = process.env.WEBHOOK_URL
  const webhook = new Webhook(process.env.WEBHOOK_SECRET)
  const deliver = async ({ id, event }) => {
    const body = JSON.stringify(event)
    const now = new Date()
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'webhook-id': id,
        'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
        'webhook-signature': webhook.sign(id, now, body),
      },
      body,
    })
    await response.arrayBuffer()
    // A job that throws is retried later.
    if (!response.ok) throw new Error(`the endpoint answers ${response.status}`)
  }
  const worker = { concurrentJobs: IN_FLIGHT, ...PRESETS[preset] }
  const runner = await run({ logger, taskList: { deliver }, preset: { worker } })
  await runner.promise
}

const [action, argument] = process.argv.slice(2)
await { fill, work }[action](argument)
