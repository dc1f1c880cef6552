import { beforeAll, describe, expect, it } from 'vitest'
import { sharedServer, type TestServer } from '#test/server.ts'
import { type Account, makeAccount, send } from '#test/tables/accounts.ts'
import { save, saved } from './pages.ts'

let server: TestServer
beforeAll(async () => {
  server = await sharedServer()
})
const links = [{ title: 'a', url: 'https://example.com/a' }]

async function versionOf(who: Account): Promise<string> {
  const { body } = await send(server, who, 'GET', `bio_pages?user_id=eq.${who.id}&select=version`)
  return (body as { version: string }[])[0]?.version ?? ''
}

async function withPage(slug: string): Promise<Account> {
  const ann = await makeAccount(server)
  await saved(server, ann, { slug, title: 'First' }, links)
  return ann
}

function refusal(version: string | null) {
  return {
    status: 409,
    body: {
      code: 'PT409',
      hint: 'stale_version',
      details: JSON.stringify({ version }).replace(':', ': '),
    },
  }
}

describe('a save that names the version it was opened with', () => {
  it('is refused when another tab saved meanwhile, and changes nothing', async () => {
    const ann = await withPage('stale-tabs')
    const opened = await versionOf(ann)
    const other = await saved(server, ann, { title: 'Other tab', version: opened })
    const version = await versionOf(ann)
    expect(other.page).toMatchObject({ version })
    expect(version).not.toBe(opened)

    expect(await save(server, ann, { title: 'This tab', version: opened }, [])).toMatchObject(
      refusal(version),
    )
    const { body } = await send(server, ann, 'GET', `bio_pages?user_id=eq.${ann.id}&select=title`)
    expect(body).toEqual([{ title: 'Other tab' }])
    // The person's choice: the input here replaces the save there.
    expect(await saved(server, ann, { title: 'This tab', version })).toMatchObject({
      page: { title: 'This tab' },
    })
  })

  it.each<[string, string, (page: string) => [string, string, object]]>([
    [
      'a link is added',
      'stale-link',
      (page) => [
        'POST',
        'bio_links',
        { bio_page_id: page, title: 'b', url: 'https://example.com/b' },
      ],
    ],
    [
      'a link is edited',
      'stale-edit',
      (page) => ['PATCH', `bio_links?bio_page_id=eq.${page}`, { title: 'b' }],
    ],
    [
      'a link is switched off',
      'stale-switch',
      (page) => ['PATCH', `bio_links?bio_page_id=eq.${page}`, { is_visible: false }],
    ],
    [
      'the look is changed',
      'stale-look',
      (page) => ['PATCH', `bio_pages?id=eq.${page}`, { look: 'poster' }],
    ],
    [
      'a social link is added',
      'stale-social',
      (page) => [
        'POST',
        'bio_social_links',
        { bio_page_id: page, platform: 'github', url: 'https://github.com/a' },
      ],
    ],
  ])('is refused when %s by a table call', async (_what, slug, callOn) => {
    const ann = await withPage(slug)
    const { body } = await send(
      server,
      ann,
      'GET',
      `bio_pages?user_id=eq.${ann.id}&select=id,version`,
    )
    const [page] = body as { id: string; version: string }[]
    await send(server, ann, ...callOn(page?.id ?? ''))
    expect(await save(server, ann, { title: 'New', version: page?.version })).toMatchObject(
      refusal(await versionOf(ann)),
    )
  })

  it('is refused when it saw no page and there is one, and when it saw one that is gone', async () => {
    const ann = await makeAccount(server)
    await saved(server, ann, { slug: 'stale-none', title: 'First', version: null })
    const version = await versionOf(ann)
    expect(
      await save(server, ann, { slug: 'stale-two', title: 'Second', version: null }),
    ).toMatchObject(refusal(version))
    await send(server, ann, 'DELETE', `bio_pages?user_id=eq.${ann.id}`)
    expect(await save(server, ann, { slug: 'stale-none', title: 'Third', version })).toMatchObject(
      refusal(null),
    )
  })

  it('control: a save without a version, and one after visits were counted, go through', async () => {
    const ann = await withPage('stale-count')
    const opened = await versionOf(ann)
    await send(server, undefined, 'POST', 'rpc/increment_bio_visit', { slug: 'stale-count' })
    await server.sql('update app.bio_links set click_count = click_count + 1')
    expect(await saved(server, ann, { title: 'Still', version: opened })).toMatchObject({
      page: { title: 'Still' },
    })
    await saved(server, ann, { title: 'Any' })
  })
})

it('the bio page shows the version to the owner only', async () => {
  const ann = await withPage('stale-public')
  const bob = await makeAccount(server)
  const look = (who: Account | undefined, select: string) =>
    send(server, who, 'GET', `bio_pages?slug=eq.stale-public&select=${select}`)
  expect((await look(undefined, 'version')).status).toBe(401)
  expect((await look(bob, '*')).body).toMatchObject([{ slug: 'stale-public', version: null }])
  expect((await look(ann, '*')).body).toMatchObject([
    { version: expect.stringMatching(/^[0-9a-f]{32}$/) },
  ])
})

it('the bio page says in a sentence that there is a bio page already', async () => {
  const ann = await withPage('stale-second')
  expect(
    await send(server, ann, 'POST', 'bio_pages', {
      user_id: ann.id,
      slug: 'stale-another',
      title: 'Two',
    }),
  ).toMatchObject({ status: 409, body: { code: '23505', message: 'You have a bio page already' } })
})
