type Value = string | number | Value[] | { [key: string]: Value }

/** A field of the MMDB format: its type and length, then its bytes (maxmind.github.io/MaxMind-DB). */
function encode(value: Value): Buffer {
  if (typeof value === 'string') {
    const text = Buffer.from(value)
    return Buffer.concat([control(2, text.length), text])
  }
  if (typeof value === 'number') {
    const bytes = Buffer.alloc(4)
    bytes.writeUInt32BE(value)
    return Buffer.concat([control(6, 4), bytes])
  }
  if (Array.isArray(value)) return Buffer.concat([control(11, value.length), ...value.map(encode)])
  const entries = Object.entries(value)
  return Buffer.concat([
    control(7, entries.length),
    ...entries.flatMap(([key, item]) => [encode(key), encode(item)]),
  ])
}

function control(type: number, length: number): Buffer {
  const size = length < 29 ? [length] : [29, length - 29]
  const [first = 0, ...more] = size
  return Buffer.from(type > 7 ? [first, type - 7, ...more] : [(type << 5) | first, ...more])
}

/** A database in which every IPv4 address below 128.0.0.0 has this record, and no other address has any. */
export function mmdbFile(record: { [key: string]: Value }): Buffer {
  const nodeCount = 1
  const separator = Buffer.alloc(16)
  const tree = Buffer.from([0, 0, nodeCount + separator.length, 0, 0, nodeCount])
  const metadata = {
    binary_format_major_version: 2,
    binary_format_minor_version: 0,
    build_epoch: 1_780_000_000,
    database_type: 'Test-City',
    description: { en: 'A test' },
    ip_version: 4,
    languages: ['en'],
    node_count: nodeCount,
    record_size: 24,
  }
  const marker = Buffer.from('\u00ab\u00cd\u00efMaxMind.com', 'latin1')
  return Buffer.concat([tree, separator, encode(record), marker, encode(metadata)])
}
