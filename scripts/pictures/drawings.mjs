import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

/** Unicode's groups of things: animals and nature, food and drink, travel and places, activities, objects. */
const thingGroups = new Set([3, 4, 5, 6, 7])

/**
 * Makes the module `illustrations.txt?drawings`: the drawings that a draft can have, and the names that Unicode gives them
 * in the languages of drafts. The server then needs neither the icon set nor the names of all emojis (59 MB).
 *
 * @returns {import('vite').Plugin}
 */
export function drawings() {
  return {
    name: 'drawings',
    // Before Vite takes a .txt for an asset.
    enforce: 'pre',
    async load(id) {
      const [file, query] = id.split('?')
      if (query !== 'drawings') return undefined
      const found = await readDrawings(file)
      const code = `/*! Fluent Emoji, MIT, Microsoft Corporation; emojibase-data, MIT, Miles Johnson */\nexport default ${JSON.stringify(found)}`
      return { code, map: { mappings: '' } }
    },
  }
}

async function readDrawings(file) {
  const named = await valuesOf(file, 'drawing')
  const languages = await valuesOf(join(dirname(file), '../languages.txt'), 'things', 'code')
  const codes = await readJson('@iconify-json/fluent-emoji-flat/chars.json')
  const iconByCode = new Map(Object.entries(codes).map(([code, name]) => [plainCode(code), name]))
  const names = {}
  for (const language of languages) {
    const emojis = await readJson(`emojibase-data/${language}/data.json`)
    names[language] = emojis
      .filter(({ group }) => thingGroups.has(group))
      .map(({ label, hexcode }) => [label, iconByCode.get(plainCode(hexcode))])
      .filter(([, icon]) => icon !== undefined)
  }
  const { icons } = await readJson('@iconify-json/fluent-emoji-flat/icons.json')
  const wanted = new Set([
    ...named,
    ...Object.values(names).flatMap((list) => list.map(([, icon]) => icon)),
  ])
  const bodies = Object.entries(icons).map(([name, { body }]) => [name, body])
  return { names, icons: Object.fromEntries(bodies.filter(([name]) => wanted.has(name))) }
}

/** The values of a key, between commas, in the blocks of a data file that have another one. */
async function valuesOf(file, having, key = having) {
  const blocks = (await readFile(file, 'utf8')).replace(/^#.*\n/gm, '').split(/\n\s*\n/)
  return blocks
    .filter((block) => block.includes(`\n${having}: `) || block.startsWith(`${having}: `))
    .flatMap((block) => new RegExp(`^${key}: *(.*)$`, 'm').exec(block)?.[1].split(/,\s*/) ?? [])
}

/** Without variation selectors, which the two data sets write differently. */
function plainCode(code) {
  return code.toLowerCase().replace(/-fe0f/g, '')
}

async function readJson(path) {
  return JSON.parse(await readFile(createRequire(import.meta.url).resolve(path), 'utf8'))
}
