import { setUp } from './setup.mjs'

await setUp()
// In this very process: signals and the exit code are the server's own.
process.setSourceMapsEnabled(true)
process.env.NODE_ENV ??= 'production'
await import('../dist/server/main.js')
