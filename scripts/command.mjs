// Runs one of the operator's commands: `npm run admin`, `npm run mail`, `npm run adopt`, `npm run doctor`.
import { setUp } from './setup.mjs'

await setUp()
process.env.NODE_ENV ??= 'production'
await import('../dist/server/command.js')
