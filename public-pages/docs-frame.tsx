import type { ReactNode } from 'react'
import { routes } from '#domain/routes.ts'
import { useVisitorTexts } from '#public-pages/frame/visitor-language.ts'

export interface DocsNavigation {
  groups: readonly { name: string; pages: readonly { path: string; name: string }[] }[]
}

interface DocsFrameProps extends DocsNavigation {
  /** Under `/docs`; '' is the index. */
  path: string | undefined
  /** The text of the search. */
  query?: string
  children: ReactNode
}

/** The search and the way to all documents: at the left of the text, or above it on phones. */
export function DocsFrame({ path, groups, query, children }: DocsFrameProps) {
  const { docs: texts } = useVisitorTexts()
  const navigation = (
    <ul className="docs-groups">
      <li>
        <a href="/docs" aria-current={path === '' ? 'page' : undefined}>
          {texts.overview()}
        </a>
        <a href={routes.reference.path}>{texts.reference()}</a>
        <a href="/docs/changelog" aria-current={path === 'changelog' ? 'page' : undefined}>
          {texts.news()}
        </a>
      </li>
      {groups.map(({ name, pages }) => (
        <li key={name}>
          <h2>{name}</h2>
          {pages.map((page) => (
            <a
              key={page.path}
              href={`/docs/${page.path}`}
              aria-current={page.path === path ? 'page' : undefined}
            >
              {page.name}
            </a>
          ))}
        </li>
      ))}
    </ul>
  )
  return (
    <div className="docs">
      <div className="docs-ways">
        <search>
          <form className="docs-search" action="/docs/search">
            <input
              type="search"
              name="q"
              aria-label={texts.search()}
              placeholder={texts.search()}
              defaultValue={query}
              maxLength={100}
              autoComplete="off"
              required
            />
            <button>{texts.find()}</button>
          </form>
        </search>
        <nav className="docs-side" aria-label={texts.navigation()}>
          {navigation}
        </nav>
        <details className="docs-fold">
          <summary>{texts.all()}</summary>
          <nav aria-label={texts.all()}>{navigation}</nav>
        </details>
      </div>
      {children}
    </div>
  )
}
