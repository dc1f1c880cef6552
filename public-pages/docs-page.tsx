import { routes } from '#domain/routes.ts'

interface DocsPageProps {
  /** Under `/docs`; '' is the index. */
  path: string
  rendered: {
    title: string
    html: string
    headings: readonly { id: string; text: string }[]
  }
  groups: readonly { name: string; pages: readonly { path: string; name: string }[] }[]
}

/** One document, with the way to all others: at its left, or above it on phones. */
export function DocsPage({ path, rendered, groups }: DocsPageProps) {
  const navigation = (
    <ul className="docs-groups">
      <li>
        <a href="/docs" aria-current={path === '' ? 'page' : undefined}>
          Overview
        </a>
        <a href={routes.reference.path}>API reference</a>
        <a href="/docs/changelog" aria-current={path === 'changelog' ? 'page' : undefined}>
          What’s new
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
      <nav className="docs-side" aria-label="Documentation">
        {navigation}
      </nav>
      <details className="docs-fold">
        <summary>All documents</summary>
        <nav aria-label="All documents">{navigation}</nav>
      </details>
      <article className="docs-text" dangerouslySetInnerHTML={{ __html: rendered.html }} />
      {rendered.headings.length < 3 ? null : (
        <nav className="docs-contents" aria-label="On this page">
          <h2>On this page</h2>
          {rendered.headings.map(({ id, text }) => (
            <a key={id} href={`#${id}`}>
              {text}
            </a>
          ))}
        </nav>
      )}
    </div>
  )
}
