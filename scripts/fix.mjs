import { join } from 'node:path'
import { commandOf, root, runNode } from './process.mjs'
import { setUp } from './setup.mjs'

await setUp({ needsBuild: false })
const { code: typesCode } = await runNode([join(root, 'scripts', 'database-types.mjs')])
const { code: textTypesCode } = await runNode([join(root, 'scripts', 'text-types.mjs')])
await runNode([join(root, 'scripts/checks/check-wording.mjs'), '--lower'], { quiet: true })
const { code } = await runNode([commandOf('oxlint'), '--fix'])
const { code: formatCode } = await runNode([commandOf('oxfmt')])
process.exitCode = typesCode || textTypesCode || code || formatCode
