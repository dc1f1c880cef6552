import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createConfig } from '#server/config.ts'
import { parseVariables } from '#server/env.ts'
import { createLog } from '#server/log.ts'
import { startHoplet } from '#server/start.ts'
import { transactionsOf } from '#test/auth/transactions.ts'

/** Signs up and in at a server with a separate database. @returns the transactions that the sign-in needed */
export async function transactionsPerSignIn(): Promise<number> {
  const dataDir = await mkdtemp(join(tmpdir(), 'hoplet-measure-'))
  const config = createConfig(parseVariables({ PORT: '0', DATA_DIR: dataDir }))
  const hoplet = await startHoplet(config, createLog('fatal'))
  const credentials = { email: 'ada@example.com', password: 'correct horse 41' }
  const send = async (path: string) => {
    const response = await fetch(`${hoplet.url}/auth/v1${path}`, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        apikey: hoplet.context.tokens.anonKey,
      },
      body: JSON.stringify(credentials),
    })
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
  }
  try {
    await send('/signup')
    return await transactionsOf(hoplet.context, () => send('/token?grant_type=password'))
  } finally {
    await hoplet.stop()
    await rm(dataDir, { recursive: true, force: true })
  }
}
