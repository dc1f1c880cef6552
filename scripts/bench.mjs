import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { loadTypeScript } from './load-typescript.mjs'
import { fail, root } from './process.mjs'
import { setUp } from './setup.mjs'

const name = process.argv[2] ?? ''
const folder = join(root, 'bench')
const path = ['mjs', 'ts']
  .map((ending) => join(folder, `${name}.${ending}`))
  .find((each) => existsSync(each))
if (!/^[a-z0-9-]+$/.test(name) || !path) {
  const names = existsSync(folder)
    ? readdirSync(folder).filter((each) => /\.(mjs|ts)$/.test(each))
    : []
  fail(
    `npm run bench -- NAME, where NAME is one of: ${names.map((each) => each.replace(/\.\w+$/, '')).join(', ')}`,
  )
}
await setUp()
if (path.endsWith('.mjs')) {
  await import(pathToFileURL(path).href)
} else {
  await loadTypeScript(`bench/${name}.ts`)
}
