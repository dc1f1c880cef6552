import type { ReactNode } from 'react'
import { type TextLanguage, textLanguages } from '#domain/texts/languages.ts'
import { PageFrame } from './page-frame.tsx'

/** Contents of a page's head. */
export interface AboutPage {
  title: string
  description: string
  publicUrl: string
  /** Where the app is; default: at the host of the page. */
  appUrl?: string
  /** The page's own address; without it search engines are told not to index the page. */
  address?: string
  /** The canonical address, if it is not `address`. */
  canonical?: string
  /** The address of a picture of 1200 by 630 for link previews. */
  picture?: string
  kind?: 'website' | 'profile'
  /** The path of the page's font, which is used at the first visit only if it is there early. */
  font?: string
}

interface PublicDocumentProps extends AboutPage {
  language: TextLanguage
  css: string
  script: string | undefined
  withoutScript: string | undefined
  /** Puts the site's header and footer around the page (page-frame.tsx). */
  framed: boolean
  report: string | undefined
  children: ReactNode
}

/** The HTML document around a public page. Style and script are inline, so the page waits for no other file. */
export function PublicDocument(props: PublicDocumentProps) {
  const { title, description, publicUrl, address, picture, css, script, withoutScript } = props
  const { direction } = textLanguages[props.language]
  return (
    <html
      lang={props.language}
      dir={direction === 'rtl' ? direction : undefined}
      className="hp-visitor"
    >
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover" />
        <title>{title}</title>
        <meta name="description" content={description} />
        {address === undefined ? (
          <meta name="robots" content="noindex" />
        ) : (
          <link rel="canonical" href={props.canonical ?? address} />
        )}
        <meta property="og:title" content={title} />
        <meta property="og:description" content={description} />
        <meta property="og:site_name" content="Hoplet" />
        <meta property="og:type" content={props.kind ?? 'website'} />
        <meta property="og:url" content={address ?? publicUrl} />
        {picture === undefined ? null : <Picture address={picture} title={title} />}
        <link rel="icon" href="/favicon.svg" type="image/svg+xml" />
        {props.font === undefined ? null : (
          <link rel="preload" as="font" type="font/woff2" href={props.font} crossOrigin="" />
        )}
        <style dangerouslySetInnerHTML={{ __html: css }} />
        {withoutScript === undefined ? null : (
          <noscript>
            <style dangerouslySetInnerHTML={{ __html: withoutScript }} />
          </noscript>
        )}
      </head>
      <body>
        {props.framed ? (
          <PageFrame report={props.report}>{props.children}</PageFrame>
        ) : (
          <main>{props.children}</main>
        )}
        {script === undefined ? null : <script dangerouslySetInnerHTML={{ __html: script }} />}
      </body>
    </html>
  )
}

function Picture({ address, title }: { address: string; title: string }) {
  return (
    <>
      <meta property="og:image" content={address} />
      <meta property="og:image:width" content="1200" />
      <meta property="og:image:height" content="630" />
      <meta property="og:image:alt" content={title} />
      <meta name="twitter:card" content="summary_large_image" />
    </>
  )
}
