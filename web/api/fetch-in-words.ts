import { connectionTexts } from '#domain/texts/session-texts.ts'

/** The request got no answer at all. The message is for people; the browsers' own say 'Failed to fetch'. */
export class UnreachableError extends Error {
  constructor(cause: unknown) {
    super(connectionTexts.unreachable, { cause })
  }
}

/** fetch() with failures that can be shown to people. */
export async function fetchInWords(
  input: RequestInfo | URL,
  init: RequestInit = {},
): Promise<Response> {
  try {
    return await fetch(input, init)
  } catch (error) {
    if (init.signal?.aborted === true) throw error
    throw new UnreachableError(error)
  }
}

/** The fields of a refusal; {} without JSON. The body of the response can still be read. */
export async function refusalFields(response: Response): Promise<Record<string, unknown>> {
  const body: unknown = await response
    .clone()
    .json()
    .catch(() => null)
  return Object(body) as Record<string, unknown>
}
