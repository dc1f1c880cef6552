import type { ReactNode } from 'react'

interface PublicDocumentProps {
  title: string
  description: string
  publicUrl: string
  css: string
  children: ReactNode
}

/** The document around a page that visitors see: no script, one style element, no request but the icon. */
export function PublicDocument({
  title,
  description,
  publicUrl,
  css,
  children,
}: PublicDocumentProps) {
  return (
    <html lang="en">
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>{title}</title>
        <meta name="description" content={description} />
        <meta name="robots" content="noindex" />
        <meta property="og:title" content={title} />
        <meta property="og:description" content={description} />
        <meta property="og:site_name" content="Hoplet" />
        <meta property="og:url" content={publicUrl} />
        <link rel="icon" href="/favicon.svg" type="image/svg+xml" />
        <style dangerouslySetInnerHTML={{ __html: css }} />
      </head>
      <body>
        <main>{children}</main>
      </body>
    </html>
  )
}
