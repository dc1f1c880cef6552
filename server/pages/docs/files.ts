/** Reads one file when it is asked for; the build puts each into a chunk. */
const readers = import.meta.glob<string>(
  ['../../../docs/**/*.md', '../../../{ARCHITECTURE,CHANGELOG,CONTRIBUTING,SECURITY}.md'],
  { query: '?raw', import: 'default' },
)

/** The documents by their path under `/docs`: '' is the index, `backup`, `decisions`, `decisions/0001-toolchain`, `changelog`. */
const documents = new Map(
  Object.entries(readers).map(([key, read]) => {
    const file = key.replace('../../../', '')
    return [pathOf(file), { file, read }] as const
  }),
)

function pathOf(file: string): string {
  return file
    .replace(/^docs\//, '')
    .replace(/(^|\/)README\.md$|\.md$/, '')
    .toLowerCase()
}

/** The paths of all documents. */
export function documentPaths(): string[] {
  return [...documents.keys()]
}

export interface DocsFile {
  /** Its path in the repository, for example `docs/backup.md`. */
  file: string
  markdown: string
}

/** The document at a path under `/docs`; undefined when there is none. */
export async function readDocument(path: string): Promise<DocsFile | undefined> {
  const found = documents.get(path)
  return found && { file: found.file, markdown: await found.read() }
}

/**
 * The path under `/docs` of a file that another one links to; undefined for other files, such as source code.
 *
 * @param from the file with the link, in the repository
 */
export function linkedPath(from: string, href: string): string | undefined {
  const path = pathOf(new URL(href, `file:///${from}`).pathname.slice(1)).replace(/\/$/, '')
  return documents.has(path) ? path : undefined
}
