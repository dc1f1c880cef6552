interface FlakyRecord {
  runs: number
  counts: Map<string, number>
}

export function parseRecord(text: string): FlakyRecord
export function printRecord(record: FlakyRecord): string
