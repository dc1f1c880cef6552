// Writes domain/texts/catalogs.generated.ts from the English catalogs; with `--check`, fails when the file is out of date.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { fail, root } from './process.mjs'

const texts = join(root, 'domain/texts')
const target = join(texts, 'catalogs.generated.ts')
const areas = { visitor: 'VisitorTexts', mail: 'MailTexts' }

/** @param {Record<string, Record<string, string | Record<string, string>>>} catalog */
export function typeOf(catalog) {
  const sections = Object.entries(catalog).map(([section, messages]) => {
    const lines = Object.entries(messages).map(
      ([name, text]) => `    ${nameOf(name)}: ${messageOf(text)}\n`,
    )
    return `  ${nameOf(section)}: {\n${lines.join('')}  }\n`
  })
  return `{\n${sections.join('')}}\n`
}

function messageOf(text) {
  const gaps = new Set(
    Object.values(typeof text === 'string' ? [text] : text).flatMap((form) =>
      [...form.matchAll(/\{(\w+)\}/g)].map(([, name]) => `'${name}'`),
    ),
  )
  // The number chooses the form, even if no form names it.
  if (typeof text !== 'string') gaps.add("'count'")
  return gaps.size === 0 ? 'Message' : `Message<${[...gaps].sort().join(' | ')}>`
}

const nameOf = (name) => (/^[a-z]\w*$/i.test(name) ? name : `'${name}'`)

function generate() {
  const interfaces = Object.entries(areas).map(([area, name]) => {
    const catalog = JSON.parse(readFileSync(join(texts, `en/${area}.json`), 'utf8'))
    return `\nexport interface ${name} ${typeOf(catalog)}`
  })
  return `// Written by \`npm run fix\` from domain/texts/en. Do not edit.\nimport type { Message } from './catalog.ts'\n${interfaces.join('')}`
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const wanted = generate()
  if (!process.argv.includes('--check')) writeFileSync(target, wanted)
  else if (readFileSync(target, 'utf8') !== wanted)
    fail('domain/texts/catalogs.generated.ts is out of date: run `npm run fix`.')
}
