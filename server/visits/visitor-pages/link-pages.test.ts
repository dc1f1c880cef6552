import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { expect, it } from 'vitest'
import { createLinkPages } from './link-pages.ts'
import type { LinkEntry } from '../names/name-entry.ts'

const link: LinkEntry = {
  kind: 'link',
  id: '0b7cf5b5-9f23-4c2e-9d0a-2a1b6f1f8a01',
  key: 'sale',
  name: 'sale',
  destination: 'https://example.com/',
  redirect: { status: 302, headers: [], body: '' },
  popup: undefined,
  title: undefined,
  options: undefined,
  isPlain: false,
}

it('an entry that lives from before the start until after the end gets both pages', () => {
  const pages = createLinkPages({ publicUrl: 'https://go.example', hstsSubdomains: false })
  const request = new IncomingMessage(new Socket())
  const answers = [false, true, false].map((isOver) => pages.closed(link, isOver, request))
  expect(answers.map(({ status }) => status)).toEqual([404, 410, 404])
  expect(answers[0]?.body.toString()).toContain('This link has not started')
  expect(answers[1]?.body.toString()).toContain('This link has ended')
  expect(answers[2]).toBe(answers[0])
})
