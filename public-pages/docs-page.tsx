import { routes } from '#domain/routes.ts'
import { useVisitorTexts } from '#public-pages/frame/visitor-language.ts'

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
      <nav className="docs-side" aria-label={texts.navigation()}>
        {navigation}
      </nav>
      <details className="docs-fold">
        <summary>{texts.all()}</summary>
        <nav aria-label={texts.all()}>{navigation}</nav>
      </details>
      <article className="docs-text" dangerouslySetInnerHTML={{ __html: rendered.html }} />
      {rendered.headings.length < 3 ? null : (
        <nav className="docs-contents" aria-label={texts.onThisPage()}>
          <h2>{texts.onThisPage()}</h2>
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
