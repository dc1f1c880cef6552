import { setUp } from './setup.mjs'

await setUp()
process.env.NODE_ENV ??= 'production'
await import('../dist/server/adopt.js')
