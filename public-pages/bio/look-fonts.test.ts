import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { looks } from '#domain/bio/looks.ts'
import { lookFont } from './look-fonts.ts'

it.each(looks)(
  'the font of the look $name has at most 20 kB and the hash of its content',
  async ({ id }) => {
    const { path } = lookFont(id)
    const file = await readFile(new URL(`../../web/public${path}`, import.meta.url))
    expect(file.subarray(0, 4).toString()).toBe('wOF2')
    expect(file.length).toBeLessThanOrEqual(20_000)
    const hash = createHash('sha256').update(file).digest('hex').slice(0, 8)
    expect(path).toBe(
      `/assets/looks/${path.slice('/assets/looks/'.length, -'-12345678.woff2'.length)}-${hash}.woff2`,
    )
  },
)
