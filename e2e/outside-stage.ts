import { afterAll, beforeAll } from 'vitest'
import { type Outside, startOutside } from '#test/auth/official-calls/outside.ts'
import { setStage, type Stage } from './stage.ts'

export interface OutsideStage extends Stage {
  outside: Outside
}

/** The built server with everything switched on that it can talk to: mail, text messages, sign-in providers. */
export function setOutsideStage(ready: (stage: OutsideStage) => void | Promise<void>): void {
  let outside: Outside
  beforeAll(async () => {
    outside = await startOutside()
  })
  afterAll(() => outside.close())
  setStage(
    async (stage) => {
      await outside.google.register(`${stage.server.url}/auth/v1/callback`)
      await ready({ ...stage, outside })
    },
    // Security keys want a site with a name; and the provider is another site than ours, as the real ones are.
    { environment: () => outside.environment, hostname: 'localhost' },
  )
}
