import { createConfig } from '#server/config.ts'
import { readEnv } from '#server/env.ts'
import { createLog } from '#server/log.ts'
import { createWebApp } from '#server/pages/web-app.ts'
import { startHoplet } from '#server/start.ts'
import { makeDemo } from './demo.ts'
import { makeHardCases } from './hard-cases.ts'

/** The built web app on a new database with the demo accounts, for pictures of the screens. */
export async function startDemoServer(
  dataDir: string,
  webFolder: string,
  { withHardCases = false } = {},
) {
  const running = await startHoplet(
    { ...createConfig(readEnv()), dataDir, port: 0, publicUrl: 'https://hop.example' },
    createLog('error'),
    { web: (context) => createWebApp(context, webFolder) },
  )
  const demo = await makeDemo(running)
  if (demo === undefined) throw new Error('the demo accounts could not be made')
  if (withHardCases) await makeHardCases(running, demo.password)
  const { url, context } = running
  return { url, password: demo.password, anonKey: context.tokens.anonKey, stop: running.stop }
}
