import { createElement } from 'react'
import { AudiencePage, type AudiencePageProps } from '#public-pages/audience-page.tsx'
import type { PublicSite } from '../http/public-site.ts'
import { pageResponse, pageTitle, publicPage } from '../http/public-page.ts'

/** A page for a person who gave an address. Its address may have a token, which no other site learns. */
export function audiencePage(
  { publicUrl, appUrl = '' }: Pick<PublicSite, 'publicUrl' | 'appUrl'>,
  props: AudiencePageProps,
  status?: number,
  headers: Record<string, string> = {},
): Response {
  const page = publicPage(
    createElement(AudiencePage, props),
    { title: pageTitle(props.title), description: props.text, publicUrl, appUrl },
    { sheet: 'notice' },
    { formsTo: 'us' },
  )
  return pageResponse(page, status, { 'Referrer-Policy': 'same-origin', ...headers })
}
