import { setUp } from './setup.mjs'

await setUp()
// Run the server in this process, so that it receives signals and sets the exit code.
process.setSourceMapsEnabled(true)
process.env.NODE_ENV ??= 'production'
await import('../dist/server/main.js')
