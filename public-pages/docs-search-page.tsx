import { useVisitorTexts } from '#public-pages/frame/visitor-language.ts'
import { DocsFrame, type DocsNavigation } from './docs-frame.tsx'

interface DocsSearchPageProps extends DocsNavigation {
  query: string
  hits: readonly {
    title: string
    heading: string | undefined
    href: string
    excerpt: readonly { text: string; isFound: boolean }[]
  }[]
}

/** The sections of the documents with the words of a query. */
export function DocsSearchPage({ query, hits, groups }: DocsSearchPageProps) {
  const { docs: texts } = useVisitorTexts()
  return (
    <DocsFrame path={undefined} groups={groups} query={query}>
      <div className="docs-text">
        <h1>{texts.results()}</h1>
        {query === '' ? (
          <p>{texts.noQuery()}</p>
        ) : hits.length === 0 ? (
          <>
            <p>{texts.nothing({ query })}</p>
            <p>{texts.nothingHint()}</p>
          </>
        ) : (
          <>
            <p>{texts.found({ count: hits.length, query })}</p>
            <ol className="docs-hits">
              {hits.map(({ title, heading, href, excerpt }) => (
                <li key={href}>
                  <a href={href}>
                    <strong>{heading ?? title}</strong>
                    {heading === undefined ? null : <span>{title}</span>}
                  </a>
                  <p>
                    {excerpt.map(({ text, isFound }, index) =>
                      isFound ? <mark key={index}>{text}</mark> : text,
                    )}
                  </p>
                </li>
              ))}
            </ol>
          </>
        )}
      </div>
    </DocsFrame>
  )
}
