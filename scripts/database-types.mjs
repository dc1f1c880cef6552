// Writes domain/database.generated.ts from the migrations; with `--check`, fails when the file is out of date.
import { loadTypeScript } from './load-typescript.mjs'
import { fail } from './process.mjs'

const { databaseTypes } = await loadTypeScript('scripts/database-types.ts')
const current = await databaseTypes({ check: process.argv.includes('--check') })
if (!current) fail('domain/database.generated.ts is out of date: run `npm run fix`.')
process.exit(0)
