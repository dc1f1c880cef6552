/** Shorter names are too near those of other programs. */
const minLength = 8
const maxEdits = 2
/** Prefixes of our settings. */
const ownPrefixes = [
  'ADMIN_',
  'AI_',
  'AUTH_',
  'BACKUP_',
  'CAPTCHA_',
  'CLICK_',
  'CLICKHOUSE_',
  'DATABASE_',
  'GEOIP_',
  'HOPLET_',
  'LEAD_',
  'MAIL_',
  'PASSWORD_',
  'RATE_LIMIT',
  'S3_',
  'SANDBOX_',
  'SESSION_',
  'SMTP_',
  'STRIPE_',
  'TRUST_',
  'TRUSTED_',
  'WEBHOOK_',
]

/** Variables of desktops and of the program `pass`. */
const ofOthers = /^(?:SESSION_MANAGER|PASSWORD_STORE_\w+)$/

/** Variables that Kubernetes sets for each service, for example one that is called hoplet. */
const ofService = /_(?:SERVICE_(?:HOST|PORT)|PORT(?:_\d+_(?:TCP|UDP))?)(?:_\w+)?$/

interface CheckedNames {
  /** One or two letters away from a known name: it was meant, and its default would be used instead. */
  problems: string[]
  /** It begins like ours. */
  warnings: string[]
}

/**
 * Looks for misspelled settings among variables that Hoplet does not know.
 *
 * @param known with the names of files that hold a value (`…_FILE`)
 */
export function checkNames(names: readonly string[], known: ReadonlySet<string>): CheckedNames {
  const problems: string[] = []
  const warnings: string[] = []
  const inKubernetes = names.includes('KUBERNETES_SERVICE_HOST')
  for (const name of names) {
    if (known.has(name) || ofOthers.test(name) || (inKubernetes && ofService.test(name))) continue
    const meant = nearest(name, known)
    if (meant !== undefined) problems.push(`${name}: is not a setting; ${meant} is`)
    else if (ownPrefixes.some((prefix) => name.startsWith(prefix)))
      warnings.push(`${name} is not a setting of Hoplet: it changes nothing`)
  }
  return { problems, warnings }
}

/** With the same first letter: XAI_API_KEY is somebody else's. */
function nearest(name: string, known: ReadonlySet<string>): string | undefined {
  if (name.length < minLength) return undefined
  return [...known]
    .filter((each) => each.length >= minLength && each[0] === name[0])
    .map((each) => ({ each, edits: distanceBetween(name, each) }))
    .filter(({ edits }) => edits <= maxEdits)
    .sort((a, b) => a.edits - b.edits)[0]?.each
}

/** Letters apart; a plural for a singular, or the reverse, is one. */
function distanceBetween(a: string, b: string): number {
  const ofWords = editsBetween(singularOf(a), singularOf(b)) + 1
  return Math.min(editsBetween(a, b), ofWords)
}

const singularOf = (name: string) =>
  name
    .split('_')
    .map((word) =>
      word
        .replace(/IES$/, 'Y')
        .replace(/(?<=SS)ES$/, '')
        .replace(/(?<=[^S].)S$/, ''),
    )
    .join('_')

/** Letters to add, remove, change or swap with their neighbor. */
function editsBetween(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > maxEdits) return Infinity
  const rows = [Array.from({ length: b.length + 1 }, (_, j) => j)]
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const change = at(rows[i - 1], j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1)
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      const swap = isSwap ? at(rows[i - 2], j - 2) + 1 : Infinity
      row.push(Math.min(change, swap, at(rows[i - 1], j) + 1, at(row, j - 1) + 1))
    }
    rows.push(row)
  }
  return at(rows[a.length], b.length)
}

const at = (row: readonly number[] | undefined, i: number): number => row?.[i] ?? Infinity
