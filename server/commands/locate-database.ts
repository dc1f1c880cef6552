import { existsSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Config } from '../config.ts'
import { dataDirOwner, openDataDir } from '../data-dir.ts'
import type { Logger } from '../log.ts'
import { clusterFolder } from '../postgres/embedded-cluster.ts'
import { runningEmbeddedUrl, startEmbeddedPostgres } from '../postgres/embedded.ts'

/** The database of DATABASE_URL, of the server that is running, or one started for this command alone. */
export async function locateDatabase(
  config: Pick<Config, 'databaseUrl' | 'dataDir'>,
  log: Logger,
): Promise<{ url: string; close: () => Promise<void> }> {
  if (config.databaseUrl) return { url: config.databaseUrl, close: async () => {} }
  if (!existsSync(clusterFolder(config.dataDir))) {
    throw new Error(
      `There are no accounts in ${config.dataDir} yet. Start Hoplet with npm start and sign up first.`,
    )
  }
  if ((await dataDirOwner(config.dataDir)) !== undefined) {
    return { url: await urlOfRunning(config.dataDir), close: async () => {} }
  }
  const dataDir = await openDataDir(config.dataDir, log)
  try {
    const postgres = await startEmbeddedPostgres({ dataDir: dataDir.path, log })
    return {
      url: postgres.url,
      close: async () => {
        await postgres.stop()
        await dataDir.release()
      },
    }
  } catch (error) {
    await dataDir.release()
    throw error
  }
}

/** A server that has only just started may need a moment until its database answers. */
async function urlOfRunning(dataDir: string): Promise<string> {
  for (let attempt = 0; attempt < 50; attempt++) {
    const url = await runningEmbeddedUrl(dataDir)
    if (url !== undefined) return url
    await sleep(200)
  }
  throw new Error('The server is running, but its database is not. Try again in a moment.')
}
