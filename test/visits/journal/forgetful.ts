import { createConfig } from '#server/config.ts'
import { readEnv } from '#server/env.ts'
import { createLog } from '#server/log.ts'
import { type Hoplet, startHoplet } from '#server/start.ts'
import { openMemorySink } from './memory-sink.ts'

/** For forgetful-main.mjs: the server configured by the environment, with a click sink that a kill empties. */
export function startForgetful(): Promise<Hoplet> {
  const config = createConfig(readEnv())
  return startHoplet(config, createLog(config.logLevel), {
    overrides: { openClickSink: openMemorySink },
  })
}
