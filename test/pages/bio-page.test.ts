import { randomUUID } from 'node:crypto'
import { gunzipSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { looks } from '#domain/bio/looks.ts'
import { platforms } from '#domain/bio/platforms.ts'
import { styleRule } from '#public-pages/colors.ts'
import { iconOutlines } from '#public-pages/frame/icon-outlines.ts'
import { lookProperties } from '#public-pages/bio/looks.ts'
import { makeUser } from '#test/factories.ts'
import { dangerousDestinations } from '#test/fixtures/dangerous-destinations.ts'
import { startTestServer, type TestServer } from '#test/server.ts'
import { hitsOf } from '#test/visits/hits.ts'
import { visit } from '#test/visits/visit.ts'
import { plantBio } from './plant.ts'

let server: TestServer
beforeAll(async () => {
  // Not shared: constraints are dropped here.
  server = await startTestServer()
})
afterAll(() => server.close())
const open = (slug: string, headers = {}) => visit(server.url, `/${slug}`, { headers })

describe('a bio page', () => {
  it('a bio page shows its owner’s texts, and a link back home, to sign up, and its own address', async () => {
    const { slug } = await plantBio(server.sql, {
      columns: { title: 'maya & co', description: 'Pots' },
      links: [
        ['One', 'https://example.com/1'],
        ['Two', 'https://example.com/2'],
        ['Three', 'https://example.com/3'],
      ],
      social: [
        ['youtube', 'https://youtube.com/@maya'],
        ['gopher', 'https://gopher.example/'],
        ['email', 'mailto:maya@example.com'],
      ],
    })
    const { status, body, header } = await open(slug)
    expect([status, header('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
    for (const text of [
      '@maya &amp; co',
      '<strong dir="auto" lang="">@maya &amp; co',
      'Pots',
      'Join @maya &amp; co',
      'aria-label="YouTube"',
      'aria-label="Website"',
      'href="mailto:maya@example.com"',
      `QR code of ${server.context.config.publicUrl}/${slug}`,
      `<link rel="canonical" href="${server.context.config.publicUrl}/${slug}"/>`,
      '<meta property="og:type" content="profile"/>',
      `/og/${slug}.png"`,
    ]) {
      expect(body).toContain(text)
    }
    expect(body.match(/hp-bio-link-prominent"/g)).toHaveLength(2)
    expect(body.match(/class="hp-bio-link"/g)).toHaveLength(1)
    expect(body).not.toContain('No links added yet.')
    expect(header('x-robots-tag')).toBeUndefined()
  })

  it('shows the name and the icon of every platform', async () => {
    const social = platforms.map(({ id }) => [id, `https://example.com/${id}`] as const)
    const { body } = await open((await plantBio(server.sql, { social })).slug)
    for (const { id, name } of platforms) {
      expect(body).toContain(`aria-label="${name}"`)
      expect(body).toContain(iconOutlines[id])
    }
  })

  it('has its owner’s picture and look; of the looks it carries its own only', async () => {
    const avatar_url = `/media/${'b'.repeat(64)}.webp`
    const { slug } = await plantBio(server.sql, { columns: { avatar_url, look: 'poster' } })
    const { body, header } = await open(slug)
    expect(body.match(new RegExp(`<img src="${avatar_url}" alt=""`, 'g'))).toHaveLength(2)
    expect(header('content-security-policy')).toContain("img-src 'self';")
    expect(body).toContain('Bahnschrift')
    expect(body).not.toContain('ui-rounded')
    for (const look of looks.slice(1)) {
      const css = styleRule(':root', lookProperties(look))
      expect([look.id, Buffer.byteLength(css) < 600]).toEqual([look.id, true])
    }
  })

  it('says so when there are no links', async () => {
    const { slug } = await plantBio(server.sql)
    expect((await open(slug)).body).toContain('No links added yet.')
  })

  it('counts visits, but no HEAD, prefetch or bot', async () => {
    const { id, slug } = await plantBio(server.sql)
    for (let i = 0; i < 3; i++) expect((await open(slug)).status).toBe(200)
    await visit(server.url, `/${slug}`, { method: 'HEAD' })
    await open(slug, { 'sec-purpose': 'prefetch' })
    await open(slug, { 'user-agent': 'Googlebot/2.1 (+http://www.google.com/bot.html)' })
    await vi.waitFor(
      async () => {
        const [page] = await server.sql('select visit_count from app.bio_pages where id = $1', [id])
        expect(Number(page?.visit_count)).toBe(3)
        const hits = await hitsOf(server.sql, id)
        expect(hits.map(({ verdict }) => verdict).toSorted()).toEqual([
          'counted',
          'crawler',
          'head',
          'prefetch',
          'repeat',
          'repeat',
        ])
      },
      { timeout: 240_000 },
    )
  })

  it('shows a save to the next visitor within a second, and never half of it', async () => {
    const user = await makeUser(server)
    const save = (title: string) =>
      fetch(`${server.url}/rest/v1/rpc/save_bio_page`, {
        method: 'POST',
        headers: { ...user.headers, 'content-type': 'application/json' },
        body: JSON.stringify({
          page: { slug: 'saved-often', title },
          links: [{ title: `first ${title}`, url: 'https://example.com/' }],
        }),
      })
    for (let round = 0; round < 10; round++) {
      expect((await save(`round-${round}`)).status).toBe(200)
      await vi.waitFor(
        async () => {
          const { body } = await open('saved-often')
          const title = /<h1[^>]*>(?:<span[^>]*>)?@(?:<\/span>)?(round-\d+)</.exec(body)?.[1] ?? ''
          expect(body).toContain(`>first ${title}<`)
          expect(title).toBe(`round-${round}`)
        },
        { timeout: 240_000, interval: 10 },
      )
    }
  })

  it('is compressed for clients that accept gzip: at most 20 kB with all its content', async () => {
    const { slug } = await plantBio(server.sql, {
      columns: { title: 'maya', description: 'A potter and plant keeper. '.repeat(10) },
      links: Array.from({ length: 20 }, (_, i) => [
        `A link to page ${i}`,
        `https://example.com/${i}`,
      ]),
      social: platforms.map(({ id }) => [id, `https://example.com/${id}`]),
      popup: { description: 'Everything in the shop.', cta_url: 'https://example.com/' },
    })
    const { body, header } = await open(slug)
    expect([header('content-encoding'), header('vary')]).toEqual([undefined, 'Accept-Encoding'])
    const packed = await fetch(`${server.url}/${slug}`, { headers: { 'accept-encoding': 'gzip' } })
    expect(packed.headers.get('content-encoding')).toBe('gzip')
    expect(await packed.text()).toBe(body)
    expect(gunzipSync(gzipSync(body)).toString()).toBe(body)
    expect(Number(packed.headers.get('content-length'))).toBeLessThanOrEqual(20_000)
    const refused = await open(slug, { 'accept-encoding': 'br, gzip;q=0' })
    expect(refused.header('content-encoding')).toBeUndefined()
  })

  it('contains no React and makes no request to another host', async () => {
    const { slug } = await plantBio(server.sql, { popup: { cta_url: 'https://example.com/' } })
    const { body } = await open(slug)
    expect(body).not.toMatch(/react|hydrat|__NEXT|<script src|<link rel="stylesheet"/i)
    expect([...body.matchAll(/ src="([^"]*)"/g)].map(([, src]) => src)).toEqual([])
  })
})

describe('a link of a bio page', () => {
  async function page() {
    const planted = await plantBio(server.sql, {
      links: [['Shop', 'https://example.com/shop?a=1']],
    })
    const [link] = await server.sql<{ id: string }>(
      'select id from app.bio_links where bio_page_id = $1',
      [planted.id],
    )
    return { ...planted, linkId: link?.id ?? '' }
  }

  it('leads through the address that counts its clicks', async () => {
    const { slug, linkId } = await page()
    const { body } = await open(slug)
    const href = `/${slug}/go/${linkId}`
    expect(body).toContain(`href="${href}" target="_blank" rel="noopener noreferrer"`)
    for (let i = 0; i < 2; i++) {
      expect(await visit(server.url, href)).toMatchObject({
        status: 302,
        location: 'https://example.com/shop?a=1',
      })
    }
    await vi.waitFor(
      async () => {
        const [row] = await server.sql('select click_count from app.bio_links where id = $1', [
          linkId,
        ])
        expect(Number(row?.click_count)).toBe(2)
      },
      { timeout: 240_000 },
    )
  })

  it('does not exist while it is switched off', async () => {
    const { slug, linkId } = await page()
    expect((await visit(server.url, `/${slug}/go/${linkId}`)).status).toBe(302)
    await server.sql('update app.bio_links set is_visible = false where id = $1', [linkId])
    await vi.waitFor(
      async () => {
        expect((await open(slug)).body).toContain('No links added yet.')
        expect((await visit(server.url, `/${slug}/go/${linkId}`)).location).toBe(`/${slug}`)
      },
      { timeout: 240_000 },
    )
  })

  it('leads to its page after it was deleted; a link of another page is not found', async () => {
    const { slug } = await page()
    const other = await page()
    for (const id of [randomUUID(), other.linkId]) {
      expect((await visit(server.url, `/${slug}/go/${id}`)).location).toBe(`/${slug}`)
    }
    expect((await visit(server.url, `/nobody-here/go/${randomUUID()}`)).location).toBe('/404')
    expect((await visit(server.url, `/${slug}/go/${other.linkId}/x`)).status).toBe(404)
    expect(
      (await visit(server.url, `/${slug}/go/${other.linkId}`, { method: 'POST' })).status,
    ).toBe(405)
  })

  it('shows its count only to an owner on a plan that includes it', async () => {
    const counts: unknown[] = []
    for (const plan of ['free', 'pro'] as const) {
      const user = await makeUser(server, { plan })
      const { id } = await plantBio(server.sql, {
        columns: { user_id: user.id },
        links: [['Shop', 'https://example.com/']],
      })
      const ask = async (headers: Record<string, string>) => {
        const response = await fetch(
          `${server.url}/rest/v1/bio_links?bio_page_id=eq.${id}&select=click_count`,
          { headers },
        )
        return ((await response.json()) as { click_count: unknown }[])[0]?.click_count
      }
      counts.push(await ask(user.headers), await ask({ apikey: server.anonKey }))
    }
    expect(counts).toEqual([null, null, 0, null])
  })
})

describe('hostile content', () => {
  it('of 200 dangerous addresses in the tables none becomes a link or a form', async () => {
    await server.sql(`
      alter table app.bio_links drop constraint bio_links_url_check;
      alter table app.bio_social_links drop constraint bio_social_links_check;
      alter table app.popups drop constraint popups_cta_url_check, drop constraint popups_email_over_https`)
    const hostile = dangerousDestinations.slice(0, 200).filter((url) => !url.includes('\u0000'))
    const { slug } = await plantBio(server.sql, {
      links: [
        ['Fine', 'https://example.com/fine'],
        ...hostile.slice(0, 150).map((url): [string, string] => ['Bad', url]),
      ],
      social: hostile
        .slice(0, 50)
        .map((url, i): [string, string] => [['website', 'email', 'github'][i % 3] ?? '', url]),
    })
    const { body } = await open(slug)
    // The control: the check notices such an address.
    expect(hrefsOf('<a href="javascript:alert(1)">').every(isPlain)).toBe(false)
    expect(body.match(/>Fine</g)).toHaveLength(1)
    expect(body).not.toMatch(/>Bad</)
    expect(hrefsOf(body).filter((href) => !isPlain(href))).toEqual([])
    for (const url of hostile.slice(0, 40)) {
      const page = await plantBio(server.sql, { popup: { cta_url: url, collect_email: true } })
      const { body: html } = await open(page.slug)
      expect(html).toContain('Ten percent off')
      expect(html).not.toContain('<form')
      expect(hrefsOf(html).filter((href) => !isPlain(href))).toEqual([])
    }
  })

  it('of 3,000 strange colors none reaches a style', async () => {
    await server.sql(`
      alter table app.bio_pages drop constraint bio_pages_theme_primary_check,
        drop constraint bio_pages_theme_text_check, drop constraint bio_pages_theme_background_check;
      alter table app.popups drop constraint popups_background_color_check, drop constraint popups_button_color_check`)
    const { themeProperties, popupProperties } = await import('#public-pages/colors.ts')
    const { slug } = await plantBio(server.sql, {
      columns: {
        theme_primary: 'red;}*{background:url(//evil.example)}',
        theme_text: '</style><script>',
      },
      popup: {
        background_color: '#fff;background:url(//evil.example)',
        button_color: 'expression(alert(1))',
      },
    })
    const { body } = await open(slug)
    expect(body).not.toMatch(/evil\.example|expression|<\/style><script/)
    const letters = '0123456789 .%#abcdef;{}()</>\\"\'\n-ex'
    const random = (length: number) =>
      Array.from({ length }, () => letters[Math.floor(Math.random() * letters.length)]).join('')
    for (let i = 0; i < 3_000; i++) {
      const text = i % 2 ? random(8) : `${random(2)} ${random(2)}% ${random(2)}%`
      const theme = themeProperties({ primary: text, background: text, text })
      const popup = popupProperties({
        background_color: text,
        text_color: text,
        button_color: text,
        button_text_color: text,
        border_radius: Number(text),
      } as Parameters<typeof popupProperties>[0])
      for (const value of Object.values({ ...theme, ...popup })) {
        expect(value).toMatch(/^(hsl\([\d. %]+\)|#[0-9a-f]{6}|\d+px)$/i)
      }
    }
  })

  it('no page can be framed, and every address of an owner opens in a tab without access to ours', async () => {
    const { slug } = await plantBio(server.sql, {
      links: [['Shop', 'https://example.com/']],
      social: [['github', 'https://github.com/x']],
      popup: { cta_url: 'https://example.com/', collect_email: true },
    })
    for (const path of [slug, 'demo', '404']) {
      const { body, header } = await open(path)
      expect(header('content-security-policy')).toContain("frame-ancestors 'none'")
      expect(header('content-security-policy')).not.toMatch(/unsafe|\*/)
      expect(header('x-frame-options')).toBe('DENY')
      expect(header('referrer-policy')).toBe('strict-origin-when-cross-origin')
      for (const [tag] of body.matchAll(/<(?:a|form) [^>]*target="_blank"[^>]*>/g)) {
        // A form without the page's origin would be refused by form services.
        expect(tag).toContain(
          tag.startsWith('<form') ? 'rel="noopener"' : 'rel="noopener noreferrer"',
        )
      }
      for (const [tag, href] of body.matchAll(/<a [^>]*href="(https?:[^"]*)"[^>]*>/g)) {
        expect([href, tag.includes('target="_blank"')]).toEqual([href, true])
      }
    }
  })

  it('a visit with any content adds one to the count, and one address cannot add many', async () => {
    const limited = await startTestServer({ rateLimits: true })
    try {
      const { id, slug } = await plantBio(limited.sql)
      const count = (body: object) =>
        fetch(`${limited.url}/rest/v1/rpc/increment_bio_visit`, {
          method: 'POST',
          headers: { apikey: limited.anonKey, 'content-type': 'application/json' },
          body: JSON.stringify(body),
        })
      const counted = async () => {
        const [page] = await limited.sql('select visit_count from app.bio_pages where id = $1', [
          id,
        ])
        return Number(page?.visit_count)
      }
      expect((await count({ slug, visit_count: 1_000_000 })).ok).toBe(false)
      expect(await counted()).toBe(0)
      expect((await count({ slug })).ok).toBe(true)
      expect(await counted()).toBe(1)
      const answers = await Promise.all(Array.from({ length: 100 }, () => count({ slug })))
      expect(answers.some(({ status }) => status === 429)).toBe(true)
      expect(await counted()).toBeLessThanOrEqual(60)
    } finally {
      await limited.close()
    }
  })
})

function hrefsOf(html: string): string[] {
  return [...html.matchAll(/ (?:href|action)="([^"]*)"/g)].map(([, href]) => href ?? '')
}

function isPlain(href: string): boolean {
  return /^(https?:\/\/|\/|#hp-qr$|mailto:[\w@.]+$|fb-messenger:\/\/share\/)/.test(href)
}
