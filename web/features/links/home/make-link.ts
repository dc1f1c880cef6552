import type { QueryClient } from '@tanstack/react-query'
import { createLink, type CreateResult, type NewLink } from '../form/create-link.ts'
import { removeLoadedLinks } from '../links-query.ts'

/** Makes a link for the form of Home, which has no list of links. */
export async function makeLink(client: QueryClient, wanted: NewLink): Promise<CreateResult> {
  const result = await createLink(wanted)
  // Also after a failure: the link may have been made, and its answer lost.
  removeLoadedLinks(client)
  return result
}
