import 'openapi-explorer'
import './explorer.css'
import insideCss from './explorer-inside.css?inline'
import { useEffect, useRef } from 'react'
import type { ApiDescription } from './descriptions.ts'

interface ExplorerElement extends HTMLElement {
  /** The id of the shown part. */
  explorerLocation: string | null
  loadSpec(description: object): Promise<void>
  setAuthenticationConfiguration(scheme: string, credentials: { token: string }): Promise<void>
}

const settings = {
  'hide-server-selection': 'true',
  'hide-authentication': 'true',
  'hide-components': 'true',
  'schema-expand-level': '2',
  'fetch-credentials': 'omit',
  'response-area-height': '20rem',
}

/** A description as a page to read and to try, by the element of the package openapi-explorer. */
export function Explorer({ description, token }: { description: ApiDescription; token: string }) {
  const place = useRef<HTMLDivElement>(null)

  useEffect(() => {
    removeForeignTokens()
    const element = document.createElement('openapi-explorer') as ExplorerElement
    for (const [name, value] of Object.entries(settings)) element.setAttribute(name, value)
    const letScroll = isAtOverview() ? holdScroll(element) : undefined
    element.append(operationsHeading())
    place.current?.replaceChildren(element)
    // It changes its argument.
    void element.loadSpec(structuredClone(description)).then(async () => {
      letScroll?.()
      await element.setAuthenticationConfiguration('bearer', { token })
      repair(element)
    })
    return () => element.remove()
  }, [description, token])

  return (
    <div
      ref={place}
      className="reference-explorer mt-6 min-h-96 overflow-clip rounded-2xl border border-line md:h-[calc(100dvh-3rem)]"
    />
  )
}

const repairs = new CSSStyleSheet()
repairs.replaceSync(insideCss)

/** The element's own word for it has capitals only. */
function operationsHeading(): HTMLElement {
  const heading = document.createElement('div')
  heading.slot = 'operations-header'
  heading.textContent = 'Endpoints'
  return heading
}

/** Type, labels and contrast that the element lacks. */
function repair({ shadowRoot }: ExplorerElement): void {
  shadowRoot?.adoptedStyleSheets.push(repairs)
  // The page has one main part, around this.
  const main = shadowRoot?.querySelector('main')
  if (!main) return
  const plain = document.createElement('div')
  for (const { name, value } of main.attributes) plain.setAttribute(name, value)
  plain.append(...main.childNodes)
  main.replaceWith(plain)
}

/** Whether the address names no operation to go to. */
function isAtOverview(): boolean {
  return ['', '#overview'].includes(window.location.hash)
}

/** Once loaded, the element scrolls the page to its first entry and takes the focus, away from the title and the key. */
function holdScroll(element: ExplorerElement): () => void {
  const show = async (id: string) => {
    element.explorerLocation = id
  }
  Object.defineProperty(element, 'scrollTo', { value: show, configurable: true })
  return () => {
    Reflect.deleteProperty(element, 'scrollTo')
    element.shadowRoot?.getElementById('link-overview')?.classList.add('active')
  }
}

/** The element looks for an access token in the address, where anyone can put one (decision 0073). */
function removeForeignTokens(): void {
  const url = new URL(window.location.href)
  const read = [url.searchParams, new URLSearchParams(url.hash.slice(1))]
  if (!read.some((parameters) => parameters.has('state'))) return
  url.search = new URLSearchParams(
    [...url.searchParams].filter(([name]) => name === 'part'),
  ).toString()
  url.hash = ''
  window.history.replaceState(window.history.state, '', url)
}
