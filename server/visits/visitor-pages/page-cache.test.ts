import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { expect, it, vi } from 'vitest'
import { createLinkPages } from './link-pages.ts'
import type { LinkEntry } from '../names/name-entry.ts'
import { createAddressPageCache, createPageCache } from './page-cache.ts'

const site = { publicUrl: 'https://go.example', hstsSubdomains: false }
const head = { status: 200, headers: {} }
const request = new IncomingMessage(new Socket())

const options: NonNullable<LinkEntry['options']> = {
  startsAt: undefined,
  endsAt: undefined,
  maxClicks: 100,
  clicks: 1,
  fallbackUrl: undefined,
  hasPassword: false,
  password: undefined,
  forwarding: undefined,
  status: 302,
  hasPreview: false,
  preview: { title: undefined, description: undefined, imageUrl: undefined },
  showPreviewPage: true,
  ruling: undefined,
  campaigns: undefined,
}

const link: LinkEntry = {
  kind: 'link',
  id: '0b7cf5b5-9f23-4c2e-9d0a-2a1b6f1f8a01',
  key: 'sale',
  name: 'sale',
  destination: 'https://example.com/',
  redirect: { status: 302, headers: [], body: '' },
  popup: undefined,
  title: undefined,
  options,
  isPlain: false,
}

it('a page for visitors with different addresses is rendered once', () => {
  const page = vi.fn((address: string) => ({
    html: `<a href="${address}">${new URL(address).host}</a>`,
    policy: "default-src 'none'",
  }))
  const render = createAddressPageCache<LinkEntry>(site, 1_000_000)
  const bodyFor = (address: string) => render(link, address, head, page).body.toString()
  expect(bodyFor('https://one.example/?a=1&b="')).toBe(
    '<a href="https://one.example/?a=1&amp;b=&quot;">one.example</a>',
  )
  expect(bodyFor('https://two.example/$&')).toBe(
    '<a href="https://two.example/$&amp;">two.example</a>',
  )
  expect(page).toHaveBeenCalledTimes(1)
})

it('a link that is read again because its clicks were counted keeps its pages', () => {
  const page = vi.fn(() => ({ html: '<p>', policy: '' }))
  const render = createPageCache<LinkEntry>(site, 1_000_000)
  const again = (changes: object = {}) =>
    render({ ...link, options: { ...options, ...changes } }, request, head, page)
  again()
  again({ clicks: 2 })
  expect(page).toHaveBeenCalledTimes(1)
  again({ preview: { ...options.preview, title: 'New' } })
  expect(page).toHaveBeenCalledTimes(2)
})

it('a preview page hides the destination from the moment when it depends on the visitor', () => {
  const pages = createLinkPages(site)
  const bodyOf = (changes: object, destination: string | undefined) =>
    pages
      .preview({ ...link, options: { ...options, ...changes } }, destination, request)
      .body.toString()
  expect(bodyOf({}, link.destination)).toContain(link.destination)
  for (const changes of [
    { hasPassword: true },
    { startsAt: 1 },
    { endsAt: 1 },
    { ruling: { rules: [], refused: new Set() } },
  ])
    expect(bodyOf(changes, undefined)).toContain('Depends on the visitor')
})
