import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createConfig } from '#server/config.ts'
import { parseVariables } from '#server/env.ts'
import { createLog } from '#server/log.ts'
import { startHoplet } from '#server/start.ts'
import type { TestServer } from '#test/server.ts'
import { visit } from '#test/visits/visit.ts'

/** A second server on the same database, with a separate data directory. */
export async function startSecondNode(
  server: TestServer,
): Promise<{ url: string; close(): Promise<void> }> {
  const dataDir = await mkdtemp(join(tmpdir(), 'hoplet-node-'))
  const defaults = createConfig(
    parseVariables({ PORT: '0', RATE_LIMITS: 'off', DATA_DIR: dataDir }),
  )
  const node = await startHoplet(
    { ...defaults, databaseUrl: server.databaseUrl },
    createLog('fatal'),
  )
  return {
    url: node.url,
    async close() {
      await node.stop()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}

/** The answer of each node for each code: `<status>` by `<node> /<code>`. */
async function answers(nodes: readonly { url: string }[], codes: readonly string[]) {
  const all: Record<string, number> = {}
  for (const [index, { url }] of nodes.entries()) {
    for (const code of codes) all[`${index} /${code}`] = (await visit(url, `/${code}`)).status
  }
  return all
}

/** Asks until every node answers every code with `status`. @returns the differences when the time is up */
export async function waitForAnswers(
  nodes: readonly { url: string }[],
  codes: readonly string[],
  status: number,
  milliseconds = 5_000,
): Promise<Record<string, number>> {
  const until = performance.now() + milliseconds
  for (;;) {
    const all = Object.entries(await answers(nodes, codes))
    const others = all.filter(([, one]) => one !== status)
    if (others.length === 0 || performance.now() > until) return Object.fromEntries(others)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}
