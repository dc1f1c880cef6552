type WordLists = readonly (readonly string[])[]

type WordsOf<Lists extends WordLists> = { -readonly [Place in keyof Lists]: Lists[Place][number] }

/** Readable side of counts: each combination of words, also those that were never counted. */
export interface ReadableCounts {
  read(): readonly { words: readonly string[]; count: number }[]
}

/**
 * Counts combinations of words, one word of each list, for example a task and its outcome. Other words are not counted, so
 * that no client can make the counts grow.
 */
export function createCounts<const Lists extends WordLists>(...lists: Lists) {
  const combinations = lists.reduce<string[][]>(
    (found, list) => found.flatMap((words) => list.map((word) => [...words, word])),
    [[]],
  )
  const byKey = new Map(combinations.map((words) => [words.join(' '), { words, count: 0 }]))
  return {
    add(...words: WordsOf<Lists>): void {
      const found = byKey.get(words.join(' '))
      if (found) found.count++
    },
    read: () => [...byKey.values()],
  }
}
