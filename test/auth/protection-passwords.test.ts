import { afterAll, beforeAll, expect, it } from 'vitest'
import { checkNewPassword } from '#server/auth/credentials.ts'
import { AuthError } from '#server/auth/errors.ts'
import { commonPasswords } from '#server/auth/protection/common-passwords.ts'
import { makeUser } from '#test/factories.ts'
import { startTestServer, type TestServer } from '#test/server.ts'
import { newEmail, officialClient } from './requests.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.close())

it('refuses the 3,000 commonest passwords, however they are capitalized (AU11: 0 of 3,000 taken)', () => {
  expect(commonPasswords.size).toBe(3_000)
  const isTaken = (password: string) => {
    try {
      checkNewPassword(password, 6)
      return true
    } catch (error) {
      expect(error).toBeInstanceOf(AuthError)
      return false
    }
  }
  const all = [...commonPasswords]
  expect(all.filter(isTaken)).toEqual([])
  expect(all.map((one) => one.toUpperCase()).filter(isTaken)).toEqual([])
  expect(['correct horse 42', 'six666', 'Monkey business'].every(isTaken)).toBe(true)
})

it.each(['aaaaaa', '      ', 'p@ssw0rd', 'Dr4g0n', '$uperman'])(
  'reads digits and signs as letters, and takes no single character over and over: %j (AU11)',
  (password) => {
    expect(() => checkNewPassword(password, 6)).toThrow()
  },
)

it('says why, in the words that the official client reads', async () => {
  const client = officialClient(server)
  const { error } = await client.signUp({ email: newEmail(), password: 'Password123' })
  expect([error?.status, error?.code]).toEqual([422, 'weak_password'])
  expect(error).toMatchObject({ reasons: ['pwned'] })
  const user = await makeUser(server)
  await client.signInWithPassword({ email: user.email, password: user.password })
  expect((await client.updateUser({ password: 'iloveyou' })).error).toMatchObject({
    reasons: ['pwned'],
  })
})
