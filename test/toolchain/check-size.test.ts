import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, test } from 'vitest'

const script = fileURLToPath(new URL('../../scripts/checks/check-size.mjs', import.meta.url))
let folder: string

const manifest = {
  'index.html': { file: 'assets/index.js', isEntry: true, imports: ['_shared.js'] },
  '_shared.js': { file: 'assets/shared.js' },
  'screen.tsx': { file: 'assets/screen.js', isDynamicEntry: true, imports: ['_shared.js'] },
}

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'hoplet-size-'))
  await put('.vite/manifest.json', JSON.stringify(manifest))
  for (const name of ['index', 'shared', 'screen']) await put(`assets/${name}.js`, 'export {}')
})
afterEach(() => rm(folder, { recursive: true }))

async function put(path: string, text: string): Promise<void> {
  await mkdir(dirname(join(folder, path)), { recursive: true })
  await writeFile(join(folder, path), text)
}

function check(): Promise<{ passes: boolean; output: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [script, folder], (error, stdout, stderr) => {
      resolve({ passes: error === null, output: stdout + stderr })
    })
  })
}

/** Base64 of random bytes, which gzip shrinks to about three quarters. */
const noise = (bytes: number) => `/* ${randomBytes(bytes).toString('base64')} */`

test('the size check accepts a small first screen with large lazy screens', async () => {
  await put('assets/screen.js', noise(300_000))
  expect(await check()).toMatchObject({ passes: true })
})

test('the size check counts the imports of the entry as part of the first screen', async () => {
  await put('assets/shared.js', noise(190_000))
  const { passes, output } = await check()
  expect(passes).toBe(false)
  expect(output).toContain('The first screen loads')
})

test('the size check finds a server secret, a source map, and a web app without lazy screens', async () => {
  await put('assets/screen.js', 'const role = "service_role"')
  expect(await check()).toMatchObject({ passes: false })
  await put('assets/screen.js', 'export {}')
  expect(await check()).toMatchObject({ passes: true })
  await put('assets/screen.js.map', '{}')
  expect(await check()).toMatchObject({ passes: false })
  await rm(join(folder, 'assets/screen.js.map'))
  const { 'screen.tsx': _, ...onePiece } = manifest
  await put('.vite/manifest.json', JSON.stringify(onePiece))
  expect(await check()).toMatchObject({ passes: false })
})

test('the size check refuses files that need each other: the order of their modules is left to chance', async () => {
  const others = { file: 'assets/others.js', imports: ['_shared.js'] }
  await put('assets/others.js', 'export {}')
  await put('.vite/manifest.json', JSON.stringify({ ...manifest, '_others.js': others }))
  expect(await check()).toMatchObject({ passes: true })
  const shared = { ...manifest['_shared.js'], imports: ['_others.js'] }
  const circle = { ...manifest, '_others.js': others, '_shared.js': shared }
  await put('.vite/manifest.json', JSON.stringify(circle))
  const { passes, output } = await check()
  expect(passes).toBe(false)
  expect(output).toContain('assets/shared.js needs a file that needs it')
})
