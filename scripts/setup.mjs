import { pathToFileURL } from 'node:url'
import { build } from './bundle.mjs'
import { install } from './install.mjs'
import { withLock } from './lock.mjs'

/** Prepares a fresh clone: installs packages, then builds. Does nothing when both are current. */
export async function setUp({ needsBuild = true, forceBuild = false } = {}) {
  await withLock(async () => {
    await install()
    if (needsBuild) await build({ force: forceBuild })
  })
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await setUp()
