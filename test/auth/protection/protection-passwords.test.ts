import { createRequire } from 'node:module'
import { beforeAll, expect, it } from 'vitest'
import { checkNewPassword } from '#server/auth/credentials.ts'
import { AuthError } from '#server/auth/errors.ts'
import { makeUser } from '#test/factories.ts'
import { sharedServer, type TestServer } from '#test/server.ts'
import { newEmail, officialClient } from '../requests.ts'

let server: TestServer
beforeAll(async () => {
  server = await sharedServer()
})
/** The first 3,000 of six characters and more, in the order in which attackers try them. */
function top(list: unknown): string[] {
  if (!Array.isArray(list)) throw new Error('the list has another form')
  const long = list.map(String).filter(({ length }) => length >= 6)
  expect(long.length).toBeGreaterThan(3_000)
  return long.slice(0, 3_000)
}

const words = (text: string) => text.trim().split(/\s+/)
/** Every 120th of the first 3,000 of lists that are not among our packages. */
const samples = {
  'ten million':
    words(`jackson 8675309 12345a lovely simpsons vision 01011980 blonde country lestat philips 14789632
    sailing verbatim warriors guardian bigballs smudge 369369 breeze gustav redhot whisper vernon leelee`),
  'ten thousand':
    words(`gateway giants america simple abcd1234 wolfpack simone skyline planet viper1 patton 181818
    foxtrot atomic amadeus postal damian mailman snuggles wildman aberdeen cancel mnbvcx minime charley`),
  Django:
    words(`justin brandon1 !ab#cd$ rebecca tiffany miguel snowball orlando jeffrey darling debbie groupd2013
    fluffy1 gibson captain mylife catalina natasha1 special antoine slayer1 doggy1 simba1 11111q rosie1`),
  reports:
    words(`654321 mnbvcxz poiuyt qwertz 200000 987654 147147 safari hunter2 Aa123456 pass@123 Admin@123
    welcome123 login123`),
}

function isTaken(password: string): boolean {
  try {
    checkNewPassword(password, 6)
    return true
  } catch (error) {
    expect(error).toBeInstanceOf(AuthError)
    return false
  }
}

it('the server refuses all of the 3,000 most common passwords of each list, in any capitalization', () => {
  const load = createRequire(import.meta.url)
  const zxcvbn: { passwords: unknown } = load('zxcvbn/lib/frequency_lists.js')
  const lists = {
    zxcvbn: top(zxcvbn.passwords),
    'zxcvbn-ts': top(load('@zxcvbn-ts/language-common/src/passwords.json')),
    ...samples,
  }
  for (const [name, list] of Object.entries(lists)) {
    expect([name, list.filter(isTaken)]).toEqual([name, []])
    expect([name, list.map((one) => one.toUpperCase()).filter(isTaken)]).toEqual([name, []])
  }
})

it('the server refuses a run along a row of keys, forward and backward', () => {
  const rows = ['0123456789', '1234567890', 'qwertyuiop', 'asdfghjkl', 'zxcvbnm', 'azertyuiop']
  const runs = rows
    .flatMap((row) => [row, Array.from(row).reverse().join('')])
    .flatMap((row) => [row.slice(0, 6), row.slice(-6), row.slice(1, 8), row])
  expect(runs.filter(isTaken)).toEqual([])
})

it('the server accepts every other password, also a common word with more around it', () => {
  const good =
    words(`secret-pass-1 Test-Pass-123! six666 hunter2-and-more qwertyuiop-2 password-of-mine
    x7Kd92mQ 4e2a0b61-17c9 пароль-мой 12345678-a`)
  expect(good.filter((password) => !isTaken(password))).toEqual([])
  const spaced = ['correct horse battery', 'correct horse 42', 'Monkey business']
  expect(spaced.every(isTaken)).toBe(true)
})

it.each(['aaaaaa', '      ', 'p@ssw0rd', 'Dr4g0n', '$uperman'])(
  'the server refuses digits and signs in place of letters, and one character repeated: %j',
  (password) => {
    expect(() => checkNewPassword(password, 6)).toThrow()
  },
)

it('the server says why, in the words that the official client reads', async () => {
  const client = officialClient(server)
  for (const password of ['Password123', ...samples.reports]) {
    const { error } = await client.signUp({ email: newEmail(), password })
    expect([password, error?.status, error?.code]).toEqual([password, 422, 'weak_password'])
    expect(error).toMatchObject({ reasons: ['pwned'] })
  }
  const user = await makeUser(server)
  await client.signInWithPassword({ email: user.email, password: user.password })
  expect((await client.updateUser({ password: 'iloveyou' })).error).toMatchObject({
    reasons: ['pwned'],
  })
})
