// Runs one of the operator's commands (server/commands/main.ts), for example `npm run admin` or `npm run backup`.
import { setUp } from './setup.mjs'

await setUp()
process.env.NODE_ENV ??= 'production'
await import('../dist/server/command.js')
