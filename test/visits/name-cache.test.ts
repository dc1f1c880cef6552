import { expect, it } from 'vitest'
import { createNameCache } from '#server/visits/names/name-cache.ts'
import type { NameEntry, ShownPopup } from '#server/visits/names/name-entry.ts'

// What memory holds, without a database: a listener and a clock that the test controls.

const id = '0b7cf5b5-9f23-4c2e-9d0a-2a1b6f1f8a01'
const popupId = '5f0c1c9e-6b5b-4f0e-8a5c-3f7a2f1d9b02'
const base = { id, popup: undefined }
const redirect = { status: 302, headers: [], body: '' }
const linkOf = (name: string, popup?: ShownPopup): NameEntry => ({
  ...base,
  kind: 'link',
  key: name,
  name,
  destination: 'https://example.com/',
  redirect,
  popup,
  title: undefined,
  options: undefined,
  isPlain: popup === undefined,
})

const emptyPage = {
  title: '',
  description: '',
  address: '',
  look: '',
  avatarUrl: null,
  marked: false,
  theme: { primary: '', background: '', text: '' },
  links: [],
  socialLinks: [],
}

function createCache(maxBytes = 64 * 2 ** 20) {
  const time = { now: 0 }
  let hear: (payload: string) => void = () => {}
  const cache = createNameCache({
    listener: {
      on: (_channel, onMessage) => (hear = onMessage),
      connected: () => true,
      close: async () => {},
    },
    receivesNotifications: () => true,
    maxBytes,
    now: () => time.now,
  })
  return { cache, time, hear: (payload: string) => hear(payload) }
}
const names = (count: number) => Array.from({ length: count }, (_, i) => `name-${i}`)

it('1,000 changes a second for a minute outdate what changed, and little else', () => {
  const { cache, time, hear } = createCache()
  const kept = names(10_000)
  for (const name of kept) cache.keep(name, linkOf(name), time.now)
  const states = () => kept.map((name) => cache.lookUp(name)?.state)
  for (let change = 0; change < 60_000; change++) {
    time.now += 1
    hear(`other-${change}`)
  }
  // Names share places with 60,000 of 262,144: a fifth of them, and all would be a flush.
  const lost = states().filter((state) => state === 'outdated').length
  expect(lost).toBeGreaterThan(0)
  expect(lost).toBeLessThan(kept.length * 0.3)
  expect(cache.counts()).toMatchObject({ changes: 60_000, flushes: 0 })
  // All of those that changed themselves are outdated.
  for (const name of kept) hear(name)
  expect(new Set(states())).toEqual(new Set(['outdated']))
})

it('the name cache outdates what was read before a change, and keeps what was read after it', () => {
  const { cache, time, hear } = createCache()
  const popup = { id: popupId, view: undefined, owner: undefined }
  cache.keep('plain', linkOf('plain'), 10)
  cache.keep('with-popup', linkOf('with-popup', popup), 10)
  time.now = 20
  hear(`popup:${popupId}`)
  expect(cache.lookUp('with-popup')?.state).toBe('outdated')
  expect(cache.lookUp('plain')?.state).toBe('fresh')
  // A read that started before the change may not have seen it.
  cache.keep('with-popup', linkOf('with-popup', popup), 19)
  expect(cache.lookUp('with-popup')?.state).toBe('outdated')
  cache.keep('with-popup', linkOf('with-popup', popup), 21)
  expect(cache.lookUp('with-popup')?.state).toBe('fresh')
  hear('*')
  time.now = 22
  cache.keep('later', linkOf('later'), 22)
  expect(cache.counts().flushes).toBe(1)
  expect(cache.lookUp('plain')?.state).toBe('outdated')
  expect(cache.lookUp('later')?.state).toBe('fresh')
})

it('the name cache is limited by memory: large pages leave room for fewer names', () => {
  const large = createCache(2 ** 20)
  const description = 'x'.repeat(20_000)
  const pageOf = (name: string): NameEntry => ({
    ...base,
    kind: 'bio',
    name,
    links: new Map(),
    times: [],
    view: { ...emptyPage, description },
  })
  for (const name of names(1_000)) large.cache.keep(name, pageOf(name), 1)
  expect(large.cache.size()).toBeGreaterThan(10)
  expect(large.cache.size()).toBeLessThan(60)
  expect(large.cache.counts().bytes).toBeLessThanOrEqual(2 ** 20)
  // The last ones are there, and the first ones had to go.
  expect(large.cache.lookUp('name-999')?.state).toBe('fresh')
  expect(large.cache.lookUp('name-0')).toBeUndefined()
  // Links of the same memory (control).
  const small = createCache(2 ** 20)
  for (const name of names(1_000)) small.cache.keep(name, linkOf(name), 1)
  expect(small.cache.size()).toBe(1_000)
})
