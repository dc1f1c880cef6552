import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'

const root = new URL('../../', import.meta.url).pathname
const oxlint = join(
  dirname(createRequire(import.meta.url).resolve('oxlint/package.json')),
  'bin/oxlint',
)
let folder: string

/** Files that break one rule each, with the expected lint message. */
const wrong: [path: string, text: string, rule: string][] = [
  ['domain/a.ts', "import { x } from '#server/x.ts'\nexport const y = x", 'no-restricted-imports'],
  [
    'domain/b.ts',
    "import { readFileSync } from 'node:fs'\nexport const y = readFileSync",
    'no-restricted-imports',
  ],
  ['web/a.ts', "import { x } from '#server/x.ts'\nexport const y = x", 'no-restricted-imports'],
  ['web/b.ts', "import { x } from '../server/x.ts'\nexport const y = x", 'no-restricted-imports'],
  [
    'web/features/links/a.ts',
    "import { x } from '#web/features/auth/x.ts'\nexport const y = x",
    'no-restricted-imports',
  ],
  [
    'web/features/links/b.ts',
    "import { x } from '../auth/x.ts'\nexport const y = x",
    'no-restricted-imports',
  ],
  [
    'web/features/admin/users/a.ts',
    "import { x } from '../../auth/x.ts'\nexport const y = x",
    'no-restricted-imports',
  ],
  ['web/ui/a.ts', "import { x } from '#domain/x.ts'\nexport const y = x", 'no-restricted-imports'],
  ['server/a.ts', "import { x } from '#web/x.ts'\nexport const y = x", 'no-restricted-imports'],
  [
    'server/tables/a.ts',
    "import { x } from '../auth/x.ts'\nexport const y = x",
    'no-restricted-imports',
  ],
  [
    'server/visits/a.ts',
    "import { x } from '#server/billing/x.ts'\nexport const y = x",
    'no-restricted-imports',
  ],
  ['server/b.ts', 'export const y = process.env.PORT', 'no-process-env'],
  ['server/c.ts', "console.log('x')\nexport {}", 'no-console'],
  ['server/d.ts', 'export default 1', 'no-default-export'],
  ['server/e.ts', 'export const y = (x: any) => x', 'no-explicit-any'],
  ['server/f.ts', 'export const y = (x: string | null) => x!.length', 'no-non-null-assertion'],
  ['server/g.ts', "export * from './x.ts'", 'no-barrel-file'],
  ['server/camelCase.ts', 'export const y = 1', 'filename-case'],
  ['server/cycle/a.ts', "import { b } from './b.ts'\nexport const a = () => b", 'no-cycle'],
  ['server/cycle/b.ts', "import { a } from './a.ts'\nexport const b = () => a", 'no-cycle'],
]

const right: [path: string, text: string][] = [
  ['server/x.ts', 'export const x = 1'],
  ['server/env.ts', 'export const y = process.env.PORT'],
  ['server/visits/b.ts', "import { x } from '../x.ts'\nexport const y = x"],
  ['web/features/admin/users/b.ts', "import { x } from '../x.ts'\nexport const y = x"],
  ['web/features/links/c.ts', "import { x } from '#domain/x.ts'\nexport const y = x"],
]

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'hoplet-lint-'))
  await cp(join(root, '.oxlintrc.json'), join(folder, '.oxlintrc.json'))
  await writeFile(
    join(folder, 'tsconfig.json'),
    '{"compilerOptions":{"strict":true,"allowImportingTsExtensions":true,"noEmit":true}}',
  )
  for (const [path, text] of [...wrong, ...right]) {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), `${text}\n`)
  }
})
afterAll(() => rm(folder, { recursive: true }))

test('the linter enforces every import rule in its folder', async () => {
  const found = await lint()
  expect(found).toEqual(expect.arrayContaining(wrong.map(([path, , rule]) => `${path} ${rule}`)))
  for (const [path] of right)
    expect(found.filter((each) => each.startsWith(`${path} `))).toEqual([])
})

/** Each lint error as "path rule". */
function lint(): Promise<string[]> {
  return new Promise((resolve, reject) => {
    execFile(
      process.execPath,
      [oxlint, '--format=unix'],
      { cwd: folder },
      (error, stdout, stderr) => {
        const complaints = [
          ...stdout.matchAll(/^(?:\.\/)?(\S+?):\d+:\d+: .*\[.*?([a-z-]+)\)?\]$/gm),
        ]
        if (complaints.length === 0) reject(new Error(`${error?.message ?? ''}${stdout}${stderr}`))
        resolve(complaints.map((match) => `${match[1]} ${match[2]}`))
      },
    )
  })
}
