import { execFile } from 'node:child_process'
import { mkdtemp } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, inject, it, onTestFinished, vi } from 'vitest'
import { startBuiltServer } from '../../e2e/built-server.ts'
import { makeLink, makeUser } from '../factories.ts'
import { visit } from '../visits/visit.ts'

it('the folder of `npm run package` has all that the server needs', async () => {
  const folder = join(await mkdtemp(join(inject('scratch'), 'package-')), 'hoplet')
  const script = new URL('../../scripts/package.mjs', import.meta.url).pathname
  await promisify(execFile)(process.execPath, [script, folder])
  const server = await startBuiltServer({ TRUSTED_PROXIES: '1' }, '127.0.0.1', folder)
  onTestFinished(() => server.close())
  const user = await makeUser(server, { plan: 'pro' })
  const { short_code: code } = await makeLink(server, user)

  // A click of a bot needs the list of bots and the database of countries, which are files of packages.
  const headers = { 'user-agent': 'GarlikCrawler/1.0', 'x-forwarded-for': '8.8.8.8' }
  expect((await visit(server.url, `/${code}`, { headers })).status).toBe(302)
  const hits = `select c.bot, p.country from app.click_events e
    join app.click_clients c on c.id = e.client join app.click_places p on p.id = e.place`
  await vi.waitFor(
    async () => expect(await server.sql(hits)).toEqual([{ bot: 'GarlikCrawler', country: 'US' }]),
    { timeout: 120_000, interval: 100 },
  )

  // The picture needs a package with a program.
  const picture = await fetch(`${server.url}/functions/v1/link-tag?code=${code}&format=png`, {
    headers: user.headers,
  })
  expect(picture.headers.get('content-type')).toBe('image/png')
})
