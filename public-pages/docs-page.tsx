import { useVisitorTexts } from '#public-pages/frame/visitor-language.ts'
import { DocsFrame, type DocsNavigation } from './docs-frame.tsx'

interface DocsPageProps extends DocsNavigation {
  /** Under `/docs`; '' is the index. */
  path: string
  rendered: {
    title: string
    html: string
    headings: readonly { id: string; text: string }[]
  }
}

/** One document. */
export function DocsPage({ path, rendered, groups }: DocsPageProps) {
  const { docs: texts } = useVisitorTexts()
  return (
    <DocsFrame path={path} groups={groups}>
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
    </DocsFrame>
  )
}
