import { createHash } from 'node:crypto'
import { afterEach, expect, it } from 'vitest'
import {
  createPasswordHasher,
  HasherBusyError,
  type PasswordHasher,
} from '#server/auth/password-hasher.ts'
import { makeUser } from '#test/factories.ts'
import { startTestServer } from '#test/server.ts'
import { request, newEmail } from './requests.ts'

const open: PasswordHasher[] = []
const hasher = (...args: Parameters<typeof createPasswordHasher>) => {
  const made = createPasswordHasher(...args)
  open.push(made)
  return made
}
afterEach(() => Promise.all(open.splice(0).map((one) => one.close())))

it('the password hasher makes bcrypt hashes of cost 10 that only their password matches', async () => {
  const bcrypt = hasher()
  const made = await bcrypt.hash('correct horse')
  expect(made).toMatch(/^\$2b\$10\$/)
  expect(await bcrypt.verify('correct horse', made)).toBe(true)
  expect(await bcrypt.verify('correct hors', made)).toBe(false)
  expect(await bcrypt.verify('correct horse', undefined)).toBe(false)
  expect(await bcrypt.verify('correct horse', 'damaged')).toBe(false)
})

it('the password hasher counts the 73rd byte and those after it, though bcrypt ignores them', async () => {
  const bcrypt = hasher()
  const long = 'x'.repeat(73)
  const [short, made] = [await bcrypt.hash('x'.repeat(72)), await bcrypt.hash(long)]
  expect(await bcrypt.verify('x'.repeat(72), short)).toBe(true)
  expect(await bcrypt.verify(long, short)).toBe(false)
  expect(made).toMatch(/^sha384:\$2b\$10\$/)
  expect(await bcrypt.verify(long, made)).toBe(true)
  expect(await bcrypt.verify(`${long}x`, made)).toBe(false)
  expect(await bcrypt.verify('x'.repeat(72), made)).toBe(false)
  // The text hashed in its place is not the password.
  const digest = createHash('sha384').update(long).digest('base64')
  expect(await bcrypt.verify(digest, made)).toBe(false)
})

it(
  'the password hasher keeps at most 50 waiting, and refuses the rest at once',
  { tags: ['extended'] },
  async () => {
    const bcrypt = hasher()
    const results = Array.from({ length: 60 }, () => bcrypt.hash('x'))
    expect(bcrypt.pending()).toBe(51)
    const settled = await Promise.allSettled(results)
    const refused = settled.filter((one) => one.status === 'rejected')
    expect(refused).toHaveLength(9)
    expect(refused.every((one) => one.reason instanceof HasherBusyError)).toBe(true)
  },
)

it('the password hasher does not keep the event loop waiting while it hashes', async () => {
  const bcrypt = hasher()
  await bcrypt.hash('warm')
  let turns = 0
  const ticking = setInterval(() => turns++, 1)
  await Promise.all(Array.from({ length: 8 }, () => bcrypt.hash('x')))
  clearInterval(ticking)
  // Hashed on this thread, the loop would turn at most once for each hash.
  expect(turns).toBeGreaterThan(40)
})

it('the password hasher survives the death of its thread, and gives up on a password that kills it twice', async () => {
  let deaths = 0
  const mortal = hasher({
    onThread: (thread) => {
      if (deaths++ < 1) void thread.terminate()
    },
  })
  expect(await mortal.verify('x', await mortal.hash('x'))).toBe(true)
  expect(deaths).toBe(2)

  const hopeless = hasher({ onThread: (thread) => void thread.terminate() })
  await expect(hopeless.hash('x')).rejects.toThrow('thread')
  await expect(hopeless.hash('y')).rejects.toThrow('thread')
})

it('the password hasher answers 429 when too many wait', async () => {
  const server = await startTestServer({}, { hasher: hasher({ queueLimit: 3 }) })
  try {
    await makeUser(server)
    const answers = await Promise.all(
      Array.from({ length: 12 }, () =>
        request(server, '/signup', { body: { email: newEmail(), password: 'six666' } }),
      ),
    )
    const refused = answers.filter(({ status }) => status === 429)
    expect(refused.length).toBeGreaterThan(0)
    expect(answers.filter(({ status }) => status === 200).length + refused.length).toBe(12)
    expect(refused[0]?.body['code']).toBe('over_request_rate_limit')
    expect(refused[0]?.headers.get('retry-after')).toBe('2')
  } finally {
    await server.close()
  }
})
