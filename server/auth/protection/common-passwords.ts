// Where the list is from, and under which licences: common-passwords.notices.txt.
import list from './common-passwords.txt?raw'

/** What people choose most, in lower case: a capital letter makes none of them harder to guess. */
const commonPasswords: ReadonlySet<string> = new Set(list.trimEnd().split('\n'))

/** What lies side by side on the keyboards of the world, as a finger runs over it. */
const rows = [
  '01234567890',
  'qwertyuiop',
  'asdfghjkl',
  'zxcvbnm',
  'qwertzuiop',
  'yxcvbnm',
  'azertyuiop',
  'qsdfghjklm',
  'wxcvbn',
]
const runs = rows.flatMap((row) => [row, Array.from(row).reverse().join('')])

/**
 * On the list as it is or with its digits and signs read as letters, a run over a row of keys, or a short row of one
 * character. Nothing else is refused: a common word with something added may be a good password.
 */
export function isCommonPassword(password: string): boolean {
  const plain = password.toLowerCase()
  const read = plain.replace(/[@$!013457]/g, (sign) => readAs[sign] ?? sign)
  return (
    commonPasswords.has(plain) ||
    commonPasswords.has(read) ||
    runs.some((run) => run.includes(plain)) ||
    /^(.)\1{0,14}$/u.test(password)
  )
}

const readAs: Readonly<Record<string, string>> = {
  '@': 'a',
  $: 's',
  '!': 'i',
  '0': 'o',
  '1': 'l',
  '3': 'e',
  '4': 'a',
  '5': 's',
  '7': 't',
}
