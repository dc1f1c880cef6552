// Finds calls and syntax in the scripts of visitors' pages that Safari 16.2 lacks. The server writes these scripts into the
// page as they are: one call that is missing stops all of it. Used by check-structure.mjs.
import { parseSync } from 'oxc-parser'
import { modules, typescript, visitNodes } from './code-structure.mjs'

/** Words in the doc comment of such a script. */
const marker = "the visitor's page"

/** Static members, as `Object.member`. */
const newerStatics = new Set([
  'AbortSignal.any',
  'Array.fromAsync',
  'Atomics.waitAsync',
  'Error.isError',
  'Intl.DurationFormat',
  'Iterator.from',
  'Map.groupBy',
  'Math.f16round',
  'Math.sumPrecise',
  'Object.groupBy',
  'Promise.try',
  'Promise.withResolvers',
  'RegExp.escape',
  'Response.json',
  'URL.canParse',
  'URL.parse',
  'Uint8Array.fromBase64',
  'Uint8Array.fromHex',
])

/** Members of any object: no older API has them. */
const newerMembers = new Set([
  'caretPositionFromPoint',
  'checkVisibility',
  'difference',
  'getHTML',
  'getOrInsert',
  'getOrInsertComputed',
  'hidePopover',
  'intersection',
  'isDisjointFrom',
  'isSubsetOf',
  'isSupersetOf',
  'isWellFormed',
  'moveBefore',
  'parseHTMLUnsafe',
  'popover',
  'requestClose',
  'requestIdleCallback',
  'setHTML',
  'setHTMLUnsafe',
  'showPopover',
  'startViewTransition',
  'symmetricDifference',
  'toBase64',
  'toHex',
  'toWellFormed',
  'togglePopover',
  'transferToFixedLength',
  'union',
  'userActivation',
  'userAgentData',
])

/** Global names. */
const newerGlobals = new Set([
  'CloseWatcher',
  'CookieStore',
  'CSSPropertyRule',
  'EditContext',
  'Float16Array',
  'Highlight',
  'Iterator',
  'Temporal',
  'URLPattern',
  'cookieStore',
  'navigation',
  'requestIdleCallback',
  'scheduler',
])

/** The uses of calls and syntax that are newer than Safari 16.2: `{ name, start }`. */
export function newerCalls(path, text) {
  const found = []
  const add = (name, { start }) => found.push({ name, start })
  const { program } = parseSync(path, text)
  visitNodes(program, (node) => {
    const { type } = node
    if (type === 'MemberExpression') {
      const member = node.computed ? node.property.value : node.property.name
      const whole = `${node.object.name ?? node.object.property?.name}.${member}`
      if (newerStatics.has(whole)) add(whole, node)
      else if (newerMembers.has(member)) add(member, node)
      else if (newerGlobals.has(node.object.name)) add(node.object.name, node)
      else if (/^(window|globalThis|self)$/.test(node.object.name) && newerGlobals.has(member))
        add(member, node)
    }
    if (type === 'VariableDeclarator' && node.id.type === 'ObjectPattern' && node.init)
      for (const { key } of node.id.properties) {
        const whole = `${node.init.name}.${key?.name}`
        if (newerStatics.has(whole)) add(whole, node)
      }
    if (/^(Call|New)Expression$/.test(type) && newerGlobals.has(node.callee.name))
      add(node.callee.name, node)
    if (type === 'Literal' && node.regex && isNewerRegex(node.regex)) add(node.raw, node)
    if (type === 'StaticBlock') add('a static block', node)
    if (type === 'VariableDeclaration' && /using/.test(node.kind)) add('using', node)
  })
  return found
}

/** Look-behind came with Safari 16.4, the flag `v` with 17. */
function isNewerRegex({ pattern, flags }) {
  return /\(\?<[=!]/.test(pattern) || flags.includes('v') || /\(\?[ims-]+:/.test(pattern)
}

/** The scripts of visitors' pages, and their imports. */
export function visitorScripts() {
  const known = new Set()
  const add = (path) => {
    if (known.has(path) || !modules.has(path)) return
    known.add(path)
    for (const imported of modules.get(path).imports) add(imported)
  }
  for (const { path, text } of typescript)
    if (path.startsWith('public-pages/') && path.endsWith('.ts') && text.includes(marker)) add(path)
  return typescript.filter(({ path }) => known.has(path))
}
