import { readdir, readFile } from 'node:fs/promises'
import { createElement, type ReactElement } from 'react'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { z } from 'zod'
import type { CatalogText } from '#domain/texts/catalog.ts'
import visitor from '#domain/texts/en/visitor.json'
import { DocsPage } from '#public-pages/docs-page.tsx'
import { DocsSearchPage } from '#public-pages/docs-search-page.tsx'
import { LinkPasswordPage } from '#public-pages/link/link-pages.tsx'
import { renderPublicPage } from '#public-pages/render.tsx'
import { SharedReportPage } from '#public-pages/report/shared/shared-report-page.tsx'
import { tryAgainPage } from '#server/http/try-again-page.ts'
import { compose } from '#server/mail/deliver.ts'
import type { TemplateName, templates } from '#server/mail/templates/templates.ts'
import { textResponse } from '#server/visits/responses.ts'
import { give } from '#test/leads/give.ts'
import { plantBio } from '#test/pages/plant.ts'
import { startTestServer, type TestServer } from '#test/server.ts'
import { type Account, makeAccount, send } from '#test/tables/accounts.ts'
import { countOf, plantDomain } from '#test/visits/plant.ts'
import { browser, visit } from '#test/visits/visit.ts'
import { latinWords, pseudoText, shownTexts, speakPseudo, unescaped } from './pseudo-language.ts'

// Every page for visitors and every email in a language without Latin letters: a Latin word is outside of the catalogs.
// Texts of owners are Cyrillic, names of hosts and links are digits.

const publicUrl = 'https://192.0.2.9'
const elsewhere = 'https://xn--e1afmkfd.xn--p1ai/'
const popupTexts = { title: 'Весна', description: 'Скидка', cta_text: 'Да', consent_text: 'Да!' }

let server: TestServer
let owner: Account
let speakEnglish: () => void
beforeAll(async () => {
  speakEnglish = speakPseudo()
  server = await startTestServer({ publicUrl })
  owner = await makeAccount(server, { plan: 'business' })
})
afterAll(async () => {
  speakEnglish()
  await server.close()
})

/** The pages so far. */
const seen: string[] = []

function check(html: string): void {
  seen.push(html)
  expect(shownTexts(html).flatMap(latinWords)).toEqual([])
}

/** A request of a browser. */
interface FormRequest {
  method?: string
  headers?: Record<string, string>
  body?: URLSearchParams
}

async function open(path: string, init: FormRequest = {}): Promise<string> {
  const headers = { 'user-agent': browser, accept: 'text/html', ...init.headers }
  const response = await fetch(server.url + path, { redirect: 'manual', ...init, headers })
  return response.text()
}

const sendForm = (path: string, fields: Record<string, string>, site = 'same-origin') =>
  open(path, {
    method: 'POST',
    headers: { 'sec-fetch-site': site },
    body: new URLSearchParams(fields),
  })

let made = 10_000

async function makeLink(options: object = {}): Promise<{ id: string; code: string }> {
  const code = String(++made)
  const row = { user_id: owner.id, short_code: code, original_url: elsewhere, ...options }
  const { status, body } = await send(server, owner, 'POST', 'shortened_urls', row, {
    prefer: 'return=representation',
    accept: 'application/vnd.pgrst.object+json',
  })
  expect([status, body]).toMatchObject([201, { short_code: code }])
  return { code, id: (body as { id: string }).id }
}

async function openLink(options: object, suffix = '', init?: FormRequest): Promise<string> {
  return open(`/${(await makeLink(options)).code}${suffix}`, init)
}

async function makePopup(columns: object = {}): Promise<string> {
  const row = { user_id: owner.id, collect_email: true, ...popupTexts, ...columns }
  const names = Object.keys(row)
  const [popup] = await server.sql<{ id: string }>(
    `insert into app.popups (${names.join(', ')}) values (${names.map((_, i) => `$${i + 1}`).join(', ')}) returning id`,
    Object.values(row),
  )
  return popup?.id ?? ''
}

async function openBio(wanted: Parameters<typeof plantBio>[1], columns: object = {}) {
  const slug = String(++made)
  await plantBio(server.sql, { ...wanted, columns: { slug, title: 'Майя', ...columns } })
  return open(`/${slug}`)
}

async function makeLead(asks = false): Promise<{ confirm: string; leave: string }> {
  const settings = { _retention_days: null, _double_opt_in: asks }
  await send(server, owner, 'POST', 'rpc/save_audience', settings)
  const popup = await makePopup()
  const { code } = await makeLink({ show_popup: true, popup_id: popup })
  const given = await give(server, { popup, code }, `${code}@example.com`)
  expect(given.status).toBe(200)
  check(await given.text())
  const [lead] = await server.sql<{ id: string; token: string }>(
    'select id, unsubscribe_token as token from app.leads where popup_id = $1',
    [popup],
  )
  const token = server.context.secretBox.digest(lead?.id ?? '', 'lead confirmation')
  return { confirm: `/audience/confirm/${token}`, leave: `/audience/leave/${lead?.token}` }
}

async function makeReport(wanted: object = {}): Promise<string> {
  const link = await makeLink()
  await open(`/${link.code}`)
  await vi.waitFor(async () => expect(await countOf(server.sql, link.id)).toBe(1), 60_000)
  const row = { link_id: link.id, ...wanted }
  const { body } = await send(server, owner, 'POST', 'shared_reports', row, {
    prefer: 'return=representation',
    accept: 'application/vnd.pgrst.object+json',
  })
  return `/analytics/shared/${(body as { token: string }).token}`
}

const render = (page: ReactElement) =>
  renderPublicPage(page, { title: '', description: '', publicUrl }).html

const minutes = (count: number) => new Date(Date.now() + count * 60_000).toISOString()

/** Each page by its component. */
const pages: readonly (readonly [component: string, what: string, html: () => Promise<string>])[] =
  [
    ['NotFoundPage', 'of an unknown address', () => open('/404')],
    ['DomainRootPage', 'at the root of a domain', openDomain],
    ['GonePage', 'of a link that is off', openDisabled],
    ['LinkClosedPage', 'before the start', () => openLink({ starts_at: minutes(60) })],
    ['LinkClosedPage', 'after the end', () => openLink({ ends_at: minutes(-60) })],
    ['LinkPreviewPage', 'of a link', () => openLink({ title: 'Каталог' }, '+')],
    ['LinkPreviewPage', 'with rules', openRuledPreview],
    ['LinkPasswordPage', 'of a link', () => openLink({ password: '1234567' })],
    ['LinkPasswordPage', 'after a wrong password', openWrongPassword],
    [
      'LinkPasswordPage',
      'after too many passwords',
      async () => {
        const refusal = { status: 429, wait: 7 }
        return render(createElement(LinkPasswordPage, { action: '', subject: 'link', refusal }))
      },
    ],
    [
      'LinkPasswordPage',
      'of a report',
      async () => open(await makeReport({ password: '1234567' })),
    ],
    [
      'LinkPreviewerPage',
      'for a chat',
      () =>
        openLink({ preview_title: 'Каталог' }, '', {
          headers: { 'user-agent': 'WhatsApp/2.23.20.0' },
        }),
    ],
    [
      'Interstitial',
      'with a form',
      async () => openLink({ show_popup: true, popup_id: await makePopup({ position: 'center' }) }),
    ],
    [
      'BioPage',
      'with a popup',
      () =>
        openBio({
          popup: { ...popupTexts, collect_email: true, cta_url: elsewhere, position: 'center' },
        }),
    ],
    [
      'BioPage',
      'with links',
      () =>
        openBio(
          {
            links: [['Магазин', elsewhere]],
            social: [
              ['website', elsewhere],
              ['email', 'mailto:a@example.com'],
            ],
          },
          { description: 'Все ссылки' },
        ),
    ],
    ['DemoPage', 'of /demo', () => open('/demo')],
    [
      'AudiencePage',
      'after an invalid address',
      async () => sendForm(`/audience/join/${await makePopup()}`, { email: '1', from: '1234' }),
    ],
    [
      'AudiencePage',
      'of a form that has changed',
      async () =>
        sendForm(`/audience/join/${await makePopup()}`, { email: 'a@example.com', version: '7' }),
    ],
    ['AudiencePage', 'that confirms', async () => open((await makeLead(true)).confirm)],
    ['AudiencePage', 'after the press', async () => sendForm((await makeLead(true)).confirm, {})],
    ['AudiencePage', 'with an old link', () => open('/audience/confirm/1')],
    ['AudiencePage', 'that unsubscribes', async () => open((await makeLead()).leave)],
    ['AudiencePage', 'after unsubscribing', async () => sendForm((await makeLead()).leave, {})],
    ['AudiencePage', 'of an unknown address', () => open('/audience/leave/1')],
    ['ReportPage', 'for one name', () => open('/report?name=1234')],
    [
      'ReportPage',
      'with every mistake',
      () => sendForm('/report', { details: '1'.repeat(2_000), email: '1' }),
    ],
    ['ReportSentPage', 'after a report', () => open('/report/sent')],
    ['ClosedReportPage', 'at an unknown address', () => open('/analytics/shared/1')],
    ['SharedReportPage', 'with a click', async () => open(await makeReport())],
    ['SharedReportPage', 'with each word', () => renderReport()],
    ['SharedReportPage', 'with fewer clicks', () => renderReport({ before: 10_000 })],
    ['SharedReportPage', 'with as many', () => renderReport({ before: 1_000, compared: [] })],
    ...['signup', 'invite', 'magiclink', 'recovery', 'email_change', 'x'].map(
      (type) =>
        [
          'MailedLinkPage',
          `of type ${type}`,
          () => sendForm('/auth/v1/verify', { token: '1', type }, 'cross-site'),
        ] as const,
    ),
    ['DeadLinkPage', 'of an old link', () => open('/auth/v1/verify?token=1&type=recovery')],
    ['TryAgainPage', 'of a link', () => tryAgain('GET')],
    ['TryAgainPage', 'of a form', () => tryAgain('POST')],
    ['AppRefusedPage', 'of an unknown app', () => open('/auth/v1/oauth/authorize?client_id=1')],
    [
      'DocsPage',
      'around a document',
      async () => {
        const headings = ['1', '2', '3'].map((text) => ({ id: text, text }))
        const rendered = { title: '1', html: '', headings }
        return render(createElement(DocsPage, { path: '', rendered, groups: [] }))
      },
    ],
    ['DocsSearchPage', 'without a query', async () => renderSearch('', 0)],
    ['DocsSearchPage', 'that finds nothing', async () => renderSearch('1', 0)],
    ['DocsSearchPage', 'that finds one section', async () => renderSearch('1', 1)],
  ]

function renderSearch(query: string, count: number): string {
  const hit = { title: 'Да', heading: 'Да', href: '/1', excerpt: [{ text: 'Да', isFound: true }] }
  const hits = Array.from({ length: count }, () => hit)
  return render(createElement(DocsSearchPage, { query, hits, groups: [] }))
}

async function openDisabled(): Promise<string> {
  const { id, code } = await makeLink()
  await server.sql('update app.shortened_urls set is_disabled = true where id = $1', [id])
  return open(`/${code}`)
}

async function openDomain(): Promise<string> {
  const host = '10.20.30.40'
  await plantDomain(server.sql, host)
  await vi.waitFor(() => expect(server.context.hosts.knownPlaceAt(host)).toBeDefined(), 30_000)
  return (await visit(server.url, '/', { headers: { host } })).body
}

async function openRuledPreview(): Promise<string> {
  const { id, code } = await makeLink()
  const when = [{ fact: 'country', is: ['DE'] }]
  const rules = { _link: id, _rules: [{ when, to: elsewhere }], _version: 0 }
  expect(await send(server, owner, 'POST', 'rpc/save_link_rules', rules)).toMatchObject({ body: 1 })
  return open(`/${code}+`)
}

async function openWrongPassword(): Promise<string> {
  return sendForm(`/${(await makeLink({ password: '1234567' })).code}`, { password: '1' })
}

async function renderReport(more: { before?: number; compared?: [] } = {}): Promise<string> {
  const rows = Object.keys(visitor.clickWords).map((key) => ({ key, clicks: 1_000 }))
  const none = { clicks: 0, rows: [], rest: 0, sampled: null }
  const all = { clicks: 1_000, rows, rest: 1_000, sampled: 32 }
  const country = { ...all, rows: [{ key: 'DE', clicks: 1 }] }
  const days = ['2026-11-21', '2026-11-22', '2026-11-23', '2026-11-24', '2026-11-25']
  const day = { ...all, rows: days.map((key) => ({ key, clicks: 1, visitors: 1 })) }
  const link = { code: '1', title: 'Каталог', clicks: 2, scans: 1 }
  const variants = ['1', '2'].map((id) => ({ variant_id: id, clicks: 1, visitors: 1 }))
  const split = { code: '1', title: null, rule_id: '1', variants, best: '1' }
  const figures = { day, referrer: none, country, device: all, source: all }
  const counted = { before: 10, scans: 1, links: 2, compared: [link], splits: [split] }
  const view = {
    host: '192.0.2.9',
    code: null,
    tag: 'Весна',
    title: 'Каталог',
    shownName: null,
    zone: 'UTC',
    days: 7,
    figures: { ...figures, ...counted, ...more },
  }
  return render(createElement(SharedReportPage, { view, ranges: [7], path: '/1' }))
}

async function tryAgain(method: string): Promise<string> {
  const url = new URL('/1', publicUrl)
  const request = new Request(url, { method, headers: { accept: 'text/html' } })
  const refusal = { status: 503, message: 'Позже.', retryAfter: 5 }
  return (await tryAgainPage({ request, url }, refusal, publicUrl)?.text()) ?? ''
}

describe('pages for visitors', () => {
  it.each(pages)('%s %s has no text outside of the catalog', async (_component, _what, html) => {
    const page = await html()
    expect(page).toMatch(/^<!doctype html><html lang="en" dir="rtl"/)
    check(page)
  })

  it('refuse in the words of the catalog', async () => {
    const site = { publicUrl, hstsSubdomains: false }
    for (const status of [405, 413, 421, 429, 500, 503] as const)
      check(String(textResponse(status, site).body))
    check(await openLink({}, '', { headers: { 'sec-purpose': 'prefetch' } }))
  })

  it('are all among these', async () => {
    const folder = new URL('../../public-pages/', import.meta.url)
    const files = (await readdir(folder, { recursive: true })).filter(
      // Play money is for people who sign in, and for trying Hoplet out.
      (name) => name.endsWith('.tsx') && !/test|sandbox/.test(name),
    )
    const sources = await Promise.all(files.map((file) => readFile(new URL(file, folder), 'utf8')))
    const components = sources.flatMap((source) =>
      [...source.matchAll(/export function ([A-Z]\w*Page|Interstitial)\(/g)].map(
        ([, name]) => name,
      ),
    )
    expect(new Set(pages.map(([component]) => component))).toEqual(new Set(components))
  })

  it('have shown each text of the catalog', () => {
    const all = unescaped(seen.join('\n'))
    const unseen = Object.entries(visitor).flatMap(([section, texts]) =>
      Object.entries<CatalogText>(texts)
        .filter(([, text]) => !formsOf(text).some((form) => all.match(form)))
        .map(([name]) => `${section}.${name}`),
    )
    // Limits and outages, files, requests of registered apps, and the heads of documents, which are English.
    expect(unseen).toEqual([
      'report.tooMany',
      'report.notStored',
      'sharedReport.part',
      'sharedReport.name',
      'sharedReport.total',
      'sharedReport.pdfTooOften',
      'audience.tooMany',
      'audience.notStored',
      'appRefused.unregistered',
      'appRefused.unusable',
      'docs.description',
    ])
  })

  it('are found with a word that is not in the catalog', () => {
    const straight = createElement('p', { title: 'Now' }, 'Buy this')
    expect(shownTexts(render(straight)).flatMap(latinWords)).toEqual(['Now', 'Buy', 'this'])
  })
})

/** The forms of a text, with anything in their gaps. */
function formsOf(text: CatalogText): RegExp[] {
  return Object.values(typeof text === 'string' ? { text } : text).map(
    (form) =>
      new RegExp(form.replaceAll(/[.?*+()|[\]\\^$]/g, '\\$&').replaceAll(/\{\w+\}/g, '.*?')),
  )
}

/** Data of each email. */
const mails: { [Name in TemplateName]: z.input<(typeof templates)[Name]['data']>[] } = {
  receipt: [{ ...aPayment(), number: '1', paidAt: minutes(0), periodEnd: minutes(0) }],
  'payment-failed': [null, minutes(0)].map((nextAttempt) => ({
    ...aPayment(),
    nextAttempt,
    portalUrl: '/1',
  })),
  'confirm-sign-up': [{ ...linkAndCode(), needsPassword: true }],
  recovery: [linkAndCode()],
  'magic-link': [linkAndCode()],
  invite: [linkAndCode()],
  'email-change-old': [{ ...linkAndCode(), newEmail: '1@2' }],
  'email-change-new': [linkAndCode()],
  reauthentication: [{ code: '123456' }],
  'already-registered': [{}],
  'password-changed': [{}],
  'factor-added': [{ factor: 'totp' }, { factor: 'webauthn' }, { factor: 'phone' }],
  'factor-removed': [{ factor: 'totp' }],
  // The words of scopes are the app's.
  'api-key-created': [{ hint: '1234', scopes: [] }],
  'webhook-disabled': [true, false].map((isGone) => ({ host: '192.0.2.1', isGone })),
  'archive-ready': [{ isWhole: true }, { isWhole: false }],
  'domain-failing': [
    { host: '192.0.2.1', days: 1, lacksProof: true },
    { host: '192.0.2.1', days: 16, lacksProof: false },
  ],
  'domain-lost': [true, false].map((isTaken) => ({ host: '192.0.2.1', isTaken })),
  'space-invitation': (['owner', 'editor', 'viewer'] as const).map((role) => ({
    space: '1',
    role,
    link: '/1',
  })),
  'click-milestone': [1, 1_000].map((clicks) => ({ code: '1', clicks })),
  'weekly-summary': [
    { clicks: 1, before: 2, visitors: 3, busiest: [{ code: '1', clicks: 1_000 }] },
  ],
  'link-health': [
    { dead: 1, moved: 0, certificate: 0 },
    { dead: 1, moved: 2, certificate: 1_000 },
  ],
  'lead-confirmation': [
    { link: '/1', unsubscribe: '/2', code: '1', owner: 'Майя', popup: 'Весна', consent: 'Да' },
  ],
  test: [{ note: '1' }],
}

function aPayment() {
  return { plan: 'free' as const, amount: 700, currency: 'usd' }
}

function linkAndCode() {
  return { link: '/1', code: '123456' }
}

it.each(Object.entries(mails))(
  'the email %s has no text outside of the catalog',
  (template, all) => {
    for (const data of all) {
      const { subject, text, html } = compose(
        { id: '1', template, recipient: '1@example.com', data, created_at: new Date() },
        {
          from: { name: 'Hoplet', address: 'a@example.com' },
          site: { publicUrl, linksUrl: publicUrl },
        },
      )
      if (typeof html !== 'string') throw new Error('no HTML')
      expect(html).toContain('<html lang="en" dir="rtl">')
      expect([`${subject} ${text}`, ...shownTexts(html)].flatMap(latinWords)).toEqual([])
    }
  },
)

it('the pseudo-language is 40 % longer, and keeps the gaps', () => {
  const text = pseudoText('Continue to {host}')
  expect(text).toContain('{host}')
  expect(text.length).toBeGreaterThanOrEqual('Continue to {host}'.length * 1.4)
  expect(latinWords(text.replace('{host}', ''))).toEqual([])
})
