import { Agent } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { visit } from '#test/visits/visit.ts'

/** A page in which every text names its save. */
export function generation(n: number) {
  const at = (kind: string, i: number) => `https://example.com/gen-${n}-${kind}-${i}`
  return {
    page: { title: `gen-${n}-title-0` },
    links: [0, 1, 2, 3, 4].map((i) => ({ title: `gen-${n}-link-${i}`, url: at('url', i) })),
    social_links: [0, 1, 2].map((i) => ({ platform: 'website', url: at('social', i) })),
  }
}

const wholeParts = {
  page: [
    'link-0',
    'link-1',
    'link-2',
    'link-3',
    'link-4',
    'social-0',
    'social-1',
    'social-2',
    'title-0',
  ],
  links: [
    'link-0',
    'link-1',
    'link-2',
    'link-3',
    'link-4',
    'url-0',
    'url-1',
    'url-2',
    'url-3',
    'url-4',
  ],
} as const

/** The generation that a text shows whole, or its fault. */
export function generationIn(text: string, what: keyof typeof wholeParts): number | string {
  const found = [...text.matchAll(/gen-(\d+)-([a-z]+-\d)/g)]
  const generations = new Set(found.map(([, n]) => Number(n)))
  const [only] = generations
  if (only === undefined) return 'empty'
  if (generations.size > 1) return `mixed: ${[...generations].join(' and ')}`
  const parts = [...new Set(found.map(([, , part]) => part ?? ''))].toSorted((a, b) =>
    a.localeCompare(b),
  )
  return parts.join() === wholeParts[what].join() ? only : `incomplete: ${parts.join()}`
}

export interface Readers {
  /** How many answers were a whole page. */
  whole: number
  /** The answers that were not, by fault. */
  broken: Map<string, number>
  stop(): Promise<void>
}

/** In milliseconds between two readings of one reader: the saves want some of the machine as well. */
const pauses = { page: 150, links: 250 }

/** So many visitors, each reading again and again: the page, or its links through the table door. */
export function startReaders(
  count: number,
  base: string,
  { slug, pageId, anonKey }: { slug: string; pageId: string; anonKey: string },
): Readers {
  const agent = new Agent({ keepAlive: true, maxSockets: count })
  const links = `/rest/v1/bio_links?bio_page_id=eq.${pageId}&order=link_order.asc`
  let stopped = false
  const readers: Readers = { whole: 0, broken: new Map(), stop }

  async function read(what: 'page' | 'links'): Promise<void> {
    let tookMs = 0
    // On a busy machine readers pause for longer, or the saves would wait behind them.
    for (; !stopped; await sleep(Math.max(pauses[what], 4 * tookMs))) {
      const began = performance.now()
      const target = what === 'page' ? `/${slug}` : links
      const answer = await visit(base, target, { agent, headers: { apikey: anonKey } }).catch(
        () => undefined,
      )
      tookMs = performance.now() - began
      // A server that was killed answers nothing, and a busy one may say so; neither is a page.
      if (answer === undefined) return
      if (answer.status === 503) continue
      const seen = answer.status === 200 ? generationIn(answer.body, what) : String(answer.status)
      if (typeof seen === 'number') readers.whole++
      else readers.broken.set(`${what} ${seen}`, (readers.broken.get(`${what} ${seen}`) ?? 0) + 1)
    }
  }
  const loops = Array.from({ length: count }, (_, i) => read(i % 2 === 0 ? 'page' : 'links'))

  async function stop(): Promise<void> {
    stopped = true
    await Promise.all(loops)
    agent.destroy()
  }
  return readers
}

type Post = (method: string, path: string, body?: unknown) => Promise<{ status: number }>

/** How a generation is stored: in one call, or in the five that the specification describes. */
export const ways = {
  atomic: async (call: Post, _pageId: string, n: number) =>
    (await call('POST', 'rpc/save_bio_page', generation(n))).status === 200,

  separate: async (call: Post, pageId: string, n: number) => {
    const { page, links, social_links } = generation(n)
    const of = `bio_page_id=eq.${pageId}`
    await call('PATCH', `bio_pages?id=eq.${pageId}`, page)
    await call('DELETE', `bio_links?${of}`)
    await call(
      'POST',
      'bio_links',
      links.map((row, i) => ({ ...row, bio_page_id: pageId, link_order: i })),
    )
    await call('DELETE', `bio_social_links?${of}`)
    const last = await call(
      'POST',
      'bio_social_links',
      social_links.map((row, i) => ({ ...row, bio_page_id: pageId, display_order: i })),
    )
    return last.status === 201
  },
}
