import type { ApiSourceId } from '#domain/transfer/sources.ts'
import { bitlyApi } from './bitly.ts'
import { dubApi } from './dub.ts'
import { kuttApi } from './kutt.ts'
import { rebrandlyApi } from './rebrandly.ts'
import { shlinkApi } from './shlink.ts'
import { shortIoApi } from './short-io.ts'
import type { SourceAccess, SourceApi, SourcePage } from './source-access.ts'
import { SourceError } from './source-error.ts'
import { yourlsApi } from './yourls.ts'

const sourceApis: Readonly<Record<ApiSourceId, SourceApi>> = {
  bitly: bitlyApi,
  dub: dubApi,
  kutt: kuttApi,
  shlink: shlinkApi,
  yourls: yourlsApi,
  rebrandly: rebrandlyApi,
  'short-io': shortIoApi,
}

/** The pause between two pages that a source asks for. */
export function pauseMsOf(source: ApiSourceId): number {
  return sourceApis[source].pauseMs
}

/** Reads the page of a source at a cursor, the first one without. Throws a SourceError, also when the source turns in a circle. */
export async function readSourcePage(
  source: ApiSourceId,
  access: SourceAccess,
  cursor?: string,
): Promise<SourcePage> {
  const page = await sourceApis[source].readPage(access, cursor)
  if (page.cursor !== undefined && page.cursor === cursor)
    throw new SourceError('answer', 'The service sends the same page again and again')
  return page
}
