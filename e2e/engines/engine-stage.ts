import { afterAll, beforeAll, describe } from 'vitest'
import type { BuiltServer } from '../built-server.ts'
import { sharedBuiltServer } from '../stage.ts'
import type { EnginePage } from './engine-page.ts'
import type { EngineSettings } from './engine-window.ts'
import {
  type Engine,
  type EngineName,
  engineNames,
  type EngineVisit,
  hasEngine,
  startEngine,
} from './engines.ts'

export interface EngineStage {
  engine: EngineName
  server: BuiltServer
  /** A page as in a new profile. There is one at a time. */
  open(visit?: EngineVisit): Promise<EnginePage>
}

interface EngineStageSettings extends Omit<EngineSettings, 'proxy'> {
  /** Default: all. */
  engines?: readonly EngineName[]
}

/** The same tests in each engine, against the built server. An engine that is not installed is skipped. */
export function inEachEngine(
  title: string,
  tests: (stage: EngineStage) => void,
  { engines = engineNames, ...settings }: EngineStageSettings = {},
): void {
  for (const engine of engines) {
    describe.skipIf(!hasEngine(engine))(`${title} in ${engine}`, () => {
      let running: Engine | undefined
      const stage = { engine } as EngineStage
      beforeAll(async () => {
        stage.server = await sharedBuiltServer()
        const started = await startEngine(engine, settings)
        running = started
        stage.open = (visit) => started.open(stage.server.url, visit)
      })
      afterAll(() => running?.close())
      tests(stage)
    })
  }
}
