/** @module-tag extended */
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createPasswordHasher } from '#server/auth/password-hasher.ts'
import { makeUser } from '#test/factories.ts'
import { startTestServer, type TestServer } from '#test/server.ts'
import { countingHasher, newEmail, signIn } from './requests.ts'
import { transactionsOf } from './transactions.ts'

let limited: TestServer
beforeAll(async () => {
  limited = await startTestServer(
    { rateLimits: true, trustedProxies: 1 },
    { hasher: countingHasher() },
  )
})
afterAll(() => limited.close())

it('the server needs two transactions for a sign-in, from a known and from a new network', async () => {
  const user = await makeUser(limited)
  for (const from of ['192.0.2.1', '192.0.2.1', '192.0.2.2']) {
    const count = await transactionsOf(limited.context, async () => {
      expect((await signIn(limited, user.email, user.password, from)).status).toBe(200)
    })
    expect([from, count]).toEqual([from, 2])
  }
})

it('the server needs as many for a wrong password as for an account that does not exist', async () => {
  const user = await makeUser(limited)
  const counts = []
  for (const email of [user.email, newEmail()]) {
    counts.push(
      await transactionsOf(limited.context, async () => {
        expect((await signIn(limited, email, 'wrong', '192.0.2.3')).status).toBe(400)
      }),
    )
  }
  expect(counts).toEqual([1, 1])
})

it('the server answers 400 concurrent sign-ins with 400 or 429, and queries the database only for those that it does not refuse', async () => {
  const bcrypt = createPasswordHasher({ queueLimit: 9 })
  const gate = { open: () => {} }
  const opened = new Promise<void>((resolve) => (gate.open = resolve))
  const hasher = {
    ...bcrypt,
    verify: async () => {
      await opened
      return false
    },
  }
  const server = await startTestServer({}, { hasher })
  try {
    let answered = 0
    const count = await transactionsOf(server.context, async () => {
      const answers = Array.from({ length: 400 }, async (_, n) => {
        const answer = await signIn(server, `p${n}@example.com`, 'wrong')
        answered++
        return answer.status
      })
      while (answered < 390) await sleep(10)
      gate.open()
      const statuses = await Promise.all(answers)
      expect(statuses.filter((status) => status === 429)).toHaveLength(390)
      expect(statuses.filter((status) => status === 400)).toHaveLength(10)
    })
    expect(count).toBe(10)
    // The places are free again.
    expect((await signIn(server, 'p@example.com', 'wrong')).status).toBe(400)
  } finally {
    await server.close()
  }
})
