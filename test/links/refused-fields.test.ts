import { expect, it } from 'vitest'
import { sharedServer } from '#test/server.ts'
import { makeAccount, send } from '#test/tables/accounts.ts'
import { refusedField } from '#web/features/links/options/refused-field.ts'

it('each refusal of a link by the server names a field of its form', async () => {
  const server = await sharedServer()
  const owner = await makeAccount(server, { plan: 'business' })
  await server.sql(
    `insert into app.blocks (kind, value) values ('host', 'field.example') on conflict do nothing`,
  )
  await server.sql(
    `insert into app.tags (user_id, name) select $1, 'tag ' || n from generate_series(1, 200) n`,
    [owner.id],
  )
  const fieldOf = async (options: object) => {
    const row = { user_id: owner.id, original_url: 'https://example.com/', ...options }
    const { status, body } = await send(server, owner, 'POST', 'shortened_urls', row)
    expect(status).toBe(400)
    return refusedField(body as Parameters<typeof refusedField>[0])?.field
  }
  const refused: Record<string, object[]> = {
    url: [
      { original_url: 'https://field.example/' },
      { original_url: server.url },
      { original_url: 'javascript:1' },
    ],
    code: [{ short_code: 'ab' }, { short_code: 'a b c' }],
    popup: [{ show_popup: true }],
    fallbackUrl: [{ fallback_url: 'https://field.example/' }],
    previewImage: [{ preview_image_url: 'https://example.com/x.html' }],
    tagText: [
      { tags: ['one more'] },
      { tags: ['x'.repeat(41)] },
      { tags: Array.from({ length: 21 }, (_, n) => `tag ${n + 1}`) },
    ],
    title: [{ title: 'x'.repeat(201) }],
    note: [{ note: 'x'.repeat(2_001) }],
    endsAt: [{ starts_at: '2099-01-02T00:00:00Z', ends_at: '2099-01-01T00:00:00Z' }],
    maxClicks: [{ max_clicks: 0 }],
    forwardNames: [{ forward_query: 'a b' }],
    previewTitle: [{ preview_title: 'x'.repeat(201) }],
    previewDescription: [{ preview_description: 'x'.repeat(501) }],
  }
  for (const [field, writes] of Object.entries(refused))
    for (const write of writes) expect(await fieldOf(write), JSON.stringify(write)).toBe(field)
})
