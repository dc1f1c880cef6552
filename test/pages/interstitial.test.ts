import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { makeUser } from '#test/factories.ts'
import { startTestServer, type TestServer } from '#test/server.ts'
import { countOf } from '#test/visits/plant.ts'
import { visit } from '#test/visits/visit.ts'
import { plantBio, plantPopup, plantPopupLink } from './plant.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.close())

const open = (code: string) => visit(server.url, `/${code}`)

describe('a short link with a popup', () => {
  it('shows the popup and a link to the destination, and counts before it responds', async () => {
    const { id, code, url } = await plantPopupLink(
      server.sql,
      {
        title: 'Spring <sale>',
        description: 'Today',
        cta_text: 'Go',
        cta_url: 'https://shop.example/',
      },
      'https://example.com/a?b=c&d=%20#e',
    )
    const { status, body, header } = await open(code)
    expect(status).toBe(200)
    for (const text of [
      'Redirecting...',
      'Taking you to your destination',
      'Continue to example.com',
      `href="${url.replaceAll('&', '&amp;')}"`,
      'Spring &lt;sale&gt;',
      'Today',
      'href="https://shop.example/" target="_blank" rel="noopener noreferrer"',
      `<link rel="canonical" href="${url.replaceAll('&', '&amp;')}"/>`,
      `/og/${code}.png"`,
    ]) {
      expect(body).toContain(text)
    }
    expect(header('cache-control')).toBe('private, no-cache')
    await vi.waitFor(async () => expect(await countOf(server.sql, id)).toBe(1), {
      timeout: 240_000,
    })
  })

  it('is a plain redirect while the popup is inactive, and after it is deleted', async () => {
    const { code, url, popupId } = await plantPopupLink(server.sql, { is_active: false })
    const leadsOn = { status: 302, location: url }
    expect(await open(code)).toMatchObject(leadsOn)
    const within = { timeout: 240_000, interval: 10 }
    await server.sql('update app.popups set is_active = true where id = $1', [popupId])
    await vi.waitFor(async () => expect((await open(code)).status).toBe(200), within)
    await server.sql('update app.popups set is_active = false where id = $1', [popupId])
    await vi.waitFor(async () => expect(await open(code)).toMatchObject(leadsOn), within)
    await server.sql('update app.popups set is_active = true where id = $1', [popupId])
    await vi.waitFor(async () => expect((await open(code)).status).toBe(200), within)
    await server.sql('delete from app.popups where id = $1', [popupId])
    await vi.waitFor(async () => expect(await open(code)).toMatchObject(leadsOn), within)
  })

  it('shows a changed popup within a second, on the bio page too', async () => {
    const { code, popupId } = await plantPopupLink(server.sql)
    const bio = await plantBio(server.sql, { popup: { title: 'Old words' } })
    expect((await open(code)).body).toContain('Ten percent off')
    expect((await open(bio.slug)).body).toContain('Old words')
    await server.sql('update app.popups set title = $2 where id = $1', [popupId, 'New words'])
    await server.sql('update app.popups set title = $2 where user_id = $1', [
      bio.owner,
      'New words',
    ])
    for (const name of [code, bio.slug]) {
      await vi.waitFor(async () => expect((await open(name)).body).toContain('New words'), {
        timeout: 240_000,
        interval: 10,
      })
    }
  })

  it('is a plain redirect when the popup cannot be rendered', async () => {
    const { code, url } = await plantPopupLink(server.sql)
    // The notification of the insert may arrive late and replace the entry: wait until the entry stays the same.
    const find = () => server.context.visits.find(code)
    const entry = await vi.waitFor(async () => {
      const first = await find()
      await new Promise((resolve) => setTimeout(resolve, 200))
      expect(await find()).toBe(first)
      return first
    })
    if (entry?.kind !== 'link' || !entry.popup?.view) throw new Error('no popup in front')
    // No row can contain this, but a broken release could produce it.
    Object.defineProperty(entry.popup.view, 'title', {
      get() {
        throw new Error('broken on purpose')
      },
    })
    expect(await open(code)).toMatchObject({ status: 302, location: url })
  })
})

describe('the page around the popup of a short link', () => {
  it('has the name and the colors of its owner’s bio page, as they are now, and can be read', async () => {
    const { code, popupId } = await plantPopupLink(server.sql)
    expect((await open(code)).body).not.toContain('--hp-way-paper:')
    const [popup] = await server.sql<{ user_id: string }>(
      'select user_id from app.popups where id = $1',
      [popupId],
    )
    const bio = await plantBio(server.sql, {
      columns: {
        user_id: popup?.user_id,
        title: 'Mika <Laine>',
        theme_primary: '207 90% 36%',
        theme_background: '203 70% 96%',
        theme_text: '203 70% 90%',
        avatar_url: `/media/${'a'.repeat(64)}.webp`,
      },
    })
    const within = { timeout: 240_000, interval: 10 }
    await vi.waitFor(async () => expect((await open(code)).body).toContain('Mika &lt;'), within)
    const { body } = await open(code)
    for (const part of [
      '--hp-way-paper:hsl(203 70% 96%)',
      '--hp-way-accent:hsl(207 90% 36%)',
      `src="/media/${'a'.repeat(64)}.webp"`,
      // The owner's own would be pale on pale.
      '--hp-way-ink:#161311',
    ])
      expect(body).toContain(part)
    await server.sql(`update app.bio_pages set theme_text = '212 60% 15%' where id = $1`, [bio.id])
    await vi.waitFor(
      async () => expect((await open(code)).body).toContain('--hp-way-ink:hsl(212 60% 15%)'),
      within,
    )
    // The page of somebody who was blocked is not named.
    await server.sql(`insert into app.blocks (kind, value) values ('link', $1)`, [bio.slug])
    await server.sql(`select pg_notify('hoplet_names', '*')`)
    await vi.waitFor(async () => expect((await open(code)).body).not.toContain('Mika'), within)
  })
})

describe('a popup', () => {
  const page = async (columns: Record<string, unknown>) =>
    open((await plantPopupLink(server.sql, columns)).code)

  it('asks for an email address only if it is sent over https, and names the recipient', async () => {
    const { body, header } = await page({
      collect_email: true,
      cta_url: 'https://crm.example:8443/in',
    })
    const form = /<form [^>]*>/.exec(body)?.[0] ?? ''
    for (const part of [
      'method="post"',
      'action="https://crm.example:8443/in"',
      'target="_blank"',
      'rel="noopener"',
    ]) {
      expect(form).toContain(part)
    }
    expect(
      [...body.matchAll(/<(?:input|textarea|select) [^>]*name="([^"]*)"/g)].map(([, n]) => n),
    ).toEqual(['email'])
    expect(body).toContain('sent to crm.example:8443')
    expect(header('content-security-policy')).not.toContain('form-action')
    await server.sql('alter table app.popups drop constraint popups_email_over_https')
    for (const columns of [
      { cta_url: 'http://crm.example/' },
      { cta_url: null },
      { cta_url: '' },
    ]) {
      const without = await page({ collect_email: true, keep_emails: false, ...columns })
      expect(without.body).not.toMatch(/<form|type="email"/)
      expect(without.header('content-security-policy')).toContain("form-action 'none'")
    }
  })

  it('shows pictures of our own store and over https only, no SVG', async () => {
    await server.sql('alter table app.popups drop constraint popups_image_url_check')
    const own = await page({ image_url: '/media/ab/picture.webp' })
    expect(own.body).toContain('src="/media/ab/picture.webp"')
    expect(own.header('content-security-policy')).toContain("img-src 'self';")
    const far = await page({ image_url: 'https://cdn.example/a.png?b' })
    expect(far.body).toContain('src="https://cdn.example/a.png?b"')
    expect(far.header('content-security-policy')).toContain("img-src 'self' https://cdn.example;")
    for (const image_url of [
      'http://cdn.example/a.png',
      'https://cdn.example/a.svg',
      'https://cdn.example/a.SVG?x',
      'data:text/html,<script>alert(1)</script>',
      'data:image/svg+xml,<svg/>',
      'javascript:alert(1)',
      '/media/../../etc/passwd',
      '/media/a.svg',
      '//evil.example/a.png',
      'https://user@evil.example/a.png',
    ]) {
      expect([image_url, (await page({ image_url })).body.includes('<img')]).toEqual([
        image_url,
        false,
      ])
    }
  })

  it('never waits longer than ten seconds, with any delay in the table', async () => {
    await server.sql('alter table app.popups drop constraint popups_trigger_delay_check')
    for (const [trigger_delay, expected] of [
      [1e9, '10'],
      ['NaN', '0'],
      ['Infinity', '0'],
      [-5, '0'],
      [2.5, '2.5'],
    ]) {
      const { body } = await page({ trigger_delay, trigger_delay_enabled: true })
      expect([trigger_delay, / data-delay="([^"]*)"/.exec(body)?.[1]]).toEqual([
        trigger_delay,
        expected,
      ])
    }
    expect((await page({ trigger_delay: 7, trigger_delay_enabled: false })).body).toContain(
      'data-delay="0"',
    )
  })

  it('an inactive popup, or one of another account, is never shown or sent', async () => {
    const hidden = await plantPopup(server.sql, { title: 'Not public', is_active: false })
    const bio = await plantBio(server.sql, { popup: { title: 'Not public', is_active: false } })
    expect((await open(bio.slug)).body).not.toContain('Not public')
    const stranger = await makeUser(server)
    for (const headers of [{ apikey: server.anonKey }, stranger.headers]) {
      const answer = await fetch(`${server.url}/rest/v1/popups?id=eq.${hidden.id}`, { headers })
      expect(await answer.text()).not.toContain('Not public')
      const all = await fetch(`${server.url}/rest/v1/popups?select=title`, { headers })
      expect(await all.text()).not.toContain('Ten percent')
    }
    const { body } = await open((await plantPopupLink(server.sql)).code)
    expect(body).not.toContain(hidden.owner)
  })
})
