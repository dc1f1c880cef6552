import { setUp } from './setup.mjs'

await setUp({ forceBuild: true })
