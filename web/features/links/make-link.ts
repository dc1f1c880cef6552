import type { QueryClient } from '@tanstack/react-query'
import { createLink, type CreateResult, type NewLink } from './create-link.ts'
import { forgetLoadedLinks } from './links-query.ts'

/** Makes a link for the form of Home, whose page has no list of links. */
export async function makeLink(client: QueryClient, wanted: NewLink): Promise<CreateResult> {
  const result = await createLink(wanted)
  // Also after a failure: the link may have been made, and its answer lost.
  forgetLoadedLinks(client)
  return result
}
