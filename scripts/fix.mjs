import { commandOf, runNode } from './process.mjs'
import { setUp } from './setup.mjs'

await setUp({ needsBuild: false })
const { code } = await runNode([commandOf('oxlint'), '--fix'])
const { code: formatCode } = await runNode([commandOf('oxfmt')])
process.exitCode = code || formatCode
