// The processes of a server that keeps clicks in the memory of its workers only.
import { fileURLToPath } from 'node:url'
import { loadTypeScript } from '../../scripts/load-typescript.mjs'

const { runForgetful } = await loadTypeScript('test/workers/forgetful.ts')
await runForgetful(fileURLToPath(import.meta.url))
