// The processes of a server whose workers keep clicks in memory only.
import { fileURLToPath } from 'node:url'
import { loadTypeScript } from '../../scripts/load-typescript.mjs'

const { runForgetful } = await loadTypeScript('test/workers/forgetful.ts')
await runForgetful(fileURLToPath(import.meta.url))
